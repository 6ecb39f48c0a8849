// Imports a machine from its own tools: NCCL's topology (XML of NCCL_TOPO_DUMP_FILE; graph/xml.cc of NCCL 2.4 to 2.30
// and RCCL), or the matrix of `nvidia-smi topo -m`.
#pragma once

#include "platforms/code/spec/spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// The name of the imported platform, and the beginning of its file.
inline constexpr std::string_view imported_platform_name = "imported topology";
inline constexpr std::string_view imported_platform_opening = "{\n  \"name\": \"imported topology\"";

struct ImportedTopology {
  PlatformSpec platform;          ///< one node on a star
  int listed_nics = 0;            ///< number of NICs in the file; a node without listed NICs gets one
  std::vector<std::string> notes; ///< for each value that the file lacks, a sentence with the assumption
};

/// Throws InputErrors if the file has neither format, or contains no GPU.
ImportedTopology import_topology(const std::string& path);

/// The same for text.
ImportedTopology nccl_topology(std::string_view text, const std::string& path);
ImportedTopology nvidia_smi_matrix(std::string_view text, const std::string& path);

/// Leaves out the NICs that no GPU in `node.near` uses, such as those of storage, and numbers the others anew in `nics`
/// and `near`. Returns the old numbers of those that stay; adds a note if any is left out.
std::vector<int> leave_out_unused_nics(NodeSpec& node, std::vector<std::string>& notes);

/// Seats GPUs at their sockets; in blocks if these are not known of all GPUs (empty, or -1), or differ on a PCIe
/// switch.
void seat_gpus(NodeSpec& node, std::vector<int> sockets, std::vector<std::string>& notes);

/// Returns a GPU of the catalogue with the same generation and number of links, else an object with that generation's
/// rates. `links` = 0 means a GPU with PCIe only.
GpuType gpu_like(GpuGeneration generation, int links);

} // namespace gradflight
