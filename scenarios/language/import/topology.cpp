#include "scenarios/language/import/topology.hpp"

#include "base/input_file.hpp"
#include "base/other_file.hpp"
#include "base/utf.hpp"
#include "platforms/code/node_shape.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>

namespace gradflight {

GpuType gpu_like(GpuGeneration generation, int links) {
  const auto& types = gpu_types();
  const auto exact = std::ranges::find_if(types, [&](const GpuType& type) {
    return type.generation == generation && type.links == links && !type.host_link;
  });
  if (exact != types.end()) return *exact;
  GpuType type;
  const auto near = std::ranges::find(types, generation, &GpuType::generation);
  if (near != types.end()) type = *near;
  type.name.clear();
  type.host_link.reset();
  type.links = links;
  if (links == 0) {
    type.link_rate = {};
    type.link_efficiency = 1;
  }
  type.source = near != types.end() ? "rates of the generation's first type in the catalogue" : "";
  return type;
}

std::vector<int> leave_out_unused_nics(NodeSpec& node, std::vector<std::string>& notes) {
  std::set<int> used;
  for (const auto& nics : node.near) used.insert(nics.begin(), nics.end());
  std::vector<int> kept(used.begin(), used.end());
  for (auto& nics : node.near)
    for (int& nic : nics) nic = static_cast<int>(std::distance(used.begin(), used.find(nic)));
  const int left_out = node.nics - static_cast<int>(kept.size());
  if (left_out > 0)
    notes.push_back(fmt::format("{} of {} NICs {} left out: every GPU has another one as near or nearer.", left_out,
                                node.nics, left_out == 1 ? "is" : "are"));
  node.nics = static_cast<int>(kept.size());
  return kept;
}

void seat_gpus(NodeSpec& node, std::vector<int> sockets, std::vector<std::string>& notes) {
  if (node.sockets < 2) return;
  bool known = !sockets.empty() && std::ranges::find(sockets, -1) == sockets.end();
  for (std::size_t g = 0; known && node.gpus_per_switch > 0 && g < sockets.size(); ++g)
    known = sockets[g] == sockets[g - g % static_cast<std::size_t>(node.gpus_per_switch)];
  if (!known)
    notes.push_back(
        fmt::format("The file does not say where all GPUs are: they are divided among the {} sockets.", node.sockets));
  else if (!std::ranges::equal(sockets, gpu_seats(node), {}, {}, &Seat::socket))
    node.gpu_sockets = std::move(sockets);
}

ImportedTopology import_topology(const std::string& path) {
  const auto refuse = [&](std::string why) { throw InputErrors({{path, 0, 0, "", std::move(why)}}); };
  constexpr std::size_t most_bytes = 64U << 20U;
  FileText content = read_file(path, most_bytes);
  if (!content.error.empty()) refuse(content.error);
  if (auto utf16 = Utf16Decoder::of_file(content.text)) content.text = utf16->decode(content.text);
  const std::string other = other_file(content.text);
  if (not_utf8(content.text) != std::string::npos) refuse(other.empty() ? "the file is not UTF-8 text" : other);
  if (content.text.find("<system") != std::string::npos) return nccl_topology(content.text, path);
  const auto has = [&](const char* part) { return content.text.find(part) != std::string::npos; };
  const bool other_matrix =
      has("ROCm System Management") || has("Link Type between two GPUs") || has("OK   = Status Ok");
  if (!other_matrix && has("GPU0")) return nvidia_smi_matrix(content.text, path);
  const std::string log = benchmark_log(content.text);
  refuse(!log.empty() && other.empty() ? log
         : other.empty() ? "the file is neither a topology of NCCL (\"<system version=...>\", written with "
                           "NCCL_TOPO_DUMP_FILE) nor the output of `nvidia-smi topo -m`"
                         : other);
  return {};
}

} // namespace gradflight
