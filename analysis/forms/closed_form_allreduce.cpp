// Forms of the exchanges without servers and without groups: ring, recursive doubling, halving-doubling, binomial tree,
// top-k.
#include "analysis/forms/closed_form_exchange.hpp"

#include "analysis/forms/closed_form_codec.hpp"
#include "models/forms/form_collectives.hpp"
#include "models/forms/form_overlap.hpp"
#include "models/forms/form_topk.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

double bytes_of(std::int64_t elements) { return static_cast<double>(elements) * element_bytes; }

struct Description {
  const char *name, *formula, *source;
};

Description describe(const ExchangeSpec& exchange, bool power_of_two) {
  switch (exchange.algorithm) {
  case Algorithm::ring:
    if (exchange.pieces > 1)
      return {"ring_allreduce_pipelined",
              "2(p-1)C steps of x = alpha + m beta, m = n/(pC), g = m gamma: s_k = max(s_{k-1} + x, r_{k-C}), "
              "r_j = max(r_{j-1}, s_j + x) + g; 2(p-1)C x for g <= x",
              "Pipe-SGD Fig. 3 (a)"};
    return {"ring_allreduce", "2(p-1) alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma",
            "Thakur et al. 2005; INCEPTIONN Sec. VIII-D; Pipe-SGD Eq. 5; GradientFlow Sec. 2.4"};
  case Algorithm::recursive_doubling:
    return {"recursive_doubling_allreduce",
            power_of_two ? "lg p (alpha + n beta + n gamma)"
                         : "floor(lg p) (alpha + n beta + n gamma) + 2(alpha + n beta) + n gamma",
            "Thakur et al. 2005"};
  case Algorithm::halving_doubling:
    return {"halving_doubling_allreduce",
            power_of_two ? "2 lg p alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma"
                         : "2 lg p2 alpha + 2((p2-1)/p2) n beta + ((p2-1)/p2) n gamma + 2(alpha + n beta) + n gamma, "
                           "p2 = 2^floor(lg p)",
            "Thakur et al. 2005 (Rabenseifner)"};
  case Algorithm::topk_allgather:
    if (exchange.all_gather == AllGather::ring)
      return {"topk_allgather_ring", "(p-1) (alpha + 8k beta)", "Thakur et al. 2005 (ring all-gather)"};
    return {"topk_allgather", "ceil(lg p) alpha + (p-1) 8k beta", "gTop-k Table I, Eq. 6; Thakur et al. 2005 (Bruck)"};
  case Algorithm::gtopk: return {"gtopk_allreduce", "2 ceil(lg p) (alpha + 8k beta)", "gTop-k Table I, Eq. 7"};
  default:
    return {"binomial_tree_allreduce", "2 ceil(lg p) (alpha + n beta) + ceil(lg p) n gamma", "Thakur et al. 2005"};
  }
}

bool is_topk(Algorithm a) { return a == Algorithm::topk_allgather || a == Algorithm::gtopk; }

/// Host costs of the messages on the critical path, where every step has one sent and one received message; what a
/// codec in software takes included.
Moment message_costs(const TrainingSpec& training, double messages, double bytes) {
  double seconds = 0;
  for (const CostSpec& cost : training.costs) {
    if (cost.at != CostHook::message_send && cost.at != CostHook::message_receive) continue;
    seconds += messages * (cost.fixed.value() + cost.per_message.value()) +
               bytes * (cost.per_byte.value() + cost.per_element.value() / element_bytes);
  }
  const CompressionSpec& codec = training.compression;
  if (codec.in_software()) seconds += bytes * (codec.encode_seconds() + codec.decode_seconds());
  return Moment::working(seconds);
}

void add_shape_assumptions(ExchangeForm& form, const PhaseLayout& layout) {
  const int p = layout.workers;
  const auto append = [&](std::vector<Assumption> more) {
    form.assumptions.insert(form.assumptions.end(), more.begin(), more.end());
  };
  switch (layout.training.exchange.algorithm) {
  case Algorithm::ring:
    if (layout.training.exchange.pieces > 1)
      form.assumptions.push_back(divisible(layout, p * layout.training.exchange.pieces, "p C", false));
    else
      form.assumptions.push_back(divisible(layout, p, "p", true));
    form.cuts = p * layout.training.exchange.pieces;
    append(blocks_weigh_alike(layout, form.cuts));
    break;
  case Algorithm::halving_doubling:
    form.assumptions.push_back(divisible(layout, power_of_two_below(p), is_power_of_two(p) ? "p" : "p2", false));
    append(weighs_in_proportion(layout));
    break;
  default: break;
  }
}

} // namespace

std::vector<Messages> tree_rounds(int m, bool towards_root) {
  std::vector<Messages> rounds;
  for (int distance = 1; distance < m; distance *= 2) {
    Messages round;
    for (int node = 0; node + distance < m; node += 2 * distance)
      round.push_back(towards_root ? std::pair(node + distance, node) : std::pair(node, node + distance));
    rounds.push_back(std::move(round));
  }
  return rounds;
}

std::vector<Messages> allreduce_steps(Algorithm algorithm, int m, AllGather way) {
  std::vector<Messages> steps;
  if (m <= 1) return steps;
  if (algorithm == Algorithm::ring || (algorithm == Algorithm::topk_allgather && way == AllGather::ring)) {
    Messages step;
    for (int i = 0; i < m; ++i) step.emplace_back(i, (i + 1) % m);
    return {step};
  }
  if (algorithm == Algorithm::topk_allgather) {
    for (int held = 1; held < m; held *= 2) {
      Messages step;
      for (int i = 0; i < m; ++i) step.emplace_back(i, is_power_of_two(m) ? i ^ held : (i - held + m) % m);
      steps.push_back(std::move(step));
    }
    return steps;
  }
  if (algorithm == Algorithm::recursive_doubling || algorithm == Algorithm::halving_doubling) {
    const int core = power_of_two_below(m), extra = m - core;
    const auto rank = [extra](int place) { return place < extra ? 2 * place + 1 : place + extra; };
    for (int distance = 1; distance < core; distance *= 2) {
      Messages step;
      for (int i = 0; i < core; ++i) step.emplace_back(rank(i), rank(i ^ distance));
      steps.push_back(std::move(step));
    }
    if (extra == 0) return steps;
    Messages in, out;
    for (int i = 0; i < extra; ++i) {
      in.emplace_back(2 * i, 2 * i + 1);
      out.emplace_back(2 * i + 1, 2 * i);
    }
    steps.push_back(std::move(in));
    steps.push_back(std::move(out));
    return steps;
  }
  steps = tree_rounds(m, true);
  for (Messages& round : tree_rounds(m, false)) steps.push_back(std::move(round));
  return steps;
}

Moment allreduce_cost(Algorithm algorithm, int m, std::int64_t elements, const LinkParameters& link) {
  const double n = bytes_of(elements);
  switch (algorithm) {
  case Algorithm::ring: return Moment::exchanging(allreduce_ring_blocks(m, bytes_of((elements + m - 1) / m), link));
  case Algorithm::recursive_doubling: return Moment::exchanging(allreduce_recursive_doubling(m, n, link));
  case Algorithm::halving_doubling: return Moment::exchanging(allreduce_halving_doubling(m, n, link));
  default: return Moment::exchanging(allreduce_binomial_tree(m, n, link));
  }
}

ExchangeForm allreduce_form(const PhaseLayout& layout) {
  const TrainingSpec& training = layout.training;
  const ExchangeSpec& x = training.exchange;
  const int p = layout.workers;
  const std::vector<int> places = worker_places(layout);

  RouteSurvey survey(layout.platform);
  std::vector<Messages> steps = allreduce_steps(x.algorithm, p, x.all_gather);
  for (Messages& step : steps) {
    for (auto& [from, to] : step) {
      from = places[static_cast<std::size_t>(from)];
      to = places[static_cast<std::size_t>(to)];
    }
    survey.add(step);
  }
  // Reductions count dense bytes, links those that travel.
  const double merge = x.merge_bandwidth ? 1 / x.merge_bandwidth->value() : 0;
  const LinkParameters link{survey.alpha(), survey.beta(),
                            is_topk(x.algorithm) ? merge : slowest_gamma(layout, places)};

  const auto [name, formula, source] = describe(x, is_power_of_two(p));
  ExchangeForm form{name, formula, source, {}, {}, {}, {}, {}, {}, 1};
  const auto cost = [x, p](std::int64_t elements, const LinkParameters& at) {
    if (is_topk(x.algorithm)) {
      const double list = topk_list_bytes(topk_entries(x.density, elements));
      Moment moment = Moment::exchanging(x.algorithm == Algorithm::gtopk   ? gtopk_allreduce(p, list, at)
                                         : x.all_gather == AllGather::ring ? topk_allgather_ring(p, list, at)
                                                                           : topk_allgather(p, list, at));
      std::swap(moment.gamma, moment.other); // merges are no reductions
      return moment;
    }
    if (x.algorithm == Algorithm::ring && x.pieces > 1) {
      const double block = bytes_of((elements + p - 1) / p);
      return allreduce_ring_pieces(p, x.pieces, block / x.pieces, at);
    }
    return allreduce_cost(x.algorithm, p, elements, at);
  };
  const Together alone{survey.alpha(), survey.beta(), survey.beta(), {1, 1, {}}};
  form.cost = [cost, link, training, alone, &layout, p](const Load& load) {
    const CompressionSpec& codec = training.compression;
    const auto message = [&](std::int64_t n) {
      return messages_together(layout, {n, load.ratio}, codec.encodes(false), alone);
    };
    const LinkParameters compressed{link.alpha, link.beta / load.ratio, link.gamma};
    const Moment exchange =
        codec.in_nic() ? allreduce_of_messages(training.exchange.algorithm, p, load.elements, link.gamma, message)
                       : cost(load.elements, compressed);
    return exchange +
           message_costs(training, cost(load.elements, {1, 0, 0}).alpha, cost(load.elements, {0, 1, 0}).beta);
  };

  form.assumptions.push_back(links_alike(survey));
  form.assumptions.push_back(links_exclusive(survey));
  const bool in_step = is_power_of_two(p) || x.algorithm == Algorithm::ring || x.algorithm == Algorithm::topk_allgather;
  if (!in_step) form.assumptions.push_back(links_ordered(survey));
  if (!is_topk(x.algorithm)) form.assumptions.push_back(reducers_alike(layout, places));
  add_shape_assumptions(form, layout);
  if (training.compression.in_nic()) {
    form.assumptions.push_back(engines_exclusive(layout, steps, in_step));
    form.assumptions.push_back(assume(AssumptionId::blocks_whole, "blocks travel whole", x.pieces == 1,
                                      fmt::format("they travel in {} pieces", x.pieces)));
  }
  if (message_costs(training, 1, 1).time > 0)
    form.assumptions.push_back(assume(AssumptionId::message_costs_in_step, "per-message costs meet in every step",
                                      in_step && x.pieces == 1,
                                      "they move the ranks of this exchange apart from one another"));
  return form;
}

} // namespace gradflight
