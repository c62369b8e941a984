#include "progress.hpp"

#include <cstdio>

#include <unistd.h>

namespace fuse {

progress_bar::progress_bar(int total) : total_(total), visible_(isatty(STDERR_FILENO) == 1) {}

progress_bar::~progress_bar()
{
  if (visible_) { std::fprintf(stderr, "\r\033[K"); }
}

void progress_bar::show(int done)
{
  if (!visible_) { return; }
  constexpr int width = 40;
  const auto filled =
    static_cast<std::size_t>(width) * static_cast<std::size_t>(done) / static_cast<std::size_t>(total_);
  std::string bar(width, '.');
  bar.replace(0, filled, filled, '#');
  std::fprintf(stderr, "\r[%s] %d/%d frames", bar.c_str(), done, total_);
  std::fflush(stderr);
}

}  // namespace fuse
