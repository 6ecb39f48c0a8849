// The load of channels on links, and the patterns that are not chains: NVLS and CollNet direct.
#include "models/nccl/channel_search.hpp"

#include <cmath>

namespace gradflight::nccl {

namespace {

/// Rounds to a thousandth, so that adding and subtracting a speed restores the value.
double rounded(double rate) { return std::round(rate * 1000) / 1000; }

bool is_tree(Pattern pattern) { return pattern == Pattern::tree || pattern == Pattern::balanced_tree; }

} // namespace

/// `head` reads for all GPUs from the switch and writes to all; its own link carries both.
void ChannelSearch::by_nvswitch(SearchResult& best, int& budget, int head) {
  const int gpus = topology_.gpus(), nvswitch = *topology_.nvswitch();
  const auto share = [&](int gpu) { return gpu == head ? 2.0 : 1.0; };
  int down = 0, up = 0;
  while (down < gpus && take(nvswitch, down, share(down))) ++down;
  if (down == gpus) {
    while (up < gpus && take(up, nvswitch, share(up))) ++up;
    if (up == gpus) at_gpu(best, budget, {-1, -1, Order::free}, gpus, head);
  }
  while (up > 0) --up, give(up, nvswitch, share(up));
  while (down > 0) --down, give(nvswitch, down, share(down));
}

/// Each other GPU exchanges its share with the head.
void ChannelSearch::by_collnet_direct(SearchResult& best, int& budget, int head) {
  const int gpus = topology_.gpus();
  const double share = gpus > 1 ? 1.0 / (gpus - 1) : 1;
  int out = 0, in = 0;
  while (out < gpus && take(head, out, share)) ++out;
  if (out == gpus) {
    while (in < gpus && take(in, head, share)) ++in;
    if (in == gpus) {
      int step = 1;
      for (int gpu = 0; gpu < gpus; ++gpu)
        if (gpu != head) channel().gpus[static_cast<std::size_t>(step++)] = gpu;
      at_gpu(best, budget, {-1, -1, Order::free}, gpus, head);
    }
  }
  while (in > 0) --in, give(in, head, share);
  while (out > 0) --out, give(head, out, share);
}

double ChannelSearch::rate_for(int from, int to) const {
  const auto inside = [&](int place) {
    return topology_.kind(place) == Place::gpu || topology_.kind(place) == Place::nvswitch;
  };
  return inside(from) && inside(to) ? wanted_.intra : wanted_.inter;
}

bool ChannelSearch::take(int from, int to, double share) {
  const Path& path = topology_.path(from, to);
  const bool nic = topology_.kind(from) == Place::nic || topology_.kind(to) == Place::nic;
  const PathType farthest = nic ? wanted_.inter_type : wanted_.intra_type;
  if (path.type == PathType::none || path.type > farthest) return false;
  if (is_tree(wanted_.pattern) && topology_.path(to, from).type > farthest) return false;
  const double rate = rate_for(from, to) * share;
  if (!move(path, from, path.links.size(), rate)) return false;
  hops_ += static_cast<int>(path.links.size());
  return true;
}

void ChannelSearch::give(int from, int to, double share) {
  const Path& path = topology_.path(from, to);
  move(path, from, path.links.size(), -rate_for(from, to) * share);
  hops_ -= static_cast<int>(path.links.size());
}

/// Takes `rate` from the first `count` links, or returns it if negative; all or none.
bool ChannelSearch::move(const Path& path, int from, std::size_t count, double rate) {
  const bool from_gpu = topology_.kind(from) == Place::gpu;
  double pcie = rate;
  if (path.type == PathType::host && from_gpu && machine_.vendor == Vendor::intel)
    for (const int link : path.links) // data from GPUs through Intel's root cost a fifth more
      if (topology_.kind(links_[static_cast<std::size_t>(link)].to) == Place::cpu) pcie = rate * 6 / 5;
  for (std::size_t i = 0; i < count; ++i) {
    Link& link = links_[static_cast<std::size_t>(path.links[i])];
    Link& back = links_[static_cast<std::size_t>(link.back)];
    const double there = link.type == LinkType::pcie ? pcie : rate;
    // GPUs before Ampere acknowledge data written to them.
    const bool answers = topology_.kind(link.to) == Place::gpu && machine_.generation < Generation::ampere && !from_gpu;
    const double answer = answers ? there / 8 : 0;
    if (link.rate < there || (answers && back.rate < answer)) {
      move(path, from, i, -rate);
      return false;
    }
    link.rate = rounded(link.rate - there);
    if (answers) back.rate = rounded(back.rate - answer);
  }
  return true;
}

} // namespace gradflight::nccl
