// Computes times of layers that are not measured individually, from a measured total or a GPU's rate, and the layers'
// FLOPs.
#pragma once

#include "workloads/code/workload.hpp"

#include <cstdint>
#include <vector>

namespace gradflight {

/// Floating-point operations of one layer for one sample. A multiply-add counts as two.
struct LayerFlops {
  double forward = 0, backward = 0;
};

/// Splits measured times (seconds per iteration, whole model) over the layers in proportion to their FLOPs, with the
/// same rate for all layers in a direction. This is an assumption, because papers give totals only. `flops` has one
/// entry per layer; the parts sum to the totals up to rounding. Overwrites forward and backward of every layer. Throws
/// std::invalid_argument if the lengths differ, if a value is negative or not finite, or if layers without FLOPs in a
/// direction have a non-zero total.
void split_by_flops(std::vector<Layer>& layers, const std::vector<LayerFlops>& flops, double forward_total,
                    double backward_total);

/// The same if only forward + backward is known: one rate for both directions.
void split_by_flops(std::vector<Layer>& layers, const std::vector<LayerFlops>& flops, double total);

/// Computes times from sustained rates (FLOP/s): flops * batch / rate. Throws std::invalid_argument if a rate is not a
/// positive finite number, or the batch is below 1. FLOPs must be valid for split_by_flops, but all may be zero here.
void times_from_rate(std::vector<Layer>& layers, const std::vector<LayerFlops>& flops, double forward_rate,
                     double backward_rate, std::int64_t batch);

} // namespace gradflight
