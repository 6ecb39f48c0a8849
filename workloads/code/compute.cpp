#include "workloads/code/compute.hpp"

#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace gradflight {
namespace {

void require_time(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0)
    throw std::invalid_argument("a measured compute time must be a finite number of at least 0");
}

/// Checks the FLOPs, and returns their sums over layers.
LayerFlops checked_sum(const std::vector<Layer>& layers, const std::vector<LayerFlops>& flops) {
  if (flops.size() != layers.size()) throw std::invalid_argument("FLOPs must be given for every layer");
  LayerFlops sum;
  for (const LayerFlops& layer : flops) {
    if (!std::isfinite(layer.forward) || !std::isfinite(layer.backward) || layer.forward < 0 || layer.backward < 0)
      throw std::invalid_argument("the FLOPs of a layer must be a finite number of at least 0");
    sum.forward += layer.forward;
    sum.backward += layer.backward;
  }
  if (!std::isfinite(sum.forward + sum.backward))
    throw std::invalid_argument("the sum of the layers' FLOPs is not finite");
  return sum;
}

double share(double part, double whole, double total) { return whole > 0 ? total * (part / whole) : 0; }

} // namespace

void split_by_flops(std::vector<Layer>& layers, const std::vector<LayerFlops>& flops, double forward_total,
                    double backward_total) {
  require_time(forward_total);
  require_time(backward_total);
  const LayerFlops sum = checked_sum(layers, flops);
  if ((forward_total > 0 && sum.forward <= 0) || (backward_total > 0 && sum.backward <= 0))
    throw std::invalid_argument("a compute time cannot be split by FLOPs: no layer has FLOPs");
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].forward = share(flops[i].forward, sum.forward, forward_total);
    layers[i].backward = share(flops[i].backward, sum.backward, backward_total);
  }
}

void split_by_flops(std::vector<Layer>& layers, const std::vector<LayerFlops>& flops, double total) {
  require_time(total);
  const LayerFlops sum = checked_sum(layers, flops);
  const double both = sum.forward + sum.backward;
  if (total > 0 && both <= 0)
    throw std::invalid_argument("a compute time cannot be split by FLOPs: no layer has FLOPs");
  split_by_flops(layers, flops, share(sum.forward, both, total), share(sum.backward, both, total));
}

void times_from_rate(std::vector<Layer>& layers, const std::vector<LayerFlops>& flops, double forward_rate,
                     double backward_rate, std::int64_t batch) {
  if (!std::isfinite(forward_rate) || forward_rate <= 0 || !std::isfinite(backward_rate) || backward_rate <= 0)
    throw std::invalid_argument("a compute rate must be a positive number of FLOP/s");
  if (batch < 1) throw std::invalid_argument("times from a compute rate need a batch of at least 1");
  checked_sum(layers, flops);
  const auto samples = static_cast<double>(batch);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].forward = flops[i].forward * samples / forward_rate;
    layers[i].backward = flops[i].backward * samples / backward_rate;
  }
}

} // namespace gradflight
