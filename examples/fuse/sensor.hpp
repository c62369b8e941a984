// How a depth camera sees: noise that grows with distance, nothing on surfaces seen at a grazing angle, millimetres.
#pragma once

#include <cstdint>

namespace fuse {

/// Independent random numbers for every pixel of every frame, the same on every machine and in any order of calls.
class pixel_noise {
 public:
  pixel_noise(int frame, int pixel);

  /// Uniform in [0, 1).
  float uniform();
  /// Mean 0, variance 1, within 3.5 of the mean.
  float gaussian();

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

/// What a structured-light sensor reports for a surface `z` metres away along its axis whose normal makes an angle of
/// cosine `facing` with the ray, in millimetres; 0 where it reports nothing. Axial noise after Nguyen, Izadi and
/// Lovell, "Modeling Kinect Sensor Noise for Improved 3D Reconstruction and Tracking" (2012).
std::uint16_t noisy_millimetres(float z, float facing, pixel_noise& noise);

/// What a perfect sensor reports.
std::uint16_t exact_millimetres(float z);

}  // namespace fuse
