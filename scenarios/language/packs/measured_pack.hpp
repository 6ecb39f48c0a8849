// A pack of measured tables: the measured rows of logs, the machine of each measurement, and the role of each row
// (docs/measured.md). This module does not read the logs.
#pragma once

#include "scenarios/language/decode/document.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

enum class MeasuredRole {
  scored, ///< predicted, and included in the statistics
  fitted, ///< the data of the pack's fit (`fitted`): shown, never included in the statistics
  noted   ///< not simulated; `reason` says why
};
/// "scored"
const char* measured_role_name(MeasuredRole role);

/// A column of a log, and its accepted values.
struct MeasuredWhere {
  std::string column;
  std::vector<std::string> values;
  Position position{};
};

/// The network between a machine's nodes.
enum class NetworkFabric { infiniband, efa, slingshot, tcpx, roce, ethernet };
/// Returns the name in a pack, such as "infiniband".
const char* network_fabric_name(NetworkFabric fabric);

/// Rows of a log.
struct MeasuredEntry {
  Node file;                        ///< as in the pack, relative to it
  std::vector<MeasuredWhere> where; ///< all must hold; empty: every row
  MeasuredRole role = MeasuredRole::scored;
  std::string reason;
  int element_size = 4;
  std::optional<int> nodes{}; ///< for tables without the number of nodes
};

/// How a job exchanges gradients.
enum class TrainingScheme { ddp, horovod, parameter_server, fsdp, all_reduce };
/// "DDP"
const char* training_scheme_name(TrainingScheme scheme);

/// The unit of the measured column. Samples are those of the scenario's `batch`.
enum class TrainingMeasure {
  throughput,         ///< samples per second on all GPUs
  throughput_per_gpu, ///< samples per second on one GPU
  step_time,          ///< seconds per step, with the same work per GPU at each scale
  step_time_us,       ///< microseconds per step
  job_time            ///< seconds for `samples` samples at all scales
};

/// Rows of a table of training: jobs with the same work per GPU on different numbers of GPUs.
struct MeasuredTraining {
  Node file;                        ///< CSV, relative to the pack
  std::vector<MeasuredWhere> where; ///< all must hold; empty: every row
  MeasuredRole role = MeasuredRole::scored;
  std::string reason;
  // The following members apply to scored entries.
  std::vector<Node> jobs; ///< columns; rows with equal values in all of them belong to one job
  Node gpus = Node::of(std::string("gpus"));
  /// The column with the number of jobs that ran at the same time; then `gpus` counts nodes.
  std::optional<Node> beside{};
  std::optional<Node> column{};
  TrainingMeasure measure = TrainingMeasure::throughput;
  std::optional<double> samples{};
  std::optional<TrainingScheme> scheme{};
  std::optional<Node> scenario{}; ///< relative to the pack
  std::vector<Member> set;        ///< paths and values in the form of `--set`
};

/// A documented property of this machine that differs from the catalogue.
struct MeasuredFact {
  Node path; ///< in the form of `--set`: "platform.node.nic.bandwidth"
  Node value;
  std::string reason;
};

/// The result of `calibrate`.
struct MeasuredFit {
  std::string to;
  std::vector<Member> set; ///< paths and values in the form of `--set`
};

struct MeasuredPack {
  std::string file; ///< as the caller gave it
  Sources sources;  ///< the files of positions
  Node name;
  std::optional<Node> machine{};         ///< absent: nothing can be simulated
  std::optional<NetworkFabric> fabric{}; ///< absent: typical values of other machines cannot replace its fit
  std::string source, licence;
  Node library = Node::of(std::string("nccl")); ///< in the form of `collective --algorithm`
  std::string library_version;
  int iterations = 20; ///< CollectiveRequest::iterations
  std::vector<MeasuredFact> set;
  std::vector<MeasuredEntry> tables;
  std::vector<MeasuredTraining> training;
  std::optional<MeasuredFit> fitted;

  /// Returns `path`, which is relative to the pack, relative to the working directory.
  [[nodiscard]] std::string beside(const std::string& path) const;
  /// Returns the machine in the form of `--platform`: a name of the catalogue, or the path of the file beside the pack,
  /// relative to the working directory. The pack must have a machine.
  [[nodiscard]] std::string platform() const;
  /// Returns settings such as "platform.node.nic.bandwidth=200Gbps": facts first, then fitted values.
  [[nodiscard]] std::vector<std::string> settings() const;
};

/// Throws InputErrors.
MeasuredPack load_measured_pack(const std::string& path);
MeasuredPack decode_measured_pack(Document& document, const std::string& path);

} // namespace gradflight
