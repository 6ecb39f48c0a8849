// The closed form of one exchange of a scenario on its platform: name, cost of a bucket, and what it assumes.
#pragma once

#include "analysis/run/forms/closed_form.hpp"
#include "analysis/run/forms/closed_form_routes.hpp"
#include "models/forms/critical_path.hpp"
#include "models/schedules/parts/collective.hpp"
#include "sim/training/wire_weight.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// What a form counts of a bucket.
struct Load {
  std::int64_t elements = 0;
  double ratio = 1;          ///< dense bytes over wire bytes of its heaviest block, on a compressed leg
  int width = element_bytes; ///< bytes of an element

  /// Its bytes over those of 4-byte elements, which forms of schedules count. A power of two: exact.
  [[nodiscard]] double times_narrow() const { return 1.0 * width / element_bytes; }
};

/// What a form is derived from: one phase of a scenario laid out on the platform.
struct PhaseLayout {
  PhaseLayout(const Scenario& scenario, const Phase& phase, const Platform& platform);

  const Scenario& scenario;
  const TrainingSpec& training;
  const Platform& platform;
  int workers;
  double elements; ///< of the whole model
  std::vector<Bucket> buckets;
  WireWeight weight;    ///< of the buckets' blocks
  bool single_exchange; ///< one bucket, exchanged once: nothing follows that unequal ends could disturb

  [[nodiscard]] Load load(std::size_t bucket, int cuts) const;
  /// What platform.message_bytes cost a message, whatever its size: a part of its alpha.
  [[nodiscard]] double beside_data(double seconds_per_byte) const;
  [[nodiscard]] int place(int worker) const;
  [[nodiscard]] int helper_place(int helper) const; ///< of a dedicated server or aggregator
};

/// The exchange of one bucket as a form has it.
struct ExchangeForm {
  std::string name, formula, source;
  /// Exchange of a bucket, from the moment when all ranks are ready: update on servers included,
  /// the scenario's per-message costs included. Not to be called once the layout is gone.
  std::function<Moment(const Load&)> cost;
  /// The whole phase, where an iteration is more than passes and one exchange of each bucket; then there is no `cost`.
  std::function<Moment()> run;
  std::vector<Assumption> assumptions;
  /// As the paper prints it, where that is met by no schedule.
  std::function<Moment(const Load&)> printed;
  std::string printed_name, printed_source, printed_why;
  int cuts = 1; ///< messages are blocks of a bucket cut in so many
};

/// Empty where the exchange has no form; `why_none` then says "no closed form", and why.
struct ExchangeFormAnswer {
  std::optional<ExchangeForm> form;
  std::string why_none;
};
ExchangeFormAnswer exchange_form(const PhaseLayout& layout);

// The families; each in a file of its own.
ExchangeForm steps_form(const PhaseLayout& layout, const StepsForm& recipe);
ExchangeForm hierarchical_form(const PhaseLayout& layout);
ExchangeFormAnswer parameter_server_form(const PhaseLayout& layout);
ExchangeForm sharded_form(const PhaseLayout& layout);
ExchangeFormAnswer call_form(const PhaseLayout& layout);

// Assumptions that several families share.

Assumption links_alike(const RouteSurvey& survey, const std::string& which = "links");
Assumption links_exclusive(const RouteSurvey& survey, const std::string& which = "link");
/// For exchanges in which some ranks run ahead of others.
Assumption links_ordered(const RouteSurvey& survey);
/// Every bucket is a multiple of `divisor` elements, or it is the run's only one.
Assumption divisible(const PhaseLayout& layout, int divisor, const std::string& symbol, bool single_suffices);
/// With tensors left out of the compression: what blocks of a bucket cut in `cuts` weigh does not disturb the form.
/// Nothing where all of the model is compressed alike.
std::vector<Assumption> blocks_weigh_alike(const PhaseLayout& layout, int cuts);
/// The same for forms with messages of several sizes: any part of a bucket weighs in proportion to its elements.
std::vector<Assumption> weighs_in_proportion(const PhaseLayout& layout);
/// The places reduce equally fast.
Assumption reducers_alike(const PhaseLayout& layout, const std::vector<int>& places);

/// Seconds of the scenario's costs at a hook, for a vector (or the model) of so many elements, tensors and dense bytes.
Moment host_costs(const TrainingSpec& training, CostHook hook, double elements, double tensors, double bytes);
/// Once an iteration, before its passes.
Moment iteration_costs(const PhaseLayout& layout);

/// Seconds a reduced byte on the slowest of the places.
double slowest_gamma(const PhaseLayout& layout, const std::vector<int>& places);
/// What compute times are divided by on the slowest of the places.
double slowest_speed(const PhaseLayout& layout, const std::vector<int>& places);
/// Places of all workers, in rank order.
std::vector<int> worker_places(const PhaseLayout& layout);

/// The messages of participants as those of their places.
std::vector<Messages> placed(std::vector<Messages> steps, const std::vector<int>& places);

} // namespace gradflight
