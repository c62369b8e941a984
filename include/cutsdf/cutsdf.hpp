// Everything.
#pragma once

#include <cutsdf/extract/mesh.hpp>
#include <cutsdf/extract/points.hpp>
#include <cutsdf/fuse/depth.hpp>
#include <cutsdf/fuse/depth_graph.hpp>
#include <cutsdf/fuse/points.hpp>
#include <cutsdf/io/ply.hpp>
#include <cutsdf/look/raycast.hpp>
#include <cutsdf/volume.hpp>
#include <cutsdf/voxel/compact.hpp>
#include <cutsdf/voxel/five_sums.hpp>
#include <cutsdf/voxel/fixed_point.hpp>
#include <cutsdf/voxel/mean16.hpp>
