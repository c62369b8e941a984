// What stops the program.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace fuse {

/// Something the user can mend: the file, folder or option it lies in, and what is wrong with it. what() is one line.
struct problem : std::runtime_error {
  problem(const std::filesystem::path& where, const std::string& what)
    : std::runtime_error(where.string() + ": " + what)
  {
  }
};

}  // namespace fuse
