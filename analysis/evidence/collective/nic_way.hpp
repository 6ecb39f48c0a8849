// The way of bytes from a GPU to its NIC.
#pragma once

#include "platforms/code/spec/node_spec.hpp"

namespace gradflight {

/// The way determines the share of a NIC's rate that GPUs attain.
enum class NicWay {
  own_nic,    ///< a PCIe switch, or a processor connected by NVLink-C2C, and a NIC for each GPU
  shared_nic, ///< a PCIe switch, or such a processor, and a NIC for several GPUs
  root,       ///< the processor's PCIe root
  host_memory ///< copies through the host's memory
};

/// Returns a text for people, such as "a NIC for each GPU".
const char* nic_way_name(NicWay way);

NicWay nic_way(const NodeSpec& node);

} // namespace gradflight
