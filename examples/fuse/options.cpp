#include "options.hpp"

#include "problem.hpp"
#include "rooms.hpp"

#include <cmath>
#include <iostream>
#include <map>

#include <CLI/CLI.hpp>

namespace fuse {
namespace {

void require(bool condition, const char* option, const std::string& what)
{
  if (!condition) { throw problem(option, what); }
}

void check(const options& o)
{
  require(std::isfinite(o.voxel) && o.voxel > 0.0f, "--voxel", "must be a positive number of metres");
  require(std::isfinite(o.truncation) && o.truncation >= o.voxel, "--truncation",
          "must be a number of metres, at least that of --voxel");
  require(!o.frames || *o.frames > 0, "--frames", "must be at least 1");
  require(o.max_depth > 0.0f, "--max-depth", "must be a positive number of metres");
}

}  // namespace

command parse_command_line(int argc, char** argv)
{
  options o;
  CLI::App app(
    "Fuses depth images into a truncated signed distance volume and writes its surface: mesh.ply, a picture "
    "of it (view.png) and figures (stats.json).",
    "cutsdf_fuse");
  auto* input = app
                  .add_option("--input", o.input,
                              "Folder of frame-NNNNNN.{color.jpg,depth.png,pose.txt}, with camera-intrinsics.txt in it "
                              "or in its parent")
                  ->type_name("DIR");
  app.add_option("--scene", o.scene, "Built-in scene, without --input: " + scene_names())
    ->type_name("NAME")
    ->capture_default_str()
    ->excludes(input);
  app.add_option("--voxel", o.voxel, "Side of a voxel in metres")->type_name("M")->capture_default_str();
  app.add_option("--truncation", o.truncation, "Half the width of the band around the surface, in metres")
    ->type_name("M")
    ->capture_default_str();
  const std::map<std::string, space_choice> spaces{
    {"auto", space_choice::automatic}, {"device", space_choice::device}, {"host", space_choice::host}};
  app.add_option("--space", o.space, "Where to fuse: auto (the GPU where there is one), device, host")
    ->type_name("SPACE")
    ->transform(CLI::CheckedTransformer(spaces).description(""));
  app.add_option("--frames", o.frames, "The first N frames of a recording; N frames along the path through a scene")
    ->type_name("N");
  app.add_option("--max-depth", o.max_depth, "Ignore what is farther away than this, in metres")->type_name("M");
  app.add_option("--out", o.out, "Folder to write to; made where it is missing")->type_name("DIR")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) { return {{}, app.exit(e)}; }  // --help
    std::cerr << "cutsdf_fuse: " << e.what() << '\n';
    return {{}, e.get_exit_code()};
  }
  check(o);
  return {o, 0};
}

}  // namespace fuse
