// libFuzzer: for all bytes, a topology of NCCL (XML) or a matrix of nvidia-smi is read or rejected, and the resulting
// node is valid (checked by AddressSanitizer and UndefinedBehaviorSanitizer).
#include "scenarios/language/import/topology.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "tests/fuzz/require.hpp"

#include <string_view>

using gradflight::fuzz::require;

namespace {

/// A beginning of each format, so that the rest is read as its parts.
constexpr std::string_view machine =
    "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\">"
    "<pci busid=\"0000:11:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">"
    "<gpu dev=\"0\" sm=\"90\"><nvlink target=\"0000:11:00.0\" count=\"18\" tclass=\"0x068000\"/></gpu></pci>";
constexpr std::string_view matrix = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tNV4\tPIX\t0-15\n";

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gradflight;
  if (size < 1) return 0;
  const bool xml = data[0] % 2 == 0;
  const std::string_view begin = data[0] / 2 % 2 == 0 ? std::string_view() : xml ? machine : matrix;
  const std::string text = std::string(begin) + std::string(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const ImportedTopology imported = xml ? nccl_topology(text, "x") : nvidia_smi_matrix(text, "x");
    const NodeSpec& node = imported.platform.node.value();
    require(node.gpus >= 1 && node.gpus <= NodeSpec::max_gpus, "a number of GPUs that no node has");
    require(node.nics >= 1 && node.nics <= NodeSpec::max_gpus, "a number of NICs that no node has");
    for (const auto& nics : node.near)
      for (const int nic : nics) require(nic >= 0 && nic < node.nics, "a GPU is near a NIC that is not there");
    for (const auto& pair : node.pairs)
      require(pair.a >= 0 && pair.a < pair.b && pair.b < node.gpus, "a link joins GPUs that are not there");
  } catch (const InputErrors& errors) {
    require(!errors.diagnostics().empty(), "refused without a reason");
  }
  return 0;
}
