// A probe that may look nowhere.
#include <cutsdf/cutsdf.hpp>

#if defined(CUTSDF_TEST_RIGHT)
using my_probe = cutsdf::probe::bounded<1>;
#else
using my_probe = cutsdf::probe::bounded<0>;
#endif

static_assert(my_probe::bound(16) < 16);
