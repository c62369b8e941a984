// Runs the tests. Without a CUDA device the device build lists its tests but skips them all.
#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

#include "support/skip.hpp"
#include "support/space.hpp"

#include <iostream>
#include <string_view>

// One test asks for more memory than there is and expects to be told so, which sanitizers by default do not do.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define CUTSDF_TEST_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || defined(CUTSDF_TEST_SANITIZED)
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }  // NOLINT
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }  // NOLINT
#endif

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
