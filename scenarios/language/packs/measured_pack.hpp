// A pack of measured tables: which rows of which logs were measured on which machine, and what each is for
// (docs/measured.md). The logs are not read here.
#pragma once

#include "scenarios/language/decode/document.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

enum class MeasuredRole {
  scored, ///< predicted, and counted
  fitted, ///< what the pack's `fitted` was fitted to: shown, never counted
  noted   ///< not simulated; the reason says why
};
/// "scored"
const char* measured_role_name(MeasuredRole role);

/// A column of a log, and what may stand in it.
struct MeasuredWhere {
  std::string column;
  std::vector<std::string> values;
  Position position{};
};

/// The network between a machine's nodes.
enum class NetworkFabric { infiniband, efa, slingshot, tcpx, roce, ethernet };
/// "infiniband", as a pack has it.
const char* network_fabric_name(NetworkFabric fabric);

/// Rows of a log.
struct MeasuredEntry {
  Node file;                        ///< as written, relative to the pack
  std::vector<MeasuredWhere> where; ///< all must hold; none: every row
  MeasuredRole role = MeasuredRole::scored;
  std::string reason;
  int element_size = 4;
  std::optional<int> nodes{}; ///< of tables that do not say
};

/// How a job's gradients get about.
enum class TrainingScheme { ddp, horovod, parameter_server, fsdp, all_reduce };
/// "DDP"
const char* training_scheme_name(TrainingScheme scheme);

/// What stands in the column that was measured. Samples are those of the scenario's `batch`.
enum class TrainingMeasure {
  throughput,         ///< samples a second of all GPUs
  throughput_per_gpu, ///< of one
  step_time,          ///< seconds of a step, with as much work a GPU at each scale
  step_time_us,       ///< microseconds of it
  job_time            ///< seconds of `samples` samples at all scales
};

/// Rows of a table of training: jobs that were run on more and on fewer GPUs with the same work a GPU.
struct MeasuredTraining {
  Node file;                        ///< CSV, relative to the pack
  std::vector<MeasuredWhere> where; ///< all must hold; none: every row
  MeasuredRole role = MeasuredRole::scored;
  std::string reason;
  // Of scored ones:
  std::vector<Node> jobs; ///< columns: rows that agree in all of them are of one job
  Node gpus = Node::of(std::string("gpus"));
  std::optional<Node> beside{}; ///< the column of how many such jobs ran at once; then `gpus` has nodes
  std::optional<Node> column{};
  TrainingMeasure measure = TrainingMeasure::throughput;
  std::optional<double> samples{};
  std::optional<TrainingScheme> scheme{};
  std::optional<Node> scenario{}; ///< relative to the pack
  std::vector<Member> set;        ///< paths and values, as `--set` takes them
};

/// What is documented of this machine and differs from the catalogue.
struct MeasuredFact {
  Node path; ///< as `--set` has it: "platform.node.nic.bandwidth"
  Node value;
  std::string reason;
};

/// Written by `calibrate`.
struct MeasuredFit {
  std::string to;
  std::vector<Member> set; ///< paths and values, as `--set` takes them
};

struct MeasuredPack {
  std::string file; ///< as given
  Sources sources;  ///< what positions refer to
  Node name;
  std::optional<Node> machine{};         ///< none: nothing can be simulated
  std::optional<NetworkFabric> fabric{}; ///< none: no typical values of others stand for its fit
  std::string source, licence;
  Node library = Node::of(std::string("nccl")); ///< as `collective --algorithm` takes it
  std::string library_version;
  std::vector<MeasuredFact> set;
  std::vector<MeasuredEntry> tables;
  std::vector<MeasuredTraining> training;
  std::optional<MeasuredFit> fitted;

  /// `path` as written in the pack, seen from the working directory.
  [[nodiscard]] std::string beside(const std::string& path) const;
  /// "platform.node.nic.bandwidth=200Gbps": facts first, then what was fitted.
  [[nodiscard]] std::vector<std::string> settings() const;
};

/// Throws InputErrors.
MeasuredPack load_measured_pack(const std::string& path);
MeasuredPack decode_measured_pack(Document& document, const std::string& path);

} // namespace gradflight
