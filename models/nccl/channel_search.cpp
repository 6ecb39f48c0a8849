#include "models/nccl/channel_search.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace gradflight::nccl {

namespace {

constexpr int budget_same = 1 << 8, budget_other = 1 << 14, budget_pci = 1 << 10;

} // namespace

ChannelSearch::ChannelSearch(const Machine& machine, const Topology& topology, bool between)
    : machine_(machine), topology_(topology), between_(between), links_(topology.links()), building_(most_channels + 1),
      used_before_(most_channels + 1) {
  for (const Nic& nic : machine.nics) nic_rates_.push_back(nic.rate);
}

int ChannelSearch::round(const SearchRequest& wanted, SearchResult& best) {
  wanted_ = wanted;
  count_ = hops_ = 0;
  nics_for_.clear();
  if (between_)
    for (int gpu = -1; gpu < topology_.gpus(); ++gpu) nics_for_.push_back(list_nics(wanted.inter_type, gpu));
  for (SearchedChannel& each : building_) each.gpus.assign(static_cast<std::size_t>(topology_.gpus()), -1);
  used_.assign(static_cast<std::size_t>(topology_.gpus()), 0);
  int budget = wanted.same_channels ? budget_same : budget_other;
  next_channel(best, budget);
  return budget;
}

void ChannelSearch::next_channel(SearchResult& best, int& budget) {
  const int gpus = topology_.gpus();
  const bool ring = wanted_.pattern == Pattern::ring;
  if (between_) {
    from_nics(best, budget, {ring ? gpus - 1 : 0, -1, Order::free});
    return;
  }
  const Way way{-1, ring ? gpus - 1 : -1, Order::free};
  const auto start = [&](Order order, int gpu) {
    Way ordered = way;
    ordered.order = order;
    try_gpu(best, budget, ordered, 0, -1, gpu);
  };
  if (wanted_.pattern == Pattern::nvls) {
    start(Order::free, count_ % gpus);
    return;
  }
  if (count_ == 0)
    start(Order::pci, 0);
  else
    start(Order::replay, channel(1).gpus.front());
  if (!wanted_.same_channels || count_ == 0)
    for (int gpu = 0; gpu < gpus; ++gpu) start(Order::free, gpu);
}

std::vector<int> ChannelSearch::list_nics(PathType farthest, int gpu) const {
  std::vector<int> nics;
  const auto add = [&](int nic) {
    if (std::ranges::find(nics, nic) == nics.end()) nics.push_back(nic);
  };
  const int first = gpu < 0 ? 0 : gpu, last = gpu < 0 ? topology_.gpus() - 1 : gpu;
  for (int g = first; g <= last; ++g)
    for (int c = 0; c < most_channels; ++c) {
      const int nic = topology_.nic_of(g, c);
      if (c > 0 && nic == topology_.nic_of(g, 0)) break;
      add(nic);
    }
  for (int type = 0; type <= static_cast<int>(farthest); ++type)
    for (int g = first; g <= last; ++g)
      for (int n = 0; n < topology_.nics(); ++n)
        if (static_cast<int>(topology_.path(g, topology_.nic(n)).type) == type) add(n);
  return nics;
}

void ChannelSearch::from_nics(SearchResult& best, int& budget, Way way) {
  const std::vector<int>& nics = nics_for(-1);
  const double rate = std::floor(wanted_.inter); // like NCCL's own accounts of NICs
  const bool heads_only = wanted_.pattern == Pattern::nvls || wanted_.pattern == Pattern::collnet_direct;
  for (std::size_t i = 0; i < nics.size(); ++i) {
    const int nic = nics[(static_cast<std::size_t>(count_) + i) % nics.size()];
    double& left = nic_rates_[static_cast<std::size_t>(nic)];
    if (left < rate) continue;
    if (wanted_.pattern == Pattern::ring && wanted_.cross_nic == 2 && count_ % 2 == 1 && nic != channel(1).nic_out)
      continue;
    channel().nic_in = nic;
    latency_us_ = machine_.nics[static_cast<std::size_t>(nic)].latency_us;
    left -= rate;
    bool head_found = false;
    if (!heads_only) {
      from_nic(best, budget, way, nic);
    } else if (const auto owner = topology_.gpu_of(nic); owner && count_ < static_cast<int>(nics.size())) {
      bool taken = false;
      for (int c = 0; c < count_; ++c) taken |= building_[static_cast<std::size_t>(c)].gpus.front() == *owner;
      if (!taken) {
        try_gpu(best, budget, way, 0, topology_.nic(nic), *owner);
        head_found = true;
      }
    }
    nic_rates_[static_cast<std::size_t>(nic)] += rate;
    if (head_found) break;
  }
}

void ChannelSearch::from_nic(SearchResult& best, int& budget, Way way, int nic) {
  const auto start = [&](Order order, int gpu, int& steps) {
    Way ordered = way;
    ordered.order = order;
    try_gpu(best, steps, ordered, 0, topology_.nic(nic), gpu);
  };
  if (count_ > 0 && wanted_.same_channels) {
    start(Order::replay, channel(1).gpus.front(), budget);
    return;
  }
  if (count_ == 0 && !topology_.nvswitch()) {
    int little = budget_pci;
    start(Order::pci, 0, little);
    if (little == -1) budget = -1;
  }
  const std::optional<int> owner = topology_.gpu_of(nic);
  if (owner) start(Order::free, *owner, budget);
  for (const int gpu : topology_.nearest_gpus(nic))
    if (!owner || gpu != *owner) start(Order::free, gpu, budget);
}

void ChannelSearch::try_gpu(SearchResult& best, int& budget, Way way, int step, int from, int gpu) {
  if (from >= 0 && !take(from, gpu)) return;
  char& used = used_[static_cast<std::size_t>(gpu)];
  const char before = std::exchange(used, 1);
  at_gpu(best, budget, way, step, gpu);
  used_[static_cast<std::size_t>(gpu)] = before;
  if (from >= 0) give(from, gpu);
}

void ChannelSearch::at_gpu(SearchResult& best, int& budget, Way way, int step, int gpu) {
  if (budget <= 0) return;
  --budget;
  const int gpus = topology_.gpus();
  if (step == gpus) {
    channel_done(best, budget);
    return;
  }
  channel().gpus[static_cast<std::size_t>(step)] = gpu;
  if (step == way.back_to_nic) {
    to_nic(best, budget, way, step, gpu);
  } else if (wanted_.pattern == Pattern::nvls) {
    by_nvswitch(best, budget, gpu);
  } else if (wanted_.pattern == Pattern::collnet_direct) {
    by_collnet_direct(best, budget, gpu);
  } else if (step < gpus - 1) {
    for (const int next : next_gpus(gpu, step, way)) try_gpu(best, budget, way, step + 1, gpu, next);
  } else if (step == way.back_to_first) {
    const int first = channel().gpus.front();
    if (take(gpu, first)) {
      at_gpu(best, budget, {way.back_to_nic, -1, way.order}, step + 1, first);
      give(gpu, first);
    }
  } else {
    at_gpu(best, budget, {-1, -1, way.order}, gpus, gpu);
  }
}

/// Goes back to a NIC; a balanced tree does so from its first two GPUs, with half of its traffic each.
void ChannelSearch::to_nic(SearchResult& best, int& budget, Way way, int step, int gpu) {
  const bool balanced = wanted_.pattern == Pattern::balanced_tree;
  for (const int nic : nics_for(gpu)) {
    if (!may_return_by(nic, step)) continue;
    const double share = balanced ? 0.5 : 1;
    if (!take(gpu, topology_.nic(nic), share)) continue;
    channel().nic_out = nic;
    at_gpu(best, budget, {balanced && step == 0 ? 1 : -1, way.back_to_first, way.order}, step, gpu);
    give(gpu, topology_.nic(nic), share);
  }
}

bool ChannelSearch::may_return_by(int nic, int step) const {
  const int entered = channel().nic_in;
  if (wanted_.pattern == Pattern::tree && nic != entered) return false;
  if (wanted_.pattern == Pattern::ring && wanted_.cross_nic == 2) {
    if (count_ % 2 == 1 && nic != channel(1).nic_in) return false;
  } else if (wanted_.cross_nic == 0 && nic != entered) {
    return false;
  }
  return !(wanted_.pattern == Pattern::balanced_tree && step != 0 && nic != channel().nic_out);
}

ChannelSearch::Gpus ChannelSearch::next_gpus(int gpu, int step, const Way& way) const {
  Gpus next;
  if (way.order != Order::free) {
    next.push_back(way.order == Order::pci ? step + 1 : channel(1).gpus[static_cast<std::size_t>(step) + 1]);
    return next;
  }
  struct Candidate {
    int nic_rate, nic_pcie, nic_hops, rate, hops, offset, gpu;
    [[nodiscard]] auto key() const { return std::tuple(-nic_rate, -nic_pcie, nic_hops, -rate, hops, offset); }
  };
  const int gpus = topology_.gpus();
  boost::container::small_vector<Candidate, usual_gpus> candidates;
  for (int offset = 1; offset < gpus; ++offset) {
    const int other = (gpu + offset) % gpus;
    const Path& path = topology_.path(other, gpu);
    if (path.links.empty() || used_[static_cast<std::size_t>(other)] != 0) continue;
    Candidate candidate{0, 0, 0, static_cast<int>(path.rate), static_cast<int>(path.links.size()), offset, other};
    if (way.back_to_nic != -1) {
      const Path& in = topology_.path(topology_.nic(channel().nic_in), other);
      candidate.nic_rate = static_cast<int>(in.rate);
      candidate.nic_pcie = static_cast<int>(machine_.gpus[static_cast<std::size_t>(other)].pcie_rate);
      candidate.nic_hops = static_cast<int>(in.links.size());
    }
    candidates.push_back(candidate);
  }
  std::ranges::sort(candidates, {}, &Candidate::key);
  const bool alike = std::ranges::all_of(candidates, [&](const Candidate& each) {
    return each.rate == candidates.front().rate && each.hops == candidates.front().hops;
  });
  // GPUs near the NIC are kept for the step that goes back to it.
  if (way.back_to_nic != -1 && way.back_to_nic != step + 1 && alike) std::ranges::reverse(candidates);
  if (!topology_.nvswitch()) {
    for (const Candidate& each : candidates) next.push_back(each.gpu);
    return next;
  }
  // Behind an NVSwitch only neighbours are tried.
  const auto add = [&](int neighbour) {
    if (std::ranges::find(candidates, neighbour, &Candidate::gpu) != candidates.end() &&
        std::ranges::find(next, neighbour) == next.end())
      next.push_back(neighbour);
  };
  const int before = (gpu - 1 + gpus) % gpus, after = (gpu + 1) % gpus;
  if (wanted_.pattern == Pattern::ring) add(before);
  add(after);
  if (wanted_.pattern == Pattern::balanced_tree) add(before);
  return next;
}

void ChannelSearch::channel_done(SearchResult& best, int& budget) {
  used_before_[static_cast<std::size_t>(count_)] = used_;
  ++count_;
  if (better(best)) {
    Graph& graph = best.graph;
    graph.pattern = wanted_.pattern;
    graph.channels.assign(building_.begin(), building_.begin() + count_);
    graph.intra = wanted_.intra;
    graph.inter = wanted_.inter;
    graph.latency_us = between_ ? latency_us_ : 0;
    graph.intra_type = wanted_.intra_type;
    graph.inter_type = wanted_.inter_type;
    graph.same_channels = wanted_.same_channels;
    graph.cross_nic = wanted_.cross_nic;
    best.hops = hops_;
    if (count_ == wanted_.most) budget = -1;
  }
  if (count_ < wanted_.most) {
    used_.assign(used_.size(), 0);
    next_channel(best, budget);
  }
  --count_;
  used_ = used_before_[static_cast<std::size_t>(count_)];
}

bool ChannelSearch::better(const SearchResult& best) const {
  const Graph& old = best.graph;
  if (count_ < wanted_.least) return false;
  if (wanted_.pattern == Pattern::nvls)
    return (count_ > old.count() && count_ <= topology_.gpus()) || count_ * wanted_.inter > old.count() * old.inter;
  const double mine = count_ * wanted_.intra, its = old.count() * old.intra;
  if (mine != its) return mine > its;
  return wanted_.pattern == old.pattern && wanted_.cross_nic == old.cross_nic && hops_ < best.hops;
}

} // namespace gradflight::nccl
