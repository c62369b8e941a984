// Volumes are moved, not copied.
#include <cutsdf/cutsdf.hpp>

using volume = cutsdf::volume<cutsdf::space::host>;

#if defined(CUTSDF_TEST_RIGHT)
volume take(volume& from) { return std::move(from); }
#else
volume take(volume& from) { return from; }
#endif
