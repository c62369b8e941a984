// A progress bar on the terminal; silent where standard error is not one.
#pragma once

#include <string>

namespace fuse {

class progress_bar {
 public:
  /// `what` names the things that are counted.
  progress_bar(int total, std::string what);
  /// Wipes the bar, so that what comes next starts on an empty line.
  ~progress_bar();
  progress_bar(const progress_bar&)            = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  void show(int done);

 private:
  int total_;
  std::string what_;
  bool visible_;
};

}  // namespace fuse
