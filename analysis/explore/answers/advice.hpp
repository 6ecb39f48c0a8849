// What would help a scenario most, by simulating changes of it.
#pragma once

#include "analysis/explore/answers/steps.hpp"
#include "analysis/explore/answers/what_ifs.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct AdviceOptions {
  double budget = 30; ///< seconds of the clock; the scenario itself is simulated whatever it takes
  int jobs = 1;
  BatchProgress progress{}; ///< at first it is not known how many changes there are
};

/// A change that was simulated.
struct Tried {
  WhatIf what;
  TrainedStep step;
  double seconds = 0; ///< its TrainedStep::cost(), or its whole run (Advice::of_run)
  double gain = 0;    ///< 1 - this over the scenario's
};

struct Advice {
  std::string scenario; ///< its name
  TrainedStep step;
  bool of_run = false;      ///< its steps differ: the last one says little, and gains are of the whole run
  std::vector<Tried> tried; ///< those that keep the gradients as they are first, then best first
  int left_out = 0;         ///< changes for which the budget left no time, or whose simulation failed
  std::string failure{};    ///< why the scenario itself could not be simulated; empty: it was
};

/// Below this gain a change is said not to help.
inline constexpr double worth_saying = 0.005;

/// What gains are relative to, where that is not the last step: what a step costs with failures, or the whole run. Else
/// empty.
std::string basis_text(const Advice& advice);
/// "+12.3 %"; no minus before a zero.
std::string gain_text(double gain);

/// Throws InputErrors where the scenario cannot be read.
Advice advise(const ScenarioSource& source, const std::vector<std::string>& sets, const AdviceOptions& options);

std::string advice_json(const Advice& advice);
std::string advice_text(const Advice& advice);

} // namespace gradflight
