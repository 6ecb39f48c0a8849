#include "analysis/measured/measured_machine.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace gradflight {

namespace {

struct MachineRow {
  std::string_view file, in_gpu, in_conditions, machine, note; ///< empty: any
};

constexpr std::array machine_rows = {
    MachineRow{"abci2-nccl", "V100", "", "abci-v", ""},
    MachineRow{"abci2-nccl", "A100", "", "abci-a", ""},
    MachineRow{"abci2-mpi-osu", "V100", "", "abci-v", ""},
    MachineRow{"abci2-pt2pt-osu", "V100", "", "abci-v", ""},
    MachineRow{"abci2-pt2pt-osu", "A100", "", "abci-a", ""},
    MachineRow{"alps-gh200-nccl", "", "", "alps", ""},
    MachineRow{"polaris-nccl", "", "", "polaris", ""},
    MachineRow{"h100-dgx-nccl", "", "", "dgx-h100", ""},
    MachineRow{"h100-cluster-nccl", "", "", "dgx-h100", "NICs of 400 Gb/s a GPU are inferred from bus bandwidths"},
    MachineRow{"h100-cluster-pairwise", "", "", "dgx-h100", "NICs of 400 Gb/s a GPU are inferred from bus bandwidths"},
    MachineRow{"aws-p4d-efa-nccl", "", "", "p4d", ""},
    MachineRow{"aws-p3dn-efa-nccl", "", "", "p3dn", ""},
    MachineRow{"gcp-a3mega-nccl", "", "", "a3-mega", ""},
    MachineRow{"amd-mi300x-rccl", "", "MI300X", "mi300x", ""},
    MachineRow{"amd-mi300x-rccl", "", "MI325X", "mi325x", "the NICs' rate is not stated"},
    MachineRow{"vtrain-allreduce-intranode", "a100", "", "dgx-a100", ""},
    MachineRow{"vtrain-allreduce-intranode", "v100", "", "dgx1-v100", "the cube mesh is inferred from bus bandwidths"},
    MachineRow{"a100-pcie-nccl", "", "", "a100-pcie", ""},
    MachineRow{"p100-pcie-nccl", "", "", "p100-pcie", ""},
    MachineRow{"hkbu-contention-allreduce", "", "", "ethernet-10g", "one process a node is assumed"},
};

} // namespace

std::optional<MeasuredMachine> machine_of(const MeasuredTable& table) {
  const std::string file = std::filesystem::path(table.file).stem().string();
  const std::string* conditions = table.label("conditions");
  const auto row = std::ranges::find_if(machine_rows, [&](const MachineRow& each) {
    return each.file == file && table.gpu.find(each.in_gpu) != std::string::npos &&
           (each.in_conditions.empty() || (conditions && conditions->find(each.in_conditions) != std::string::npos));
  });
  if (row == machine_rows.end()) return std::nullopt;
  MeasuredMachine found{std::string(row->machine), table.nodes, 0, std::string(row->note)};
  if (found.nodes == 0) found.nodes = 1; // of these tables only those inside a node leave it out
  found.gpus_per_node = table.ranks / found.nodes;
  return found;
}

} // namespace gradflight
