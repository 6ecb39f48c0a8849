#include "analysis/evidence/collective/nic_way.hpp"

#include "platforms/code/node_shape.hpp"

namespace gradflight {

const char* nic_way_name(NicWay way) {
  switch (way) {
  case NicWay::own_nic: return "a NIC for each GPU";
  case NicWay::shared_nic: return "NICs that GPUs share";
  case NicWay::root: return "NICs at the processor's PCIe root";
  case NicWay::host_memory: return "NICs fed from host memory";
  }
  return "";
}

NicWay nic_way(const NodeSpec& node) {
  if (!node.gpudirect) return NicWay::host_memory;
  const bool near = node.gpu.host_link || gpu_seats(node).front().pcie_switch >= 0;
  if (!near) return NicWay::root;
  return node.nics >= node.gpus ? NicWay::own_nic : NicWay::shared_nic;
}

} // namespace gradflight
