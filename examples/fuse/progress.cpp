#include "progress.hpp"

#include <cstdio>
#include <utility>

#include <unistd.h>

namespace fuse {

progress_bar::progress_bar(int total, std::string what)
  : total_(total), what_(std::move(what)), visible_(total > 0 && isatty(STDERR_FILENO) == 1)
{
}

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
  std::fprintf(stderr, "\r[%s] %d/%d %s", bar.c_str(), done, total_, what_.c_str());
  std::fflush(stderr);
}

}  // namespace fuse
