#include "analysis/evidence/collective/measured_spread.hpp"

#include "platforms/code/node_shape.hpp"

namespace gradflight {

namespace {

using enum Operation;
constexpr std::array of_inside = {all_reduce, all_gather, reduce_scatter, alltoall, broadcast, sendrecv};
constexpr std::array of_own_nic = {all_reduce, all_gather, reduce_scatter, alltoall, sendrecv};
constexpr std::array of_shared_nic = {all_reduce, broadcast};
constexpr std::array of_root = {all_reduce, all_gather, reduce_scatter, alltoall, broadcast, reduce, sendrecv};

constexpr MeasuredSpreads inside = {
    "inside a node", 8, of_inside, {{{0.76, 1.25, 123}, {0.87, 1.41, 69}, {0.94, 1.25, 245}}}};
constexpr MeasuredSpreads own_nic = {
    "with a NIC for each GPU", 3, of_own_nic, {{{0.98, 1.98, 86}, {1.15, 6.74, 42}, {0.96, 1.84, 190}}}};
constexpr MeasuredSpreads shared_nic = {
    "with NICs that GPUs share", 3, of_shared_nic, {{{0.69, 3.67, 125}, {1.00, 4.98, 54}, {1.22, 4.87, 43}}}};
constexpr MeasuredSpreads root = {
    "with NICs at the processor's PCIe root", 2, of_root, {{{0.86, 3.35, 64}, {1.08, 5.25, 43}, {1.00, 1.77, 656}}}};

} // namespace

NicWay nic_way(const NodeSpec& node) {
  if (!node.gpudirect) return NicWay::host_memory;
  const bool near = node.gpu.host_link || gpu_seats(node).front().pcie_switch >= 0;
  if (!near) return NicWay::root;
  return node.nics >= node.gpus ? NicWay::own_nic : NicWay::shared_nic;
}

const char* nic_way_name(NicWay way) {
  switch (way) {
  case NicWay::own_nic: return "a NIC for each GPU";
  case NicWay::shared_nic: return "NICs that GPUs share";
  case NicWay::root: return "NICs at the processor's PCIe root";
  case NicWay::host_memory: return "NICs fed from host memory";
  }
  return "";
}

const MeasuredSpreads* measured_spreads(const NodeSpec& node, int nodes) {
  if (nodes == 1) return &inside;
  switch (nic_way(node)) {
  case NicWay::own_nic: return &own_nic;
  case NicWay::shared_nic: return &shared_nic;
  case NicWay::root: return &root;
  case NicWay::host_memory: break;
  }
  return nullptr;
}

} // namespace gradflight
