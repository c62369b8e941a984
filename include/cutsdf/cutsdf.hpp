// Everything.
#pragma once

#include <cutsdf/fuse/depth.hpp>
#include <cutsdf/fuse/points.hpp>
#include <cutsdf/volume.hpp>
#include <cutsdf/voxel/five_sums.hpp>
