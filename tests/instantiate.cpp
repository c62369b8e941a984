// The one place where the volumes under test are compiled, see support/volumes.hpp.
#include "support/volumes.hpp"

namespace cutsdf::inline v0 {
#if CUTSDF_HAS_CUDA
CUTSDF_TEST_INSTANTIATE(template, space::device)
#else
CUTSDF_TEST_INSTANTIATE(template, space::host)
#endif
}  // namespace cutsdf::inline v0
