// The closed form of one exchange of a scenario on its platform: name, cost of a bucket, and assumptions.
#pragma once

#include "analysis/run/forms/closed_form.hpp"
#include "analysis/run/forms/closed_form_routes.hpp"
#include "models/forms/critical_path.hpp"
#include "models/schedules/parts/collective.hpp"
#include "sim/training/wire_weight.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gradflight {

/// The size of a bucket in a form.
struct Load {
  std::int64_t elements = 0;
  double ratio = 1;          ///< dense bytes over wire bytes of the largest block, on a compressed leg
  int width = element_bytes; ///< bytes of an element

  /// Returns its bytes over those of 4-byte elements, which forms of schedules count. A power of two, so it is exact.
  [[nodiscard]] double times_narrow() const { return 1.0 * width / element_bytes; }
};

/// The input of a form: one phase of a scenario on the platform.
struct PhaseLayout {
  PhaseLayout(const Scenario& scenario, const Phase& phase, const Platform& platform);

  const Scenario& scenario;
  const TrainingSpec& training;
  const Platform& platform;
  int workers;
  double elements; ///< of the whole model
  std::vector<Bucket> buckets;
  WireWeight weight;    ///< sizes of the buckets' blocks
  bool single_exchange; ///< one bucket, exchanged once: no later exchange depends on unequal ends

  [[nodiscard]] Load load(std::size_t bucket, int cuts) const;
  /// Returns the time of platform.message_bytes per message of any size; it is a part of alpha.
  [[nodiscard]] double beside_data(double seconds_per_byte) const;
  [[nodiscard]] int place(int worker) const;
  [[nodiscard]] int helper_place(int helper) const; ///< of a dedicated server or aggregator
};

/// A form of the exchange of one bucket.
struct ExchangeForm {
  std::string name, formula, source;
  /// Cost of a bucket's exchange, from the moment when all ranks are ready. Includes updates on servers, and the
  /// scenario's costs per message. Valid only while the layout exists.
  std::function<Moment(const Load&)> cost;
  /// The whole phase, if an iteration is more than passes and one exchange per bucket; then `cost` is empty.
  std::function<Moment()> run;
  std::vector<Assumption> assumptions;
  /// The form as printed in the paper, if no schedule meets it.
  std::function<Moment(const Load&)> printed;
  std::string printed_name, printed_source, printed_why;
  int cuts = 1; ///< number of blocks per bucket; each message is a block
};

/// `form` is empty if the exchange has no form; `why_none` then says "no closed form" with the reason.
struct ExchangeFormAnswer {
  std::optional<ExchangeForm> form;
  std::string why_none;
};
ExchangeFormAnswer exchange_form(const PhaseLayout& layout);

// The families of forms; each is in a separate file.
ExchangeForm steps_form(const PhaseLayout& layout, const StepsForm& recipe);
ExchangeForm hierarchical_form(const PhaseLayout& layout);
ExchangeFormAnswer parameter_server_form(const PhaseLayout& layout);
ExchangeForm sharded_form(const PhaseLayout& layout);
ExchangeFormAnswer call_form(const PhaseLayout& layout);

// Assumptions of several families.

Assumption links_alike(const RouteSurvey& survey, const std::string& which = "links");
Assumption links_exclusive(const RouteSurvey& survey, const std::string& which = "link");
/// For exchanges in which some ranks run ahead of others.
Assumption links_ordered(const RouteSurvey& survey);
/// Every bucket is a multiple of `divisor` elements, or is the only bucket of the run.
Assumption divisible(const PhaseLayout& layout, int divisor, const std::string& symbol, bool single_suffices);
/// If some tensors are not compressed: the sizes of blocks of a bucket divided by `cuts` do not change the form.
/// Returns nothing if the whole model is compressed equally.
std::vector<Assumption> blocks_weigh_alike(const PhaseLayout& layout, int cuts);
/// The same for forms with messages of several sizes: bytes of any part of a bucket are proportional to its elements.
std::vector<Assumption> weighs_in_proportion(const PhaseLayout& layout);
/// All places reduce at the same rate.
Assumption reducers_alike(const Platform& platform, std::span<const int> places);
/// For forms without the scenario's costs per message: adds a violated assumption for each.
void add_no_message_costs(ExchangeForm& form, const TrainingSpec& training);

/// Returns the seconds of the scenario's costs at a hook, for a vector (or the model) with these elements, tensors and
/// dense bytes.
Moment host_costs(const TrainingSpec& training, CostHook hook, double elements, double tensors, double bytes);
/// Returns the costs once per iteration, before its passes.
Moment iteration_costs(const PhaseLayout& layout);

/// Returns seconds per reduced byte on the slowest of the places.
double slowest_gamma(const PhaseLayout& layout, const std::vector<int>& places);
/// Returns the divisor of compute times on the slowest of the places.
double slowest_speed(const PhaseLayout& layout, const std::vector<int>& places);
/// Returns the places of all workers in rank order.
std::vector<int> worker_places(const PhaseLayout& layout);

/// Converts messages between participants to messages between their places.
std::vector<Messages> placed(std::vector<Messages> steps, const std::vector<int>& places);

} // namespace gradflight
