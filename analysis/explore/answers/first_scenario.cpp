#include "analysis/explore/answers/first_scenario.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
  object["// nodes"] = "machines; their GPUs are the ranks";
  object["nodes"] = value(said.nodes);
  if (!said.machine.empty()) {
    object["// machine"] = "of the catalogue (gradflight explain platform lists it); keys beside it change it";
    object["machine"] = said.machine;
    return object;
  }
  object["gpus_per_node"] = value(said.gpus_per_node);
  if (said.gpus_per_node != "1") {
    object["// intra_node"] = "how the GPUs of a machine reach each other";
    object["intra_node"] = {{"kind", "nvlink"}, {"link", {{"bandwidth", "300GB/s"}, {"latency", "2us"}}}};
  }
  Json network;
  const bool racks = said.oversubscription != "1";
  network["topology"] = racks ? "racks" : "star";
  if (racks) {
    network["// racks"] = "the uplinks of a rack carry its NICs' bandwidth over the oversubscription";
    network["racks"] = {{"nodes_per_rack", 4}, {"oversubscription", value(said.oversubscription)}};
  }
  network["// link"] = "of each machine's NIC: bandwidth, and latency a link (two on the way through one switch)";
  network["link"] = {{"bandwidth", said.bandwidth}, {"latency", said.latency}};
  object["network"] = std::move(network);
  return object;
}

Json workload(const FirstScenario& said) {
  Json object;
  if (!said.parameters.empty()) {
    object["// parameters"] = "all layers alike; a model of the catalogue has its real tensors: \"model\"";
    object["parameters"] = value(said.parameters);
    object["layers"] = value(said.layers);
  } else {
    object["// model"] = "of the catalogue (a wrong name lists all); or \"parameters\", \"layers\" and \"step\"";
    object["model"] = said.model;
  }
  if (!said.step.empty()) {
    object["// step"] = "forward and backward pass of one GPU at this batch, as measured";
    object["step"] = said.step;
  } else {
    object["// gpu"] = "its peak and 40 % utilisation tell the times; a measured \"step\" is better";
  }
  if (!said.gpu.empty()) object["gpu"] = said.gpu;
  object["batch"] = value(said.batch);
  return object;
}

Json training(const FirstScenario& said) {
  Json object;
  object["// exchange"] = "gradflight explain training.exchange.algorithm lists them";
  object["exchange"] = {{"algorithm", said.algorithm}};
  object["// granularity"] =
      "gradients in buckets as PyTorch's DistributedDataParallel makes them, sent while layers compute";
  object["granularity"] = {{"ddp_bucket", "25MiB"}};
  object["overlap"] = "layerwise";
  if (!said.compression.empty() && said.compression != "none") {
    object["// compression"] = "of gradients on the wire, at the codec's nominal ratio";
    object["compression"] = said.compression;
  }
  return object;
}

} // namespace

const std::array<FirstQuestion, 14>& first_questions() {
  using F = FirstScenario;
  static const std::array<FirstQuestion, 14> questions = {{
      {"--nodes", "N", "How many machines", "16", "/platform/nodes", &F::nodes},
      {"--machine", "NAME", "A machine of the catalogue, such as dgx-a100 (none: as told below)", "",
       "/platform/machine", &F::machine},
      {"--gpus-per-node", "N", "How many GPUs in each", "8", "/platform/gpus_per_node", &F::gpus_per_node},
      {"--bandwidth", "RATE", "How fast is a machine's NIC", "25Gbps", "/platform/network/link/bandwidth",
       &F::bandwidth},
      {"--latency", "TIME", "Latency of a link", "5us", "/platform/network/link/latency", &F::latency},
      {"--oversubscription", "RATIO", "Oversubscription of racks of four machines (1: one switch)", "1",
       "/platform/network/racks/oversubscription", &F::oversubscription},
      {"--model", "NAME", "Which model", "bert-large", "/workload/model", &F::model},
      {"--parameters", "COUNT", "Parameters, in place of a model's name", "", "/workload/parameters", &F::parameters},
      {"--layers", "N", "Layers of as many parameters each", "24", "/workload/layers", &F::layers},
      {"--step", "TIME", "Forward and backward pass of one GPU, if measured", "", "/workload/step", &F::step},
      {"--gpu", "NAME", "Which GPU", "A100", "/workload/gpu", &F::gpu},
      {"--batch", "N", "Samples a GPU and step", "32", "/workload/batch", &F::batch},
      {"--algorithm", "NAME", "How gradients are exchanged", "ring", "/training/exchange/algorithm", &F::algorithm},
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
  return is(&F::gpu) && !said.step.empty();
}

FirstScenario with_usual(FirstScenario said) {
  for (const FirstQuestion& question : first_questions())
    if ((said.*question.answer).empty() && !settled(question, said)) said.*question.answer = question.usual;
  return said;
}

std::string first_scenario_json(const FirstScenario& said) {
  Json object;
  object["//"] = "Keys that begin with // are comments. gradflight explain KEY describes all keys.";
  const std::string what = said.parameters.empty() ? said.model : said.parameters + " parameters";
  object["name"] = said.machine.empty() ? fmt::format("{} on {} x {} GPUs", what, said.nodes, said.gpus_per_node)
                                        : fmt::format("{} on {} x {}", what, said.nodes, said.machine);
  object["platform"] = platform(said);
  object["workload"] = workload(said);
  object["training"] = training(said);
  return object.dump(2) + '\n';
}

} // namespace gradflight
