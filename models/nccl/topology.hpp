// A node's links as a graph, and the path that NCCL uses between any two of its places.
//
// Facts: NCCL 2.30.7 (Apache-2.0), src/graph/paths.cc, topo.cc.
#pragma once

#include "models/nccl/graph.hpp"
#include "models/nccl/machine.hpp"

#include <optional>
#include <vector>

namespace gradflight::nccl {

enum class Place : std::uint8_t { gpu, nvswitch, pcie_switch, cpu, nic };
enum class LinkType : std::uint8_t { nvlink, c2c, pcie, sockets };

struct Link {
  int from = 0, to = 0; ///< places
  LinkType type = LinkType::pcie;
  double rate = 0; ///< remaining GB/s; each direction is a separate link
  int back = 0;    ///< index of the other direction
};

struct Path {
  PathType type = PathType::none;
  double rate = 0;          ///< of its narrowest link
  std::vector<int> links{}; ///< in order
};

/// Places are numbered: GPUs, NICs, the NVSwitch, PCIe switches, CPUs.
class Topology {
public:
  explicit Topology(const Machine& machine);

  [[nodiscard]] int gpus() const { return gpus_; }
  [[nodiscard]] int nics() const { return nics_; }
  [[nodiscard]] int nic(int number) const { return gpus_ + number; }
  [[nodiscard]] std::optional<int> nvswitch() const { return nvswitch_; }
  [[nodiscard]] Place kind(int place) const { return kinds_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] const Path& path(int from, int to) const { return paths_[index(from, to)]; }
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }

  /// The NICs nearest to a GPU, or the GPUs nearest to a NIC: widest path, then nearest.
  [[nodiscard]] const std::vector<int>& nearest_nics(int gpu) const { return near_[static_cast<std::size_t>(gpu)]; }
  [[nodiscard]] const std::vector<int>& nearest_gpus(int nic_number) const {
    return near_[static_cast<std::size_t>(nic(nic_number))];
  }
  /// Returns the NIC of a GPU for a channel: GPUs with the same near NICs share these.
  [[nodiscard]] int nic_of(int gpu, int channel) const;
  /// Returns the GPU that sends for `gpu` over a NIC (PXN); nothing if `gpu` sends by itself.
  [[nodiscard]] std::optional<int> relay(int gpu, int nic_number) const;
  /// Returns the GPU that owns a NIC; nothing if the NIC is nearest to none.
  [[nodiscard]] std::optional<int> gpu_of(int nic) const { return owners_[static_cast<std::size_t>(nic)]; }

  /// GB/s of the widest path from a GPU: to another GPU, or, with several nodes, to a NIC.
  [[nodiscard]] double widest_path(bool to_nics) const;
  /// GB/s of all NVLinks of the GPU with the most, or of PCIe if that is more.
  [[nodiscard]] double total_rate() const;
  /// Whether two groups of GPUs have NVLink inside each and none between them.
  [[nodiscard]] bool split_nvlink() const;

private:
  [[nodiscard]] std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(from) * kinds_.size() + static_cast<std::size_t>(to);
  }
  int add(Place kind);
  void join(int a, int b, LinkType type, double rate);
  void find_paths_to(int base);
  void divert(int from, int via, int to);
  void find_owners();
  [[nodiscard]] std::vector<int> nearest(int from, int first, int count) const;

  int gpus_, nics_;
  std::optional<int> nvswitch_;
  std::vector<Place> kinds_;
  std::vector<Link> links_;
  std::vector<std::vector<int>> links_of_; ///< links that leave each place
  std::vector<Path> paths_;
  std::vector<int> devices_;
  std::vector<std::vector<int>> near_; ///< near NICs of GPUs, near GPUs of NICs
  std::vector<std::optional<int>> owners_;
};

} // namespace gradflight::nccl
