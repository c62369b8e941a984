// Frames in order, decoded before they are needed.
#pragma once

#include "frame.hpp"

#include <cstddef>
#include <deque>
#include <future>

namespace fuse {

/// Reads the frames of a source one after the other.
///
/// With `ahead` > 0, up to that many frames beyond the current one are being read by threads of their own, so that the
/// caller hardly waits; with 0, each is read when it is asked for.
class read_ahead {
 public:
  read_ahead(const frame_source& source, int ahead) : source_(source), ahead_(ahead) {}

  /// The next frame; call at most source.size() times. Throws what reading it threw.
  frame next()
  {
    const auto policy = ahead_ > 0 ? std::launch::async : std::launch::deferred;
    while (started_ < source_.size() && std::ssize(pending_) <= ahead_) {
      pending_.push_back(std::async(policy, [this, i = started_] { return source_.read(i); }));
      ++started_;
    }
    auto first = std::move(pending_.front());
    pending_.pop_front();
    return first.get();
  }

 private:
  const frame_source& source_;
  int ahead_;
  int started_{0};
  std::deque<std::future<frame>> pending_;  // destroyed first: waits for the threads that still use the source
};

}  // namespace fuse
