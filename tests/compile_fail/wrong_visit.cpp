// A visit policy in the place of none.
#include <cutsdf/cutsdf.hpp>

#if defined(CUTSDF_TEST_RIGHT)
using my_visit = cutsdf::visit::samples;
#else
using my_visit = cutsdf::index::slot;
#endif

template class cutsdf::block_table<cutsdf::space::host,
                                   cutsdf::policies<cutsdf::hash::mixed, cutsdf::probe::unbounded, cutsdf::load::plain,
                                                    cutsdf::index::counter, my_visit>>;
