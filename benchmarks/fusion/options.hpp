// The part of the command line that Google Benchmark does not know.
#pragma once

#include "../../examples/fuse/frame.hpp"

#include <memory>
#include <optional>
#include <string>

namespace bench {

struct options {
  std::string frames;  // a recording's folder, or empty: the built-in room
  std::optional<int> most_frames;
  std::string table;  // a file for the table, or empty
};

/// What --help says.
void print_help();

/// Hands the rest of the command line to Google Benchmark, with defaults of ours that it may override. Nothing, after a
/// message, where an argument is not known.
std::optional<options> parse(int argc, char** argv);

/// The recording that is asked for. Throws fuse::problem.
std::unique_ptr<fuse::frame_source> open_source(const options& o);

}  // namespace bench
