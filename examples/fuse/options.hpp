// The command line.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>

namespace fuse {

enum class space_choice { automatic, device, host };

struct options {
  std::optional<std::filesystem::path> input{};  // none: a built-in scene
  std::string scene{"room"};
  float voxel{0.01f};       // metres
  float truncation{0.04f};  // metres
  space_choice space{space_choice::automatic};
  std::optional<int> frames{};
  float max_depth{std::numeric_limits<float>::infinity()};  // metres
  std::filesystem::path out{};
};

/// What the command line asks for: options, or to end at once with an exit code (after --help, or an error that has
/// been printed).
struct command {
  std::optional<fuse::options> options{};
  int exit_code{0};
};

/// Throws problem for a value that cannot be meant.
command parse_command_line(int argc, char** argv);

}  // namespace fuse
