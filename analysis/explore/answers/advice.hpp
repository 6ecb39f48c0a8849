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
  double gain = 0; ///< 1 - its TrainedStep::cost() over the scenario's
};

struct Advice {
  std::string scenario; ///< its name
  TrainedStep step;
  std::vector<Tried> tried; ///< those that keep the gradients as they are first, then best first
  int left_out = 0;         ///< changes for which the budget left no time, or whose simulation failed
  std::string failure{};    ///< why the scenario itself could not be simulated; empty: it was
};

/// Below this gain a change is said not to help.
inline constexpr double worth_saying = 0.005;

/// What its steps cost with what failures take of the time; empty where nothing fails.
std::string goodput_text(const TrainedStep& step);

/// Throws InputErrors where the scenario cannot be read.
Advice advise(const ScenarioSource& source, const std::vector<std::string>& sets, const AdviceOptions& options);

std::string advice_json(const Advice& advice);
std::string advice_text(const Advice& advice);

} // namespace gradflight
