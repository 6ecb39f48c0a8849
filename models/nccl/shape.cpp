#include "models/nccl/shape.hpp"

#include "models/forms/collective_cost.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gradflight::nccl {

namespace {

constexpr int steps_in_buffer = 8;

double up(double value, double grain) { return std::ceil(value / grain) * grain; }

/// Returns the channels' shares: equal except for the last, in cells of at least the release's least traffic.
std::vector<double> split(double bytes, double traffic_per_byte, const Choice& choice, const ChannelRules& rules) {
  const double least_traffic = rules.least_traffic;
  if (least_traffic == 0) {
    const double channels = std::min<double>(choice.channels, std::ceil(bytes / 16));
    return std::vector<double>(static_cast<std::size_t>(channels), bytes / channels);
  }
  const double traffic = std::max(least_traffic, bytes * traffic_per_byte);
  const double per_channel = up(std::floor(traffic / choice.channels), 16);
  const double cell_traffic_per_byte = traffic_per_byte * (choice.protocol == Protocol::ll && rules.ll_spreads ? 4 : 1);
  const double cell = up(std::ceil(least_traffic / cell_traffic_per_byte), 16);
  const double cells = std::ceil(bytes / cell);
  const double most = std::max(1, choice.most);
  double each = most == 1 ? cells : std::min(cells, std::ceil(per_channel / (cell * cell_traffic_per_byte)));
  double count = std::ceil(cells / each);
  std::vector<double> shares;
  if (count > most) { // the first channel keeps its cells, the others share the rest
    const double left = cells - each;
    const double first = each;
    each = std::floor(left / (most - 1));
    shares.push_back(first * cell);
    count = most - 1;
    for (int c = 0; c + 1 < count; ++c) shares.push_back(each * cell);
  } else {
    for (int c = 0; c + 1 < count; ++c) shares.push_back(each * cell);
  }
  double given = 0;
  for (const double share : shares) given += share;
  shares.push_back(bytes - given);
  return shares;
}

double step_bytes(Protocol p) {
  switch (p) {
  case Protocol::ll: return 32 * kib;      // half of 512 KiB / 8 is data
  case Protocol::ll128: return 576'000;    // 15/16 of 4,915,200 B / 8
  case Protocol::simple: return 512 * kib; // of 4 MiB / 8
  }
  return 0;
}

double grain(Protocol p) { return p == Protocol::ll ? 16 : p == Protocol::ll128 ? 1920 : 512; }

/// Returns the bytes of a chunk of a channel with `bytes` of the whole vector.
double chunk_of(const Tuning& tuning, Operation op, double bytes, const Choice& choice, bool four_steps) {
  const double gpus = static_cast<double>(tuning.ranks) / tuning.nodes;
  double chunk = step_bytes(choice.protocol) * (four_steps ? 4 : 1);
  const auto halve = [&](double least, auto few) {
    while (chunk > least && few(chunk)) chunk /= 2;
  };
  switch (choice.algorithm) {
  case Algorithm::nvls: {
    double most = 128 * kib;
    if (tuning.nodes > 1 && tuning.cost(Operation::all_reduce, Algorithm::nvls, Protocol::simple).bandwidth < 150)
      most = 32 * kib;
    chunk = std::min(chunk, most);
    if (bytes < 64 * tuning.nvls_heads * chunk) chunk = std::min(chunk, 64 * kib);
    if (bytes < 8 * tuning.nvls_heads * chunk) chunk = std::min(chunk, 32 * kib);
    if (bytes < 2 * tuning.nvls_heads * chunk) chunk = std::min(chunk, 16 * kib);
    break;
  }
  case Algorithm::nvls_tree: {
    chunk = tuning.nvls_tree_chunk;
    if (bytes < 32 * tuning.nvls_heads * chunk) chunk = std::min(chunk, 256 * kib);
    if (bytes < 16 * tuning.nvls_heads * chunk) chunk = std::min(chunk, 128 * kib);
    if (bytes < 4 * tuning.nvls_heads * chunk) chunk = std::min(chunk, 64 * kib);
    if (bytes < 1 * tuning.nvls_heads * chunk) chunk = std::min(chunk, 32 * kib);
    break;
  }
  case Algorithm::collnet_chain: {
    chunk = 256 * kib;
    halve(128 * kib, [&](double z) { return std::floor(bytes / z) < gpus * 64; });
    halve(64 * kib, [&](double z) { return std::floor(bytes / z) < gpus * 8; });
    halve(32 * kib, [&](double z) { return std::floor(bytes / z) < gpus; });
    break;
  }
  case Algorithm::collnet_direct: {
    const double heads = std::max(1, tuning.heads), depth = std::max(1.0, std::min(2.0, gpus));
    halve(128 * kib, [&](double z) { return std::floor(bytes / (heads * z)) < depth * 64; });
    halve(64 * kib, [&](double z) { return std::floor(bytes / (heads * z)) < depth * 8; });
    halve(32 * kib, [&](double z) { return std::floor(bytes / (heads * z)) < depth * 8; });
    break;
  }
  case Algorithm::tree:
    if (choice.protocol == Protocol::ll128) {
      const double steps = 1 + floor_lg(tuning.nodes) + 0.1 * gpus;
      halve(128 * kib, [&](double z) { return std::floor(bytes / z) < steps * 64 / gpus; });
      halve(32 * kib, [&](double z) { return std::floor(bytes / z) < steps * 16 / gpus; });
    }
    break;
  case Algorithm::pat:
    halve(64 * kib, [&](double z) { return z * (op == Operation::all_gather ? 32 : 16) > bytes; });
    break;
  case Algorithm::ring: break;
  }
  return std::floor(chunk / grain(choice.protocol)) * grain(choice.protocol);
}

} // namespace

Shape shape_of(const Tuning& tuning, Operation op, double bytes, const Choice& choice) {
  Shape shape;
  if (!(bytes > 0) || choice.channels < 1) return shape;
  const bool ring = choice.algorithm == Algorithm::ring, blocks = in_blocks(op);
  const bool circles = ring && (blocks || op == Operation::all_reduce);
  const bool four_steps = circles && choice.protocol == Protocol::simple;
  shape.slices_per_chunk = four_steps ? 2 : 1;
  shape.chunks_in_buffer = four_steps ? steps_in_buffer / 4 : steps_in_buffer;
  if (circles) shape.chunks_per_loop = tuning.ranks;
  const bool nvls = choice.algorithm == Algorithm::nvls || choice.algorithm == Algorithm::nvls_tree;
  if (nvls) shape.chunks_per_loop = tuning.nvls_heads;
  if (choice.algorithm == Algorithm::collnet_direct) shape.chunks_per_loop = std::max(1, tuning.heads);
  // Counted per rank if the vector consists of ranks' blocks.
  const double count = blocks ? std::ceil(bytes / tuning.ranks) : bytes;
  const double traffic_per_byte = op == Operation::all_reduce ? 2 : blocks ? tuning.ranks : 1;
  for (const double share : split(count, traffic_per_byte, choice, tuning.channel_rules)) {
    ChannelShape channel;
    channel.bytes = share;
    channel.chunk = chunk_of(tuning, op, blocks ? share * tuning.ranks : share, choice, four_steps);
    const double in_loop = blocks ? channel.chunk : channel.chunk * shape.chunks_per_loop;
    channel.loops = static_cast<int>(std::ceil(share / in_loop));
    shape.channels.push_back(channel);
  }
  return shape;
}

} // namespace gradflight::nccl
