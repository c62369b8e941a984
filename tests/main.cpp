// Runs the tests. Without a CUDA device the device build lists its tests but skips them all.
#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

#include "support/skip.hpp"
#include "support/space.hpp"

#include <iostream>
#include <string_view>

namespace {

#if __has_include(<catch2/catch_all.hpp>)
using listener_base = Catch::EventListenerBase;
#else
using listener_base = Catch::TestEventListenerBase;
#endif

int tests_started = 0;

struct count_tests : listener_base {
  using listener_base::listener_base;
  void testCaseStarting(const Catch::TestCaseInfo&) override { ++tests_started; }
};

bool only_lists(int argc, char** argv)
{
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("--list") || argument == "-l" || argument == "-t" || argument == "--help") { return true; }
  }
  return false;
}

}  // namespace

CATCH_REGISTER_LISTENER(count_tests)

int main(int argc, char** argv)
{
#if CUTSDF_HAS_CUDA
  int devices = 0;
  if (!only_lists(argc, argv) && (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)) {
    std::cout << "skipped: no CUDA device\n";
    return cutsdf_test::skip_code;
  }
#else
  static_cast<void>(only_lists);
#endif
  const int result = Catch::Session().run(argc, argv);
  for (const auto& reason : cutsdf_test::skipped()) {
    std::cout << "skipped: " << reason << '\n';
  }
  const auto skips = static_cast<int>(cutsdf_test::skipped().size());
  return result == 0 && skips > 0 && skips == tests_started ? cutsdf_test::skip_code : result;
}
