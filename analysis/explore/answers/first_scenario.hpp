// A scenario to begin with, from a few answers: its JSON, with comments (keys that begin with //).
#pragma once

#include <array>
#include <string>

namespace gradflight {

/// What is asked, as written; empty: not said. Whether a value can be is for the language to tell when the text is
/// read.
struct FirstScenario {
  std::string nodes, machine, gpus_per_node, bandwidth, latency, oversubscription;
  std::string model, parameters, layers, gpu, step, batch;
  std::string algorithm, compression;
};

struct FirstQuestion {
  const char* option; ///< "--nodes"
  const char* type;   ///< "N"
  const char* asks;   ///< "How many machines"
  const char* usual;  ///< where nothing is said; "": nothing
  const char* key;    ///< JSON pointer of what the answer becomes
  std::string FirstScenario::*answer;
};
/// In the order in which they are asked.
const std::array<FirstQuestion, 14>& first_questions();

/// Whether a question makes no sense beside what was said already: a machine of the catalogue brings its GPUs and NICs.
bool settled(const FirstQuestion& question, const FirstScenario& said);

/// Fills in what is usual, but for what is settled.
FirstScenario with_usual(FirstScenario said);

/// `said`: with_usual().
std::string first_scenario_json(const FirstScenario& said);

} // namespace gradflight
