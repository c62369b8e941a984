// Catch2, whichever major version is installed, and how it prints this library's types.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <cutsdf/grid/vec3.hpp>

#include <sstream>

namespace Catch {

template <class T>
struct StringMaker<cutsdf::vec3<T>> {
  static std::string convert(const cutsdf::vec3<T>& v)
  {
    std::ostringstream out;
    out << '(' << v.x << ", " << v.y << ", " << v.z << ')';
    return out.str();
  }
};

template <>
struct StringMaker<cutsdf::rgb8> {
  static std::string convert(const cutsdf::rgb8& c)
  {
    std::ostringstream out;
    out << "rgb(" << int{c.r} << ", " << int{c.g} << ", " << int{c.b} << ')';
    return out.str();
  }
};

}  // namespace Catch

namespace cutsdf_test {

#if __has_include(<catch2/catch_all.hpp>)
using Catch::Approx;
inline auto contains(const std::string& text) { return Catch::Matchers::ContainsSubstring(text); }
#else
using Catch::Detail::Approx;
inline auto contains(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif

}  // namespace cutsdf_test
