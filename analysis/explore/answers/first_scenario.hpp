// A first scenario from a few answers: its JSON, with comments (keys that begin with //).
#pragma once

#include <array>
#include <string>

namespace gradflight {

/// The answers as written; empty: not given. Invalid values are reported when the JSON is read.
struct FirstScenario {
  std::string nodes, machine, gpus_per_node, bandwidth, latency, oversubscription;
  std::string model, parameters, layers, gpu, step, batch;
  std::string algorithm, compression;
  std::string group_size{}; ///< no answer: the GPUs of a machine, by with_usual()
};

struct FirstQuestion {
  const char* option; ///< "--nodes"
  const char* type;   ///< "N"
  const char* asks;   ///< "Number of machines"
  const char* usual;  ///< default answer; "": none
  const char* key;    ///< JSON pointer that the answer sets
  std::string FirstScenario::*answer;
};
/// In the order of the questions.
const std::array<FirstQuestion, 14>& first_questions();

/// Whether earlier answers settle a question: a machine determines its GPUs and NICs.
bool settled(const FirstQuestion& question, const FirstScenario& said);

/// Returns why an answer has no effect: earlier answers settle its question. Empty if it has an effect or is not given.
std::string without_effect(const FirstQuestion& question, const FirstScenario& said);

/// Fills in default answers, except for settled questions, and turns an oversubscription of "4:2" into "2".
FirstScenario with_usual(FirstScenario said);

/// `said` must come from with_usual().
std::string first_scenario_json(const FirstScenario& said);

} // namespace gradflight
