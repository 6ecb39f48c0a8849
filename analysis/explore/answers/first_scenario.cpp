#include "analysis/explore/answers/first_scenario.hpp"

#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

/// Returns a JSON number if the text is one.
Json value(const std::string& text) {
  const Json read = Json::parse(text, nullptr, false);
  return read.is_number() ? read : Json(text);
}

Json platform(const FirstScenario& said) {
  Json object;
  object["// nodes"] = "number of machines; their GPUs are the ranks";
  object["nodes"] = value(said.nodes);
  if (!said.machine.empty()) {
    const bool file = names_file(said.machine);
    const char* key = file ? "extends" : "machine";
    object[fmt::format("// {}", key)] =
        file ? "a machine's file; other keys change the machine"
             : "a machine of the catalogue (gradflight explain platform lists them); other keys change it";
    object[key] = said.machine;
    return object;
  }
  object["gpus_per_node"] = value(said.gpus_per_node);
  if (said.gpus_per_node != "1") {
    object["// intra_node"] = "how the GPUs of a machine are connected";
    object["intra_node"] = {{"kind", "nvlink"}, {"link", {{"bandwidth", "300GB/s"}, {"latency", "2us"}}}};
  }
  Json network;
  const bool racks = said.oversubscription != "1";
  network["topology"] = racks ? "racks" : "star";
  if (racks) {
    network["// racks"] = "the uplink of a rack has the bandwidth of its NICs, divided by the oversubscription";
    network["racks"] = {{"nodes_per_rack", 4}, {"oversubscription", value(said.oversubscription)}};
  }
  network["// link"] = "the cable of a machine's NIC; a message through one switch crosses two cables";
  network["link"] = {{"bandwidth", said.bandwidth}, {"latency", said.latency}};
  object["network"] = std::move(network);
  return object;
}

Json workload(const FirstScenario& said) {
  Json object;
  if (!said.parameters.empty()) {
    object["// parameters"] = "all layers are alike; to use real tensors, take a model of the catalogue (\"model\")";
    object["parameters"] = value(said.parameters);
    object["layers"] = value(said.layers);
  } else {
    object["// model"] =
        "a model of the catalogue (a wrong name lists all); or give \"parameters\", \"layers\" and \"step\"";
    object["model"] = said.model;
  }
  if (!said.step.empty()) {
    object["// step"] = "forward and backward pass of one GPU at this batch, as measured";
    object["step"] = said.step;
  } else {
    object["// gpu"] = "compute runs at 40 % of its peak; a measured \"step\" is better";
  }
  if (!said.gpu.empty()) object["gpu"] = said.gpu;
  object["batch"] = value(said.batch);
  return object;
}

Json training(const FirstScenario& said) {
  Json object;
  object["// exchange"] = "gradflight explain training.exchange.algorithm lists all algorithms";
  object["exchange"] = {{"algorithm", said.algorithm}};
  if (said.algorithm == "hierarchical") {
    object["exchange"]["// group_size"] = "the GPUs of a machine reduce first, then one GPU of each machine exchanges";
    object["exchange"]["group_size"] = value(said.group_size);
  }
  object["// granularity"] = "buckets as in PyTorch's DistributedDataParallel, sent while layers compute";
  object["granularity"] = {{"ddp_bucket", "25MiB"}};
  object["overlap"] = "layerwise";
  if (!said.compression.empty() && said.compression != "none") {
    object["// compression"] = "gradients are compressed on the wire, at the codec's nominal ratio";
    object["compression"] = said.compression;
  }
  return object;
}

} // namespace

const std::array<FirstQuestion, 14>& first_questions() {
  using F = FirstScenario;
  static const std::array<FirstQuestion, 14> questions = {{
      {"--nodes", "N", "Number of machines", "16", "/platform/nodes", &F::nodes},
      {"--machine", "NAME|FILE",
       "A machine of the catalogue, such as dgx-a100, or a machine's file; it replaces the next four values", "",
       "/platform/machine", &F::machine},
      {"--gpus-per-node", "N", "GPUs of a machine", "8", "/platform/gpus_per_node", &F::gpus_per_node},
      {"--bandwidth", "RATE", "Bandwidth of a machine's NIC", "25Gbps", "/platform/network/link/bandwidth",
       &F::bandwidth},
      {"--latency", "TIME", "Latency of a link", "5us", "/platform/network/link/latency", &F::latency},
      {"--oversubscription", "RATIO",
       "Oversubscription of racks of four machines, such as 4 or 4:1; 1 means a single switch", "1",
       "/platform/network/racks/oversubscription", &F::oversubscription},
      {"--model", "NAME", "A model of the catalogue, such as bert-large", "bert-large", "/workload/model", &F::model},
      {"--parameters", "COUNT", "Number of parameters, such as 335M, instead of a model", "", "/workload/parameters",
       &F::parameters},
      {"--layers", "N", "Number of equal layers, with a number of parameters", "24", "/workload/layers", &F::layers},
      {"--step", "TIME", "Measured time of the forward and backward pass on one GPU, such as 450ms", "",
       "/workload/step", &F::step},
      {"--gpu", "NAME", "Type of the GPUs", "A100", "/workload/gpu", &F::gpu},
      {"--batch", "N", "Samples per GPU and step", "32", "/workload/batch", &F::batch},
      {"--algorithm", "NAME", "Algorithm that exchanges the gradients", "ring", "/training/exchange/algorithm",
       &F::algorithm},
      {"--compression", "CODEC", "Compression of gradients, such as fp16", "none", "/training/compression",
       &F::compression},
  }};
  return questions;
}

bool settled(const FirstQuestion& question, const FirstScenario& said) {
  using F = FirstScenario;
  const auto is = [&](std::string F::*member) { return question.answer == member; };
  if (is(&F::gpus_per_node) || is(&F::bandwidth) || is(&F::latency) || is(&F::oversubscription))
    return !said.machine.empty();
  if (is(&F::parameters)) return !said.model.empty();
  if (is(&F::model)) return !said.parameters.empty();
  if (is(&F::layers)) return said.parameters.empty();
  return is(&F::gpu) && (!said.step.empty() || !said.machine.empty());
}

namespace {

/// Absent: no machine is named, or an unknown one, which is reported when the JSON is read.
std::optional<NodeSpec> machine_of(const std::string& name) {
  if (name.empty()) return std::nullopt;
  try {
    return load_platform(name).node;
  } catch (const InputErrors&) {
    return std::nullopt;
  }
}

/// Returns "2" for "4:2" and "1.5" for "3:2", and other texts than a ratio of two numbers as they are.
std::string ratio(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return text;
  const Json above = value(text.substr(0, colon)), below = value(text.substr(colon + 1));
  if (!above.is_number() || !below.is_number() || below == 0) return text;
  return fmt::format("{}", above.get<double>() / below.get<double>());
}

/// "mine" for machines/mine.json.
std::string machine_name(const std::string& machine) {
  return names_file(machine) ? std::filesystem::path(machine).stem().string() : machine;
}

} // namespace

std::string without_effect(const FirstQuestion& question, const FirstScenario& said) {
  using F = FirstScenario;
  if ((said.*question.answer).empty() || !settled(question, said) || question.answer == &F::gpu) return {};
  if (question.answer == &F::layers) return "has no effect without --parameters";
  if (question.answer == &F::model || question.answer == &F::parameters)
    return "--model and --parameters exclude each other: leave one of them out";
  return fmt::format("has no effect with --machine {}: leave it out, and change the file instead", said.machine);
}

FirstScenario with_usual(FirstScenario said) {
  for (const FirstQuestion& question : first_questions())
    if ((said.*question.answer).empty() && !settled(question, said)) said.*question.answer = question.usual;
  const auto machine = machine_of(said.machine);
  if (said.gpu.empty() && said.step.empty())
    said.gpu = machine && !machine->gpu.name.empty() ? machine->gpu.name : "A100";
  if (said.group_size.empty()) said.group_size = machine ? std::to_string(machine->gpus) : said.gpus_per_node;
  said.oversubscription = ratio(said.oversubscription);
  return said;
}

std::string first_scenario_json(const FirstScenario& said) {
  Json object;
  object["//"] = "Keys that begin with // are comments. gradflight explain KEY describes all keys.";
  const std::string what = said.parameters.empty() ? said.model : said.parameters + " parameters";
  object["name"] = said.machine.empty() ? fmt::format("{} on {} x {} GPUs", what, said.nodes, said.gpus_per_node)
                                        : fmt::format("{} on {} x {}", what, said.nodes, machine_name(said.machine));
  object["platform"] = platform(said);
  object["workload"] = workload(said);
  object["training"] = training(said);
  return object.dump(2) + '\n';
}

} // namespace gradflight
