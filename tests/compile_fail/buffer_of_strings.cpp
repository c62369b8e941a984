// Memory of a device cannot hold objects with a life of their own.
#include <cutsdf/cutsdf.hpp>

#if defined(CUTSDF_TEST_RIGHT)
using element = char;
#else
using element = std::string;
#endif

void use(cutsdf::buffer<element, cutsdf::space::host>& buffer) { static_cast<void>(buffer.size()); }
