// What the library throws. Failures of the machine and misuse throw; failures of the data are counted (frame_result).
#pragma once

#include <cutsdf/space/config.hpp>

#include <sstream>
#include <stdexcept>
#include <string>

namespace cutsdf::inline v0 {

/// Base of everything this library itself throws (bad_alloc and system_error of the standard library pass through).
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A parameter that cannot be meant: the message names it and the value it had.
struct invalid_argument : error {
  using error::error;
};

/// A memory resource could not deliver: the message has the number of bytes.
struct out_of_memory : error {
  using error::error;
};

/// A CUDA runtime call or a kernel failed: the message has the call and the runtime's own words.
struct cuda_error : error {
  using error::error;
};

/// A file could not be read or written: the message names the file and what is wrong.
struct io_error : error {
  using error::error;
};

namespace detail {
/// Throws invalid_argument unless `condition`; `name` and `value` make the message.
template <class T>
void require(bool condition, const char* name, const T& value, const char* expected)
{
  if (!condition) {
    std::ostringstream message;
    message << name << " must be " << expected << ", but is " << value;
    throw invalid_argument(message.str());
  }
}
}  // namespace detail

}  // namespace cutsdf::inline v0
