// The JSON form of a workload, before measured totals are split over the layers.
#pragma once

#include "models/units/units.hpp"
#include "scenarios/language/fields/decoder.hpp"
#include "workloads/code/workload.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct TensorForm {
  std::string name{};
  std::int64_t elements = 0;        ///< 0: `bytes` gives the size
  std::optional<double> bytes{};    ///< bytes of all elements
  std::optional<Element> element{}; ///< absent: the workload's type
};

struct LayerForm {
  std::string name{};
  double forward = 0, backward = 0;                        ///< seconds
  std::optional<double> flops_forward{}, flops_backward{}; ///< per sample
  std::vector<TensorForm> tensors{};
};

enum class Split { flops, given };
struct ComputeForm {
  std::optional<FlopRate> gpu_rate{}, backward_rate{};
  std::optional<Seconds> total{}, forward{}, backward{};
  Split split = Split::flops;
  std::optional<Seconds> update{};
  std::optional<std::int64_t> batch{};
};

/// The default share of a GPU's peak rate that training attains. Large transformers reach 0.38 to 0.56 of it
/// (docs/scenarios.md).
inline constexpr double assumed_utilisation = 0.4;

struct WorkloadForm {
  std::string name{}, source{};
  std::vector<LayerForm> layers{};
  std::optional<Seconds> update{};
  std::optional<std::int64_t> batch{};
  std::optional<ComputeForm> compute{};
  std::optional<Element> element{}; ///< type of tensors without their own; absent: fp32
  // Keys of short workloads (workload_short.hpp).
  std::optional<std::int64_t> parameters{}, layer_count{};
  std::optional<Seconds> step{};
  std::string gpu{}; ///< name in the catalogue; empty: not given
  std::optional<double> gpu_utilisation{};
  std::string assumed{};
};

/// The largest number of elements of a workload.
inline constexpr std::int64_t max_elements = (std::int64_t{1} << 53) / element_bytes;

/// Adds missing names, computes layer times, and checks the whole workload. `node` is the source of `written`. Returns
/// nothing if there are problems.
std::optional<Workload> make_workload(const WorkloadForm& written, const Node& node, Decoder& decoder);

/// Returns a form with all times explicit.
WorkloadForm form_of(const Workload& workload);

} // namespace gradflight
