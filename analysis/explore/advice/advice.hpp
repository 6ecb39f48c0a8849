// Finds what would help a scenario most, by simulating changes of it.
#pragma once

#include "analysis/explore/advice/what_ifs.hpp"
#include "analysis/explore/steps/steps.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace gradflight {

struct AdviceOptions {
  double budget = 30; ///< seconds of the clock; the scenario itself is always simulated
  int jobs = 1;
  BatchProgress progress{}; ///< the number of changes is unknown at first
};

/// A change that was simulated.
struct Tried {
  WhatIf what;
  TrainedStep step;
  double seconds = 0; ///< Advice::seconds()
  double gain = 0;    ///< 1 - its seconds over the scenario's
};

struct Advice {
  std::string scenario; ///< name of the scenario
  TrainedStep step;
  bool of_run = false;               ///< its steps, or those of a change, may differ: gains are of the whole run
  std::vector<Tried> tried;          ///< changes that keep the gradients exact first, then best first
  int left_out = 0;                  ///< changes without time left in the budget, or ended from outside
  std::vector<std::string> failed{}; ///< "NICs x 2: why", of changes of which the simulation failed
  std::string failure{};             ///< why the scenario itself could not be simulated; empty if it was

  /// Whether gains compare times of whole runs.
  [[nodiscard]] bool of_whole_runs() const { return of_run && !step.own_pace; }
  /// Returns what gains compare: the cost of a step. If gains are of the run, it is the run's time; if also the
  /// scenario's workers do not wait for each other, it is the mean of a step over the run, because the run ends with
  /// the slowest worker.
  [[nodiscard]] double seconds(const TrainedStep& of) const;
};

/// A change with less gain does not help.
inline constexpr double worth_saying = 0.005;

/// Whether a change replaces calls of NCCL or RCCL by messages without their launches, hops and protocols.
bool leaves_library(const Advice& advice, const Tried& tried);
/// Returns a sentence about such changes, if any helps. Else empty.
std::string other_library_text(const Advice& advice);

/// Returns a sentence about changes whose simulation failed; empty: none did.
std::string failed_text(const Advice& advice);
/// Returns the basis of gains, if it is not the last step: a step's cost with failures, or the whole run. Else empty.
std::string basis_text(const Advice& advice);
/// "+12.3 %"; no minus before a zero.
std::string gain_text(double gain);

/// Throws InputErrors if the scenario cannot be read.
Advice advise(const ScenarioSource& source, const std::vector<std::string>& sets, const AdviceOptions& options);

/// Whether a change gains hardly more than a part of it that was tried, too: than one of several kinds of links.
bool gains_by_a_part_alone(const Advice& advice, const Tried& whole);
/// Returns the changes that help, best first, of the wanted kinds and fidelities; of two that gain the same, not the
/// one that changes more.
std::vector<const Tried*> worth_showing(const Advice& advice, const std::vector<WhatIfKind>& kinds,
                                        std::initializer_list<Fidelity> fidelities);

std::string advice_json(const Advice& advice);
std::string advice_text(const Advice& advice);

} // namespace gradflight
