// The copy that everything is held against, once more among the others: 100 percent unless the clocks have moved.
#pragma once

#include "measure.hpp"

namespace bench {

inline void add_copy(session& s)
{
  add("copy", on_host ? 3 : 10, [&s](benchmark::State& state) {
    s.copy_ms();
    measure(state, s, {.bytes = 2.0 * static_cast<double>(session::copied_bytes)}, [&s] { return s.copy_ms(); });
  });
}

}  // namespace bench
