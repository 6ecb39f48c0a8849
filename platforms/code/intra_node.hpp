// The links between the GPUs of a node and to their shared NIC.
#pragma once

#include "platforms/code/fabric.hpp"

namespace gradflight {

class IntraNode {
public:
  /// Checks the specification and adds the links of `nodes` nodes with `gpus` GPUs each.
  static IntraNode make(const IntraNodeSpec& spec, int nodes, int gpus, LinkTable& links, PlatformErrors& errors);

  /// False if GPUs are directly at the NIC; messages among them then take no time.
  [[nodiscard]] bool any() const { return kind_ != IntraKind::none; }
  void to_nic(int node, int gpu, Route& out) const;
  void from_nic(int node, int gpu, Route& out) const;
  /// Appends the links between two GPUs of a node.
  void across(int node, int from, int to, Route& out) const;

private:
  [[nodiscard]] std::int32_t base(int node) const { return first_ + node * per_node_; }
  [[nodiscard]] std::int32_t gpu_up(int node, int gpu) const { return base(node) + gpu_ways_ + 2 * gpu; }
  [[nodiscard]] std::int32_t switch_up(int node, int gpu) const {
    return base(node) + gpu_ways_ + 2 * (gpus_ + gpu / per_switch_);
  }

  IntraKind kind_ = IntraKind::none;
  int gpus_ = 0, per_switch_ = 1;
  bool gpu_to_nic_ = false; ///< GPUs have their own cables towards the NIC
  std::int32_t first_ = 0;  ///< node 0's first link
  int per_node_ = 0;
  int gpu_ways_ = 0; ///< within a node: offset of the GPU cables (after the NVLink pairs)
};

} // namespace gradflight
