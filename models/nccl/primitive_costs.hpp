// The time that a thread block takes for a slice of the Simple protocol, by primitive.
//
// Facts: NPKit's times of NCCL 2.20.5 (analysis/measurements/modern/npkit-primitives.csv), medians, on a GH200 over
// NVLink and on a GeForce RTX 3090 over PCIe. A slice of 8 KiB has the fixed time; from 128 KiB to 1 MiB the time grows
// by the rate. Assumed: other GPUs take as many cycles, for the fixed time as for a load from memory. So the fixed
// times scale with the clock, and the rates with the clock and the bytes that a thread loads at a time. No table has
// LL128's primitives; LL's take 0.1 to 0.2 us and 0.5 us per line (tuning_tables.hpp).
#pragma once

#include "models/collectives/hop_cost.hpp"
#include "models/nccl/machine.hpp"

namespace gradflight::nccl {

/// GB/s of a Hopper channel, in the order of Primitive.
inline constexpr ByPrimitive copied_on_hopper = {49, 37, 27, 23};

/// Returns the rate at which a channel's threads copy, relative to Hopper's.
double channel_beside_hopper(Generation generation);

/// Returns the microseconds for which a slice of a channel keeps its threads before its bytes are on the links.
ByPrimitive primitive_us(Generation generation, bool over_nvlink);

/// Returns GB/s of a channel of a generation, in the order of Primitive.
ByPrimitive primitive_rates(Generation generation);

} // namespace gradflight::nccl
