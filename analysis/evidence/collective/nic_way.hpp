// How bytes get from a GPU to its NIC.
#pragma once

#include "platforms/code/spec/node_spec.hpp"

namespace gradflight {

/// It decides how much of a NIC's rate they attain.
enum class NicWay {
  own_nic,    ///< a PCIe switch, or a processor joined by NVLink-C2C, and a NIC for each GPU
  shared_nic, ///< a PCIe switch, or such a processor, and GPUs that share a NIC
  root,       ///< the processor's PCIe root
  host_memory ///< copies through host memory
};

/// "a NIC for each GPU", for people.
const char* nic_way_name(NicWay way);

NicWay nic_way(const NodeSpec& node);

} // namespace gradflight
