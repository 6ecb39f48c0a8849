// The inside of one machine: its links, and the routes between its GPUs and NICs. All machines of a platform are alike.
#pragma once

#include "platforms/code/fabric.hpp"

#include <span>

namespace gradflight {

/// Where a GPU or a NIC is attached.
struct Seat {
  int pcie_switch = -1; ///< -1: at the socket
  int socket = 0;
};
/// Returns the seat of what is attached to PCIe switch `number` of a node.
Seat at_switch(const NodeSpec& node, int number);
/// Returns the seat of each GPU of a node; the node's counts must be above 0.
std::vector<Seat> gpu_seats(const NodeSpec& node);
std::vector<Seat> nic_seats(const NodeSpec& node);

class NodeShape {
public:
  /// Checks the specification; returns null after errors (pointers below "/node").
  static std::unique_ptr<NodeShape> make(const NodeSpec& spec, PlatformErrors& errors);

  /// The links of one machine, numbered from 0; names lack "node3.".
  [[nodiscard]] const std::vector<DirectedLink>& links() const { return links_; }

  /// Links in the order in which bytes cross them.
  using Way = std::span<const std::int32_t>;
  [[nodiscard]] Way between(int from, int to) const { return between_.way(from * gpus_ + to); }
  /// The NICs that a GPU uses.
  [[nodiscard]] const std::vector<int>& nics(int gpu) const { return near_[static_cast<std::size_t>(gpu)]; }
  /// Links from a GPU to the near end of a NIC's cable, if the GPU reaches it; it always reaches its own NICs.
  [[nodiscard]] Way to_nic(int gpu, int nic) const { return to_nic_.way(gpu * nics_ + nic); }
  [[nodiscard]] Way from_nic(int gpu, int nic) const { return from_nic_.way(gpu * nics_ + nic); }
  [[nodiscard]] bool reaches(int gpu, int nic) const { return nic >= 0 && nic < nics_ && !to_nic(gpu, nic).empty(); }
  /// The link from a GPU to the NVSwitch; only if one exists.
  [[nodiscard]] std::int32_t to_switch(int gpu) const { return nvlink_ + 2 * gpu; }
  [[nodiscard]] std::int32_t from_switch(int gpu) const { return nvlink_ + 2 * gpu + 1; }

private:
  friend class NodeShapeBuilder;
  /// A list of ways in one array.
  struct Ways {
    std::vector<std::int32_t> links;
    std::vector<std::size_t> ends{0};
    void close() { ends.push_back(links.size()); }
    [[nodiscard]] Way way(int number) const {
      const auto n = static_cast<std::size_t>(number);
      return Way(links).subspan(ends[n], ends[n + 1] - ends[n]);
    }
  };

  int gpus_ = 0, nics_ = 0;
  std::int32_t nvlink_ = 0; ///< GPU 0's link to the NVSwitch
  std::vector<DirectedLink> links_;
  std::vector<std::vector<int>> near_;
  Ways between_, to_nic_, from_nic_;
};

} // namespace gradflight
