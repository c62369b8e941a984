#include "sensor.hpp"

namespace fuse {
namespace {

constexpr std::uint64_t seed = 0x5eed0fc0ffee1234ull;
constexpr float nearest      = 0.4f;  // metres
constexpr float farthest     = 4.5f;
// Cosines between the ray and the normal: below the first nothing comes back, above the second everything.
constexpr float all_lost  = 0.10f;
constexpr float none_lost = 0.25f;

}  // namespace

pixel_noise::pixel_noise(int frame, int pixel)
  : state_(seed ^ (static_cast<std::uint64_t>(frame) << 32 | static_cast<std::uint32_t>(pixel)))
{
}

std::uint64_t pixel_noise::next()
{
  // splitmix64: a counter and a mixing of its bits.
  state_ += 0x9e3779b97f4a7c15ull;
  std::uint64_t z = state_;
  z               = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z               = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

float pixel_noise::uniform() { return static_cast<float>(next() >> 40) / 16777216.0f; }

float pixel_noise::gaussian()
{
  // The sum of four uniform numbers, variance 4 / 12: near enough, and without a logarithm that rounds differently
  // from one machine to the next.
  const std::uint64_t bits = next();
  const auto sum           = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  return (static_cast<float>(sum) / 65536.0f - 2.0f) * 1.7320508f;
}

std::uint16_t exact_millimetres(float z)
{
  const float rounded = z * 1000.0f + 0.5f;
  return rounded > 0.0f && rounded < 65535.0f ? static_cast<std::uint16_t>(rounded) : std::uint16_t{0};
}

std::uint16_t noisy_millimetres(float z, float facing, pixel_noise& noise)
{
  const float sigma   = 0.0012f + 0.0019f * (z - 0.4f) * (z - 0.4f);
  const float reading = z + sigma * noise.gaussian();
  const bool lost     = all_lost + (none_lost - all_lost) * noise.uniform() > facing;
  return lost || reading < nearest || reading > farthest ? std::uint16_t{0} : exact_millimetres(reading);
}

}  // namespace fuse
