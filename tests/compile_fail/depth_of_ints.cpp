// Depth is float or uint16.
#include <cutsdf/cutsdf.hpp>

#if defined(CUTSDF_TEST_RIGHT)
using pixel = std::uint16_t;
#else
using pixel = int;
#endif

cutsdf::depth_view<pixel> view_of(const pixel* data) { return {.data = data, .width = 640, .height = 480}; }
