// The form of a hierarchy: each level's way up, the top among the last masters, each level's way down; every phase on
// the links that it uses.
#include "analysis/forms/closed_form_exchange.hpp"

#include "models/forms/form_collectives.hpp"
#include "models/forms/form_hierarchical.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

double bytes_of(std::int64_t elements) { return static_cast<double>(elements) * element_bytes; }

/// Members of one level and their masters, as places; group i has members i*size .. (i+1)*size-1.
struct LevelLayout {
  HierarchyLevel spec;
  std::vector<int> members, masters;
  int size = 1;          ///< k, of a full group
  bool informed = false; ///< its all-reduce gave every rank the result: no broadcast

  [[nodiscard]] int partners() const { return spec.dedicated ? size : size - 1; }
  [[nodiscard]] int tree_nodes() const { return spec.dedicated ? size + 1 : size; }
  [[nodiscard]] bool reduces_by_ring() const {
    return spec.reduce == GroupReduce::ring || spec.reduce == GroupReduce::allreduce;
  }

  /// Places of a group's tree, its master first.
  [[nodiscard]] std::vector<int> tree(std::size_t group) const {
    const auto first = members.begin() + static_cast<std::ptrdiff_t>(group) * size;
    const auto count = std::min<std::ptrdiff_t>(size, members.end() - first);
    std::vector<int> nodes(first, first + count);
    if (spec.dedicated) nodes.insert(nodes.begin(), masters[group]);
    return nodes;
  }
  /// Steps of all groups at once, given those of one with node numbers as in tree().
  [[nodiscard]] Messages everywhere(const Messages& step) const {
    Messages all;
    for (std::size_t group = 0; group < masters.size(); ++group) {
      const std::vector<int> nodes = tree(group);
      for (const auto& [from, to] : step) {
        const auto f = static_cast<std::size_t>(from), t = static_cast<std::size_t>(to);
        if (f < nodes.size() && t < nodes.size()) all.emplace_back(nodes[f], nodes[t]);
      }
    }
    return all;
  }
};

std::vector<LevelLayout> lay_out(const PhaseLayout& layout, std::vector<int>& masters) {
  std::vector<LevelLayout> levels;
  masters = worker_places(layout);
  int helpers = 0;
  for (const HierarchyLevel& spec : layout.training.exchange.levels) {
    LevelLayout level{spec, masters, {}, std::min(spec.group_size, static_cast<int>(masters.size())), false};
    for (std::size_t i = 0; i < level.members.size(); i += static_cast<std::size_t>(level.size))
      level.masters.push_back(spec.dedicated ? layout.helper_place(helpers++) : level.members[i]);
    level.informed = level.masters.size() == 1 && spec.reduce == GroupReduce::allreduce && !spec.dedicated;
    masters = level.masters;
    levels.push_back(std::move(level));
  }
  return levels;
}

/// All partners of every master at once, or back.
Messages with_master(const LevelLayout& level, bool upward) {
  Messages step;
  for (int node = 1; node < level.tree_nodes(); ++node)
    step.push_back(upward ? std::pair(node, 0) : std::pair(0, node));
  return level.everywhere(step);
}

/// The ring among the members of every group.
Messages member_ring(const LevelLayout& level) {
  Messages step;
  const int first = level.spec.dedicated ? 1 : 0;
  for (int i = 0; i < level.size && level.size > 1; ++i) step.emplace_back(first + i, first + (i + 1) % level.size);
  return level.everywhere(step);
}

/// A form under construction: costs add up, assumptions gather.
class Builder {
public:
  Builder(const PhaseLayout& layout, ExchangeForm& form, double gamma)
      : layout_(layout), form_(form), gamma_(gamma), all_(layout.platform) {}

  using Phase = std::function<Moment(std::int64_t)>;
  std::vector<Phase> phases;

  /// Every step's messages have links of their own; returns what they cost.
  LinkParameters exclusive(const std::vector<Messages>& steps, const std::string& where) {
    RouteSurvey survey(layout_.platform);
    for (const Messages& step : steps) {
      survey.add(step);
      all_.add(step);
    }
    form_.assumptions.push_back(links_alike(survey, "links of " + where));
    form_.assumptions.push_back(links_exclusive(survey, "link of " + where));
    return {survey.alpha(), survey.beta(), gamma_};
  }
  /// Many messages to or from one place: alpha, and seconds a byte of one message.
  LinkParameters together(const Messages& step, const std::string& where) {
    RouteSurvey survey(layout_.platform);
    survey.add(step);
    form_.assumptions.push_back(assume(AssumptionId::latencies_alike, "latencies of " + where + " alike",
                                       survey.unlike_alpha().empty(), survey.unlike_alpha()));
    form_.assumptions.push_back(assume(AssumptionId::links_even,
                                       "messages of " + where + " share their links evenly and end together",
                                       survey.load().even, survey.load().uneven));
    return {survey.alpha(), survey.load().seconds_per_byte, gamma_};
  }
  void needs_divisor(int divisor, const char* symbol) {
    if (divisor > 1) form_.assumptions.push_back(divisible(layout_, divisor, symbol, false));
  }
  /// A tree or fold over `nodes` ranks: unless a power of two, some run ahead.
  void tree_over(int nodes) { in_step_ = in_step_ && is_power_of_two(nodes); }
  void finish() {
    if (!in_step_) form_.assumptions.push_back(links_ordered(all_));
  }
  /// Messages to a master are sent as soon as they can be, so members that leave early change who shares its link.
  void leaves_together(int nodes, const std::string& where) {
    const std::vector<HierarchyLevel>& levels = layout_.training.exchange.levels;
    const bool gathers =
        std::any_of(levels.begin(), levels.end(), [](const auto& l) { return l.reduce == GroupReduce::flat; });
    if (gathers && !layout_.single_exchange)
      form_.assumptions.push_back(assume(AssumptionId::power_of_two, where + " spans a power of two",
                                         is_power_of_two(nodes),
                                         fmt::format("{} nodes: some are done early and go on", nodes)));
  }

private:
  const PhaseLayout& layout_;
  ExchangeForm& form_;
  double gamma_;
  RouteSurvey all_; ///< of every phase
  bool in_step_ = true;
};

std::int64_t block_of(std::int64_t elements, int k) { return (elements + k - 1) / k; }

void add_up(Builder& build, const LevelLayout& level, int number) {
  const std::string where = fmt::format("level {} up", number);
  const int k = level.size;
  if (level.spec.reduce == GroupReduce::binomial) {
    std::vector<Messages> steps;
    for (const Messages& round : tree_rounds(level.tree_nodes(), true)) steps.push_back(level.everywhere(round));
    const LinkParameters link = build.exclusive(steps, where);
    build.tree_over(level.tree_nodes());
    build.phases.push_back([=, nodes = level.tree_nodes(), first = level.spec.dedicated](std::int64_t n) {
      return Moment::exchanging(first ? reduce_binomial_to_aggregator(nodes, bytes_of(n), link)
                                      : reduce_binomial(nodes, bytes_of(n), link));
    });
    return;
  }
  if (level.reduces_by_ring() && k > 1) {
    const LinkParameters ring = build.exclusive({member_ring(level)}, where + "'s ring");
    const bool all = level.spec.reduce == GroupReduce::allreduce;
    build.needs_divisor(k, "the group size");
    build.phases.push_back([=](std::int64_t n) {
      const double block = bytes_of(block_of(n, k));
      return Moment::exchanging(all ? allreduce_ring_blocks(k, block, ring)
                                    : cost_of(ring, k - 1, (k - 1) * block, (k - 1) * block));
    });
  }
  const bool whole = level.spec.reduce == GroupReduce::flat;
  if (level.partners() == 0 || (level.spec.reduce == GroupReduce::allreduce && !level.spec.dedicated)) return;
  const LinkParameters link = build.together(with_master(level, true), where);
  build.phases.push_back([=](std::int64_t n) {
    const double bytes = bytes_of(whole ? n : block_of(n, k));
    return Moment::exchanging(cost_of(link, 1, bytes, whole ? (k - 1) * bytes : 0));
  });
}

void add_down(Builder& build, const LevelLayout& level, int number) {
  const std::string where = fmt::format("level {} down", number);
  const int k = level.size;
  if (level.informed || level.partners() == 0) return;
  if (level.spec.broadcast == GroupBroadcast::binomial) {
    std::vector<Messages> steps;
    for (const Messages& round : tree_rounds(level.tree_nodes(), false)) steps.push_back(level.everywhere(round));
    const LinkParameters link = build.exclusive(steps, where);
    build.tree_over(level.tree_nodes());
    build.leaves_together(level.tree_nodes(), where);
    build.phases.push_back([=, nodes = level.tree_nodes()](std::int64_t n) {
      return Moment::exchanging(broadcast_binomial(nodes, bytes_of(n), link));
    });
    return;
  }
  const bool scatter = level.spec.broadcast == GroupBroadcast::ring;
  const LinkParameters link = build.together(with_master(level, false), where);
  build.phases.push_back(
      [=](std::int64_t n) { return Moment::exchanging(cost_of(link, 1, bytes_of(scatter ? block_of(n, k) : n), 0)); });
  if (!scatter || k == 1) return;
  const LinkParameters ring = build.exclusive({member_ring(level)}, where + "'s ring");
  build.needs_divisor(k, "the group size");
  build.phases.push_back(
      [=](std::int64_t n) { return Moment::exchanging(cost_of(ring, k - 1, (k - 1) * bytes_of(block_of(n, k)), 0)); });
}

void add_top(Builder& build, Algorithm top, const std::vector<int>& masters) {
  const int m = static_cast<int>(masters.size());
  if (m == 1) return;
  if (top == Algorithm::parameter_server) {
    LevelLayout all{{m, GroupReduce::flat, GroupBroadcast::flat, false}, masters, {masters.front()}, m, false};
    const LinkParameters up = build.together(with_master(all, true), "the top's gather");
    const LinkParameters down = build.together(with_master(all, false), "the top's send-back");
    build.phases.push_back([=](std::int64_t n) {
      return Moment::exchanging(cost_of(up, 1, bytes_of(n), (m - 1) * bytes_of(n)) + cost_of(down, 1, bytes_of(n), 0));
    });
    return;
  }
  std::vector<Messages> steps = allreduce_steps(top, m);
  for (Messages& step : steps)
    for (auto& [from, to] : step) {
      from = masters[static_cast<std::size_t>(from)];
      to = masters[static_cast<std::size_t>(to)];
    }
  const LinkParameters link = build.exclusive(steps, "the top");
  if (top != Algorithm::ring) build.tree_over(m);
  if (top == Algorithm::ring) build.needs_divisor(m, "the number of masters");
  if (top == Algorithm::halving_doubling) build.needs_divisor(power_of_two_below(m), "the masters' power of two");
  build.phases.push_back([=](std::int64_t n) { return allreduce_cost(top, m, n, link); });
}

} // namespace

ExchangeForm hierarchical_form(const PhaseLayout& layout) {
  const ExchangeSpec& x = layout.training.exchange;
  std::vector<int> masters;
  const std::vector<LevelLayout> levels = lay_out(layout, masters);
  std::vector<int> reducers = worker_places(layout);
  bool equal = true;
  std::string unequal;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (levels[l].spec.dedicated) reducers.insert(reducers.end(), levels[l].masters.begin(), levels[l].masters.end());
    const std::size_t members = levels[l].members.size();
    if (members % static_cast<std::size_t>(levels[l].size) == 0 || !equal) continue;
    equal = false;
    unequal = fmt::format("level {} cuts {} members into groups of {}", l, members, levels[l].size);
  }

  ExchangeForm form;
  form.name = "hierarchical_allreduce";
  form.formula = "sum over levels of the way up, all-reduce of the last masters, sum over levels of the way down";
  form.source = "GradientFlow Sec. 2.4, Fig. 7 (b); INCEPTIONN Fig. 1; Thakur et al. 2005";
  form.assumptions.push_back(assume(AssumptionId::groups_equal, "groups of a level are equal", equal, unequal));
  form.assumptions.push_back(reducers_alike(layout, reducers));
  Builder build(layout, form, slowest_gamma(layout, reducers));
  for (std::size_t l = 0; l < levels.size(); ++l) add_up(build, levels[l], static_cast<int>(l));
  add_top(build, x.top, masters);
  for (std::size_t l = levels.size(); l-- > 0;) add_down(build, levels[l], static_cast<int>(l));
  build.finish();
  for (const CostSpec& cost : layout.training.costs) {
    if (cost.at != CostHook::message_send && cost.at != CostHook::message_receive) continue;
    form.assumptions.push_back({AssumptionId::no_message_costs, "no per-message costs", false,
                                fmt::format("'{}' is not in the form", cost.name)});
  }
  if (layout.training.compression.placement)
    form.assumptions.push_back({AssumptionId::no_codec_time, "no codec takes time", false,
                                "the form has a codec's bytes, but neither its time nor a NIC's packets"});
  const std::vector<Assumption> proportion = weighs_in_proportion(layout);
  form.assumptions.insert(form.assumptions.end(), proportion.begin(), proportion.end());
  form.cost = [phases = std::move(build.phases)](const Load& load) {
    Moment sum;
    for (const auto& phase : phases) sum = sum + phase(load.elements);
    return Moment::exchanging({sum.alpha, sum.beta / load.ratio, sum.gamma});
  };
  return form;
}

} // namespace gradflight
