#include "models/traffic/flow_sizes.hpp"

#include <algorithm>

namespace gradflight {
namespace {

std::vector<SizePoint> in_packets(std::vector<SizePoint> points) {
  constexpr double packet = 1460;
  for (SizePoint& point : points) point.bytes = Bytes(point.bytes.value() * packet);
  return points;
}

const std::vector<SizePoint>& web_search() {
  static const auto points = in_packets({{Bytes(1), 0},
                                         {Bytes(6), 0.15},
                                         {Bytes(13), 0.2},
                                         {Bytes(19), 0.3},
                                         {Bytes(33), 0.4},
                                         {Bytes(53), 0.53},
                                         {Bytes(133), 0.6},
                                         {Bytes(667), 0.7},
                                         {Bytes(1333), 0.8},
                                         {Bytes(3333), 0.9},
                                         {Bytes(6667), 0.97},
                                         {Bytes(20000), 1}});
  return points;
}

const std::vector<SizePoint>& data_mining() {
  static const auto points = in_packets({{Bytes(1), 0.5},
                                         {Bytes(2), 0.6},
                                         {Bytes(3), 0.7},
                                         {Bytes(7), 0.8},
                                         {Bytes(267), 0.9},
                                         {Bytes(2107), 0.95},
                                         {Bytes(66667), 0.99},
                                         {Bytes(666667), 1}});
  return points;
}

} // namespace

const std::vector<SizePoint>& size_points(const FlowSizes& sizes) {
  switch (sizes.kind) {
  case FlowSizes::Kind::web_search: return web_search();
  case FlowSizes::Kind::data_mining: return data_mining();
  default: return sizes.points;
  }
}

double draw_size(const FlowSizes& sizes, Uniforms& uniform) {
  const double mean = sizes.mean.value();
  if (sizes.kind == FlowSizes::Kind::exponential) return mean * exponential(uniform);
  if (sizes.kind == FlowSizes::Kind::pareto)
    return mean * (sizes.shape - 1) / sizes.shape * exact_power(uniform.next(), -1 / sizes.shape);
  const std::vector<SizePoint>& points = size_points(sizes);
  const double u = uniform.next();
  const auto above = std::ranges::find_if(points, [&](const SizePoint& p) { return p.share >= u; });
  if (above == points.begin()) return above->bytes.value();
  const SizePoint &a = *(above - 1), &b = *above;
  return a.bytes.value() + (b.bytes.value() - a.bytes.value()) * ((u - a.share) / (b.share - a.share));
}

} // namespace gradflight
