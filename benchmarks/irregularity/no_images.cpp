// In a program built without libpng and libjpeg.
#include "frames.hpp"
#include "losses.hpp"

namespace study {

host_scene read_frames(const std::string&, int)
{
  throw cutsdf::error("this program was built without libpng and libjpeg: it reads no frames");
}

void draw_losses(const std::string& file, const cutsdf::host_mesh&, float, const losses&)
{
  throw cutsdf::error(file + " is not written: this program was built without libpng");
}

}  // namespace study
