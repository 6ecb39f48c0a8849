// Where layer times come from when nobody measured each layer: a measured total, or a GPU's rate, and the layers'
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

/// Splits measured times (seconds per iteration, whole model) over the layers in proportion to their FLOPs: the same
/// rate everywhere in a direction. An assumption, not a measurement: papers give totals only. `flops` runs along
/// `layers`; the parts sum to the totals up to rounding. Overwrites forward and backward of every layer.
/// Throws std::invalid_argument if the lengths differ, a value is negative or not finite, or a non-zero total meets
/// layers without any FLOPs in its direction.
void split_by_flops(std::vector<Layer>& layers, const std::vector<LayerFlops>& flops, double forward_total,
                    double backward_total);

/// As above where only forward + backward is known: one rate for both directions.
void split_by_flops(std::vector<Layer>& layers, const std::vector<LayerFlops>& flops, double total);

/// Times from sustained rates (FLOP/s): flops * batch / rate. Throws std::invalid_argument if a rate is not a positive
/// finite number, the batch is below 1, or the FLOPs are not as split_by_flops wants them (all zero is allowed here).
void times_from_rate(std::vector<Layer>& layers, const std::vector<LayerFlops>& flops, double forward_rate,
                     double backward_rate, std::int64_t batch);

} // namespace gradflight
