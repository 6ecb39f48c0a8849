// The form of sharded data parallelism: reduce-scatters, all-gathers and passes on two threads, step by step.
#include "analysis/run/forms/closed_form_exchange.hpp"
#include "scenarios/language/types/scenario.hpp"

#include "models/forms/form_sharded.hpp"
#include "models/schedules/algorithms/sharded.hpp"
#include "models/schedules/algorithms/shards.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// `times` rounds of simultaneous messages; each message has `blocks` blocks.
struct LegRound {
  double times = 0, blocks = 0;
  double alpha = 0, beta = 0; ///< beta: seconds per byte of each message, with all of them together
};

/// The links of the form: costs of each round, and assumptions about links.
class LinkRounds {
public:
  explicit LinkRounds(const PhaseLayout& layout) : layout_(layout), places_(worker_places(layout)) {}

  LegRound survey(const Messages& between_ranks) {
    RouteSurvey routes(layout_.platform);
    routes.add(placed({between_ranks}, places_).front());
    if (latencies_.empty()) latencies_ = routes.unlike_alpha();
    if (routes.empty()) return {};
    if (!routes.load().even && uneven_.empty()) uneven_ = routes.load().uneven;
    const double beta = routes.load().seconds_per_byte;
    return {1, 1, routes.alpha() + layout_.beside_data(beta), beta};
  }
  void assumptions(std::vector<Assumption>& into) const {
    into.push_back(
        assume(AssumptionId::latencies_alike, "latencies of a round's messages alike", latencies_.empty(), latencies_));
    into.push_back(assume(AssumptionId::links_even, "messages of a round share their links evenly and end together",
                          uneven_.empty(), uneven_));
  }

private:
  const PhaseLayout& layout_;
  std::vector<int> places_;
  std::string latencies_, uneven_; ///< the first messages that violate the assumptions
};

Messages in_all_groups(const Messages& among_members, const ShardGroups& groups) {
  Messages all;
  for (int g = 0; g < groups.groups; ++g)
    for (const auto& [from, to] : among_members) all.emplace_back(g * groups.members + from, g * groups.members + to);
  return all;
}

Messages across_groups(const Messages& among_groups, const ShardGroups& groups) {
  Messages all;
  for (const auto& [from, to] : among_groups)
    for (int m = 0; m < groups.members; ++m) all.emplace_back(from * groups.members + m, to * groups.members + m);
  return all;
}

/// Returns the rounds of a scatter or a gather in every group: on a ring, or with messages of 1, 2, 4, ... blocks.
std::vector<LegRound> group_rounds(LinkRounds& links, const Schedule& schedule, const ShardGroups& groups, bool ring,
                                   bool shrinking) {
  std::vector<LegRound> legs;
  std::vector<Messages> all = rounds(schedule);
  if (shrinking) std::ranges::reverse(all);
  int held = 1;
  for (const Messages& messages : all) {
    LegRound leg = links.survey(in_all_groups(messages, groups));
    leg.times = ring ? groups.members - 1 : 1;
    leg.blocks = ring ? 1 : std::min(held, groups.members - held);
    held *= 2;
    legs.push_back(leg);
  }
  return legs;
}

/// The costs of one bucket's legs.
struct BucketCosts {
  Moment scatter, gather;
};

class Costs {
public:
  Costs(const PhaseLayout& layout, ExchangeForm& form)
      : layout_(layout), x_(layout.training.exchange), groups_(x_.sharded, layout.workers),
        gamma_(slowest_gamma(layout, worker_places(layout))) {
    LinkRounds links(layout);
    const bool ring_down = x_.sharded.reduce_scatter == ReduceScatter::ring, ring_up = x_.all_gather == AllGather::ring;
    scatter_ = group_rounds(links, ReduceScatterBlocks(groups_.members, x_.sharded.reduce_scatter), groups_, ring_down,
                            !ring_down);
    gather_ = group_rounds(links, AllGatherBlocks(groups_.members, x_.all_gather), groups_, ring_up, false);
    int divisor = groups_.members;
    if (groups_.groups > 1) divisor *= survey_across(links, form.assumptions);
    links.assumptions(form.assumptions);
    form.assumptions.push_back(divisible(layout, divisor, groups_.groups > 1 ? "the shards' blocks" : "p", false));
    const bool whole_blocks = ring_down && ring_up && groups_.groups == 1;
    const auto alike = whole_blocks ? blocks_weigh_alike(layout, divisor) : weighs_in_proportion(layout);
    form.assumptions.insert(form.assumptions.end(), alike.begin(), alike.end());
  }

  [[nodiscard]] int members() const { return groups_.members; }
  [[nodiscard]] BucketCosts bucket_costs(std::size_t bucket) const {
    const TrainingSpec& training = layout_.training;
    const Load load = layout_.load(bucket, groups_.members);
    const double block = dense_bytes((load.elements + groups_.members - 1) / groups_.members, load.width);
    const double pushed = training.compression.encodes(false) ? load.ratio : 1;
    const double pulled = training.compression.encodes(true) ? load.ratio : 1;
    BucketCosts costs{leg(scatter_, block, pushed, gamma_), leg(gather_, block, pulled, 0)};
    if (across_ != nullptr) {
      const std::int64_t shard = (load.elements + groups_.members - 1) / groups_.members;
      costs.scatter =
          costs.scatter +
          across_->time({}, groups_.groups, shard,
                        LinkParameters{among_.alpha, among_.beta / pushed, gamma_}.with_bytes(load.times_narrow()));
    }
    const Bucket& of = layout_.buckets[bucket];
    const auto n = static_cast<double>(of.elements);
    costs.scatter = host_costs(training, CostHook::before_exchange, n, of.tensors, of.bytes()) + costs.scatter +
                    host_costs(training, CostHook::after_exchange, n, of.tensors, of.bytes());
    return costs;
  }

private:
  const PhaseLayout& layout_;
  const ExchangeSpec& x_;
  ShardGroups groups_;
  double gamma_;
  std::vector<LegRound> scatter_, gather_;
  const StepsForm* across_ = nullptr;
  LegRound among_; ///< of every round across groups

  /// Returns the number of parts into which the all-reduce across groups divides a shard.
  int survey_across(LinkRounds& links, std::vector<Assumption>& assumptions) {
    const Collective& row = collective(x_.top);
    across_ = std::get<const StepsForm*>(row.form);
    bool same = true, first = true;
    for (const Messages& messages : rounds(*row.among_masters(groups_.groups))) {
      const LegRound leg = links.survey(across_groups(messages, groups_));
      same = same && (first || (leg.alpha == among_.alpha && leg.beta == among_.beta));
      among_.alpha = std::max(among_.alpha, leg.alpha);
      among_.beta = std::max(among_.beta, leg.beta);
      first = false;
    }
    assumptions.push_back(assume(AssumptionId::links_alike, "links across groups alike in all rounds", same,
                                 "some rounds use slower links than others"));
    assumptions.push_back(assume(AssumptionId::power_of_two, "the number of groups is a power of two, or a ring's",
                                 across_->keeps_step || is_power_of_two(groups_.groups),
                                 fmt::format("{} groups: some ranks are done early", groups_.groups)));
    switch (across_->cut) {
    case Cut::whole: return 1;
    case Cut::blocks: return groups_.groups;
    case Cut::runs: return power_of_two_below(groups_.groups);
    }
    return 1;
  }
  static Moment leg(const std::vector<LegRound>& rounds, double block, double ratio, double gamma) {
    CollectiveCost sum;
    for (const LegRound& round : rounds) {
      const double bytes = round.blocks * block;
      sum += round.times * CollectiveCost{round.alpha, bytes / ratio * round.beta, bytes * gamma};
    }
    return Moment::exchanging(sum);
  }
};

/// A mini-batch as passes and tasks of one stream. Passes 0 .. L-1 are forward, and L .. 2L-1 backward.
struct RoundShape {
  std::vector<GatheredPass> passes;
  std::vector<StreamTask> tasks;
};

/// A task and the pass that needs it (none: -1), before sorting.
struct Planned {
  StreamTask task;
  std::ptrdiff_t needed_by = -1;
};

class Steps {
public:
  Steps(const PhaseLayout& layout, const std::vector<BucketCosts>& costs, int members)
      : layout_(layout), x_(layout.training.exchange), costs_(costs),
        slowness_(1 / slowest_speed(layout, worker_places(layout))), layers_(layout.scenario.workload.layers.size()) {
    update_ = Moment::computing(layout.scenario.workload.update * slowness_ / members);
    for (const BucketCosts& cost : costs_) gathered_ = gathered_ + cost.gather;
  }

  [[nodiscard]] Moment run() const {
    const auto iterations = static_cast<double>(layout_.training.iterations);
    if (x_.sharded.stage == 3) return iterations * iteration(false);
    if (x_.pull_at == PullAt::once) return iterations * (iteration(false) + gathered_);
    // Each iteration except the first begins with the gathers of the previous one; the gathers of the last follow it.
    return iteration(false) + (iterations - 1) * iteration(true) + gathered_;
  }

private:
  const PhaseLayout& layout_;
  const ExchangeSpec& x_;
  const std::vector<BucketCosts>& costs_;
  double slowness_;
  std::size_t layers_;
  Moment update_, gathered_;

  /// Returns the time from the first pass (or host cost) to the update of the shard.
  [[nodiscard]] Moment iteration(bool gathers_updated) const {
    const int rounds = layout_.training.accumulation;
    const bool once = x_.sharded.stage == 1 || x_.sharded.no_sync;
    const Moment before = iteration_costs(layout_);
    // Gathers of updated parameters do not wait for the host costs of the iteration.
    SideBySide at{before, gathers_updated ? Moment{} : before};
    const RoundShape middle = shape(!once, false), end = shape(true, false);
    for (int r = 0; r < rounds; ++r) {
      const bool last = r + 1 == rounds;
      const RoundShape first_of_all = gathers_updated && r == 0 ? shape(last || !once, true) : RoundShape{};
      const RoundShape& round = gathers_updated && r == 0 ? first_of_all : last ? end : middle;
      at = side_by_side(at, round.passes, round.tasks);
      if (layout_.training.overlap.kind == OverlapKind::none) at.passes = later(at.passes, at.tasks);
    }
    return later(at.passes, at.tasks) + update_;
  }

  [[nodiscard]] RoundShape shape(bool scatters, bool gathers_updated) const {
    std::vector<Planned> planned;
    if (x_.sharded.stage == 3) plan_gathers(planned);
    if (gathers_updated)
      for (const std::size_t b : forward_order())
        planned.push_back({{no_pass, costs_[b].gather}, layout_.buckets[b].first_use});
    const std::size_t gathers = planned.size();
    for (std::size_t b = 0; scatters && b < costs_.size(); ++b) {
      const bool early = layout_.training.overlap.kind != OverlapKind::none;
      const auto ready = early ? static_cast<std::size_t>(layout_.buckets[b].ready_layer) : 0;
      planned.push_back({{2 * layers_ - ready, costs_[b].scatter}, -1});
    }
    std::inplace_merge(
        planned.begin(), planned.begin() + static_cast<std::ptrdiff_t>(gathers), planned.end(),
        [](const Planned& a, const Planned& b) { return a.task.after + 1 < b.task.after + 1; }); // no_pass first
    RoundShape round{passes(), {}};
    for (const Planned& one : planned) {
      round.tasks.push_back(one.task);
      if (one.needed_by >= 0) round.passes[static_cast<std::size_t>(one.needed_by)].needs = round.tasks.size();
    }
    return round;
  }

  [[nodiscard]] std::vector<GatheredPass> passes() const {
    const std::vector<Layer>& layers = layout_.scenario.workload.layers;
    std::vector<GatheredPass> all;
    for (const Layer& layer : layers) all.push_back({Moment::computing(layer.forward * slowness_), 0});
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
      all.push_back({Moment::computing(layer->backward * slowness_), 0});
    return all;
  }

  /// Returns buckets in the order of the forward pass: from the last bucket to become ready to the first.
  [[nodiscard]] std::vector<std::size_t> forward_order() const {
    std::vector<std::size_t> order;
    for (std::size_t b = layout_.buckets.size(); b-- > 0;) order.push_back(b);
    return order;
  }

  /// Parameters arrive `prefetch` vectors before the pass that needs them, in order, after their last use.
  void plan_gathers(std::vector<Planned>& planned) const {
    struct Use {
      std::size_t bucket, begins, free_after;
    };
    std::vector<Use> uses;
    for (const std::size_t b : forward_order())
      uses.push_back({b, static_cast<std::size_t>(layout_.buckets[b].first_use), 0});
    if (x_.sharded.reshard_after_forward)
      for (std::size_t b = 0; b < layout_.buckets.size(); ++b) {
        const auto last = static_cast<std::size_t>(layout_.buckets[b].last_use);
        uses.push_back({b, 2 * layers_ - 1 - last, last + 1});
      }
    std::size_t after = 0;
    for (std::size_t k = 0; k < uses.size(); ++k) {
      const std::size_t ahead = std::min(k, static_cast<std::size_t>(x_.sharded.prefetch));
      after = std::max({after, uses[k - ahead].begins, uses[k].free_after});
      planned.push_back({{after, costs_[uses[k].bucket].gather}, static_cast<std::ptrdiff_t>(uses[k].begins)});
    }
  }
};

std::string formula(const ShardedSpec& sharded) {
  const std::string legs = "; RS = k alpha + ((p-1)/p) n (beta + gamma), AG without gamma, k = p-1 round a ring, else "
                           "ceil(lg p)";
  if (sharded.stage == 3)
    return "pass_k begins at max(pass_(k-1), its AG), stream task j at max(task_(j-1), the pass it awaits), iteration "
           "= "
           "max(passes, tasks) + update/p" +
           legs;
  return "max(passes, RS) + update/p + AG" + legs;
}

} // namespace

ExchangeForm sharded_form(const PhaseLayout& layout) {
  const TrainingSpec& training = layout.training;
  ExchangeForm form;
  form.name = fmt::format("zero{}", training.exchange.sharded.stage);
  form.formula = formula(training.exchange.sharded);
  form.source = "Rajbhandari et al. 2020 (ZeRO); Zhao et al. 2023 (FSDP); Thakur et al. 2005";
  form.assumptions.push_back(reducers_alike(layout.platform, worker_places(layout)));
  const Costs legs(layout, form);
  add_no_message_costs(form, training);
  if (training.compression.placement)
    form.assumptions.push_back({AssumptionId::no_codec_time, "no codec takes time", false,
                                "the form has a codec's bytes, but neither its time nor a NIC's packets"});
  std::vector<BucketCosts> costs;
  for (std::size_t b = 0; b < layout.buckets.size(); ++b) costs.push_back(legs.bucket_costs(b));
  form.run = [&layout, costs = std::move(costs), members = legs.members()] {
    return Steps(layout, costs, members).run();
  };
  return form;
}

} // namespace gradflight
