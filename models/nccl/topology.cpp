#include "models/nccl/topology.hpp"

#include "models/forms/collective_cost.hpp"

#include <algorithm>
#include <map>

namespace gradflight::nccl {

namespace {

PathType path_of(LinkType type) {
  switch (type) {
  case LinkType::nvlink: return PathType::nvlink;
  case LinkType::c2c: return PathType::c2c;
  case LinkType::pcie: return PathType::pcie_switch;
  case LinkType::sockets: return PathType::sockets;
  }
  return PathType::none;
}

/// Reverses the bits of `value` below `count`, a power of two, so that neighbours get distant NICs.
int mirrored(int value, int count) {
  int mirror = 0;
  for (int low = 1, high = count >> 1; high > 0; low <<= 1, high >>= 1)
    if ((value & low) != 0) mirror |= high;
  return mirror;
}

} // namespace

Topology::Topology(const Machine& machine) : gpus_(machine.gpu_count()), nics_(static_cast<int>(machine.nics.size())) {
  for (int gpu = 0; gpu < gpus_; ++gpu) add(Place::gpu);
  for (int nic = 0; nic < nics_; ++nic) add(Place::nic);
  if (machine.switch_links > 0) nvswitch_ = add(Place::nvswitch);
  std::vector<int> switches, cpus;
  for (std::size_t i = 0; i < machine.pcie_switches.size(); ++i) switches.push_back(add(Place::pcie_switch));
  std::map<int, int> sockets; // number -> index
  for (const Gpu& gpu : machine.gpus) sockets[gpu.socket] = 0;
  for (const Nic& nic : machine.nics) sockets[nic.socket] = 0;
  for (const PcieSwitch& pcie : machine.pcie_switches) sockets[pcie.socket] = 0;
  for (auto& [number, place] : sockets) cpus.push_back(place = add(Place::cpu));
  const auto above = [&](int pcie_switch, int socket) {
    return pcie_switch >= 0 ? switches[static_cast<std::size_t>(pcie_switch)] : sockets.at(socket);
  };
  for (int g = 0; g < gpus_; ++g) {
    const Gpu& gpu = machine.gpus[static_cast<std::size_t>(g)];
    devices_.push_back(gpu.device >= 0 ? gpu.device : g);
    if (gpu.c2c_rate > 0) join(g, sockets.at(gpu.socket), LinkType::c2c, gpu.c2c_rate);
    join(g, above(gpu.pcie_switch, gpu.socket), LinkType::pcie, gpu.pcie_rate);
    if (nvswitch_) join(g, *nvswitch_, LinkType::nvlink, machine.switch_links * machine.link_rate());
    if (!machine.links.empty())
      for (int other = 0; other < g; ++other)
        if (const int links = machine.links[static_cast<std::size_t>(g) * static_cast<std::size_t>(gpus_) +
                                            static_cast<std::size_t>(other)];
            links > 0)
          join(g, other, LinkType::nvlink, links * machine.link_rate());
  }
  for (int n = 0; n < nics_; ++n) {
    const Nic& nic = machine.nics[static_cast<std::size_t>(n)];
    join(gpus_ + n, above(nic.pcie_switch, nic.socket), LinkType::pcie,
         nic.pcie_rate > 0 ? std::min(nic.pcie_rate, nic.rate) : nic.rate);
  }
  for (std::size_t i = 0; i < switches.size(); ++i)
    join(switches[i], sockets.at(machine.pcie_switches[i].socket), LinkType::pcie, machine.pcie_switches[i].rate);
  for (std::size_t a = 0; a < cpus.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) join(cpus[a], cpus[b], LinkType::sockets, machine.socket_rate);

  paths_.resize(kinds_.size() * kinds_.size());
  for (int base = 0; base < static_cast<int>(kinds_.size()); ++base) find_paths_to(base);
  owners_.resize(static_cast<std::size_t>(nics_));
  find_owners();
  for (int n = 0; n < nics_; ++n)
    for (int g = 0; g < gpus_; ++g) {
      const std::optional<int> owner = owners_[static_cast<std::size_t>(n)];
      if (machine.pxn && machine.gpudirect && owner && *owner != g) {
        const Path &its = path(*owner, nic(n)), &mine = path(g, nic(n));
        if (its.type <= PathType::c2c_nic && path(*owner, g).type <= PathType::nvlink &&
            (its.rate > mine.rate || mine.type > PathType::pxn)) {
          divert(g, *owner, nic(n));
          paths_[index(g, nic(n))].type = PathType::pxn;
        }
      }
      if (!machine.gpudirect && path(g, nic(n)).type < PathType::host) {
        const int cpu = sockets.at(machine.gpus[static_cast<std::size_t>(g)].socket);
        divert(g, cpu, nic(n));
        divert(nic(n), cpu, g);
        for (Path* way : {&paths_[index(g, nic(n))], &paths_[index(nic(n), g)]})
          way->type = std::max(way->type, PathType::host);
      }
    }
  find_owners();
}

int Topology::add(Place kind) {
  kinds_.push_back(kind);
  links_of_.emplace_back();
  return static_cast<int>(kinds_.size()) - 1;
}

void Topology::join(int a, int b, LinkType type, double rate) {
  const int there = static_cast<int>(links_.size());
  links_.push_back({a, b, type, rate, there + 1});
  links_.push_back({b, a, type, rate, there});
  links_of_[static_cast<std::size_t>(a)].push_back(there);
  links_of_[static_cast<std::size_t>(b)].push_back(there + 1);
}

/// Breadth first from `base`: prefers a nearer type of path, then a wider path, then a shorter one.
void Topology::find_paths_to(int base) {
  paths_[index(base, base)] = {PathType::local, 5000, {}};
  std::vector<int> front = {base};
  while (!front.empty()) {
    std::vector<int> next;
    for (const int place : front) {
      const Path here = path(place, base);
      for (const int outgoing : links_of_[static_cast<std::size_t>(place)]) {
        const Link& link = links_[static_cast<std::size_t>(outgoing)];
        const bool through_gpu = place != base && kind(place) == Place::gpu;
        if (through_gpu && !(link.type == LinkType::nvlink && kind(link.to) == Place::gpu && here.links.size() <= 1))
          continue;
        PathType type = path_of(link.type);
        if (kind(place) == Place::pcie_switch && kind(link.to) == Place::pcie_switch) type = PathType::pcie_switches;
        if (link.type == LinkType::pcie && (kind(place) == Place::cpu || kind(link.to) == Place::cpu))
          type = PathType::host;
        if (through_gpu && here.type == PathType::nvlink && here.links.size() == 1) type = PathType::nvlink_bridge;
        type = std::max(type, here.type);
        const double rate = std::min(here.rate, link.rate);
        Path& there = paths_[index(link.to, base)];
        if (!(type < there.type || (type == there.type && rate > there.rate) ||
              (type == there.type && rate == there.rate && there.links.size() > here.links.size() + 1)))
          continue;
        there.type = type;
        there.rate = rate;
        there.links.assign(1, link.back);
        there.links.insert(there.links.end(), here.links.begin(), here.links.end());
        if (std::ranges::find(next, link.to) == next.end()) next.push_back(link.to);
      }
    }
    front = std::move(next);
  }
  // By C2C to the CPU and from there by PCIe: counts like PCIe switches if it is the GPU's own CPU.
  if (kind(base) == Place::nic)
    for (int gpu = 0; gpu < gpus_; ++gpu) {
      Path& way = paths_[index(gpu, base)];
      if (way.type == PathType::host && !way.links.empty() &&
          links_[static_cast<std::size_t>(way.links.front())].type == LinkType::c2c)
        way.type = PathType::c2c_nic;
    }
  if (kind(base) == Place::gpu)
    for (int n = 0; n < nics_; ++n) {
      Path& way = paths_[index(nic(n), base)];
      if (way.type == PathType::host && !way.links.empty() &&
          links_[static_cast<std::size_t>(way.links.back())].type == LinkType::c2c)
        way.type = PathType::c2c_nic;
    }
}

void Topology::divert(int from, int via, int to) {
  const Path first = path(from, via), second = path(via, to);
  Path& way = paths_[index(from, to)];
  way.type = std::max(first.type, second.type);
  way.rate = std::min(first.rate, second.rate);
  way.links = first.links;
  way.links.insert(way.links.end(), second.links.begin(), second.links.end());
}

std::vector<int> Topology::nearest(int from, int first, int count) const {
  std::vector<int> found;
  double rate = 0;
  PathType type = PathType::none;
  for (int i = 0; i < count; ++i) {
    const Path& way = path(from, first + i);
    if (way.rate > rate || (way.rate == rate && way.type < type)) {
      rate = way.rate;
      type = way.type;
      found.clear();
    }
    if (way.type != PathType::none && way.rate == rate && way.type == type) found.push_back(i);
  }
  return found;
}

int Topology::nic_of(int gpu, int channel) const {
  const std::vector<int>& near = nearest_nics(gpu);
  const int count = std::max(1, static_cast<int>(near.size()));
  const int sharing = std::max(1, static_cast<int>(nearest_gpus(near.front()).size()));
  int at = devices_[static_cast<std::size_t>(gpu)] % sharing;
  if (is_power_of_two(count)) at = mirrored(at, count);
  at += channel % ((count + sharing - 1) / sharing);
  return near[static_cast<std::size_t>(at % count)];
}

std::optional<int> Topology::relay(int gpu, int nic_number) const {
  const Path& way = path(gpu, nic(nic_number));
  if (way.type != PathType::pxn) return std::nullopt;
  for (const int link : way.links)
    if (const int to = links_[static_cast<std::size_t>(link)].to; kind(to) == Place::gpu) return to;
  return std::nullopt;
}

void Topology::find_owners() {
  near_.clear();
  for (int gpu = 0; gpu < gpus_; ++gpu) near_.push_back(nearest(gpu, gpus_, nics_));
  for (int n = 0; n < nics_; ++n) near_.push_back(nearest(nic(n), 0, gpus_));
  for (int n = 0; n < nics_; ++n) {
    std::optional<int>& owner = owners_[static_cast<std::size_t>(n)];
    owner.reset();
    const std::vector<int>& near = nearest_gpus(n);
    for (int channel = 0; channel < most_channels && !owner; ++channel)
      for (const int gpu : near)
        if (nic_of(gpu, channel) == n) {
          owner = gpu;
          break;
        }
  }
}

double Topology::widest_path(bool to_nics) const {
  double widest = 0;
  for (int gpu = 0; gpu < gpus_; ++gpu)
    for (int i = 0; i < (to_nics ? nics_ : gpus_); ++i)
      if (const int to = to_nics ? nic(i) : i; to != gpu) widest = std::max(widest, path(gpu, to).rate);
  return widest;
}

double Topology::total_rate() const {
  double most = 0;
  for (int gpu = 0; gpu < gpus_; ++gpu) {
    double nvlink = 0, pcie = 0;
    for (const int outgoing : links_of_[static_cast<std::size_t>(gpu)]) {
      const Link& link = links_[static_cast<std::size_t>(outgoing)];
      if (link.type == LinkType::nvlink) nvlink += link.rate;
      if (link.type == LinkType::pcie) pcie = link.rate;
    }
    most = std::max({most, nvlink, pcie});
  }
  return most;
}

bool Topology::split_nvlink() const {
  std::vector<int> domain, size(static_cast<std::size_t>(gpus_), 0);
  for (int gpu = 0; gpu < gpus_; ++gpu) domain.push_back(gpu);
  for (int gpu = 0; gpu < gpus_; ++gpu)
    for (int other = gpu + 1; other < gpus_; ++other)
      if (path(gpu, other).type == PathType::nvlink)
        domain[static_cast<std::size_t>(other)] = domain[static_cast<std::size_t>(gpu)];
  for (const int of : domain) ++size[static_cast<std::size_t>(of)];
  return std::ranges::count_if(size, [](int members) { return members > 1; }) == 2;
}

} // namespace gradflight::nccl
