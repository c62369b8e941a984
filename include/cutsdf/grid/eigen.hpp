// Eigen, which stays at the host boundary: vectors and poses come in as Eigen types, kernels see plain structs.
#pragma once

#include <cutsdf/space/config.hpp>

// nvcc finds fault with the device annotations of Eigen 3.4's own defaulted functions; that is nobody's mistake here.
#if CUTSDF_HAS_CUDA
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20012, 20013, 20014, 20015
#endif

#include <Eigen/Core>
#include <Eigen/Geometry>

#if CUTSDF_HAS_CUDA
#pragma nv_diagnostic pop
#endif
