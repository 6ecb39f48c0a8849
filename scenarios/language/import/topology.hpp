// A machine as its own tools describe it: NCCL's topology (XML, of NCCL_TOPO_DUMP_FILE; graph/xml.cc of NCCL 2.4 to
// 2.30 and RCCL), or the matrix of `nvidia-smi topo -m`.
#pragma once

#include "platforms/code/spec/spec.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct ImportedTopology {
  PlatformSpec platform;          ///< one node on a star
  int listed_nics = 0;            ///< NICs that the file lists; the node has one where it lists none
  std::vector<std::string> notes; ///< what the file does not say and what stands there instead, a sentence each
};

/// Throws InputErrors: the file is neither, or has no GPU.
ImportedTopology import_topology(const std::string& path);

/// The same of text.
ImportedTopology nccl_topology(std::string_view text, const std::string& path);
ImportedTopology nvidia_smi_matrix(std::string_view text, const std::string& path);

/// A catalogue's GPU of a generation with as many links, else an object with that generation's rates. `links`: 0 is a
/// GPU on PCIe alone.
GpuType gpu_like(GpuGeneration generation, int links);

} // namespace gradflight
