// A workload as JSON has it, before measured totals are split over the layers.
#pragma once

#include "models/units/units.hpp"
#include "scenarios/language/fields/decoder.hpp"
#include "workloads/code/workload.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct LayerForm {
  std::string name{};
  double forward = 0, backward = 0;                        ///< seconds
  std::optional<double> flops_forward{}, flops_backward{}; ///< per sample
  std::vector<Tensor> tensors{};
};

enum class Split { flops, given };
struct ComputeForm {
  std::optional<FlopRate> gpu_rate{}, backward_rate{};
  std::optional<Seconds> total{}, forward{}, backward{};
  Split split = Split::flops;
  std::optional<Seconds> update{};
  std::optional<std::int64_t> batch{};
};

struct WorkloadForm {
  std::string name{}, source{};
  std::vector<LayerForm> layers{};
  std::optional<Seconds> update{};
  std::optional<std::int64_t> batch{};
  std::optional<ComputeForm> compute{};
};

/// Names what has no name, works out layer times, and checks what only the whole workload can tell. `node` is what
/// `form` was read from; nothing if there are problems.
std::optional<Workload> make_workload(const WorkloadForm& form, const Node& node, Decoder& decoder);

/// Every time explicit, nothing left to work out.
WorkloadForm form_of(const Workload& workload);

} // namespace gradflight
