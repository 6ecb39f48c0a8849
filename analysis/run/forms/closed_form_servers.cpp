// Forms of parameter servers: flat and binomial pull, colocated or not, backup workers, and asynchronous servers if all
// workers stay in step.
#include "analysis/run/forms/closed_form_exchange.hpp"
#include "base/human.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"

#include "analysis/run/forms/closed_form_codec.hpp"
#include "models/forms/form_collectives.hpp"
#include "models/forms/form_parameter_server.hpp"
#include "models/schedules/make_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// Limit of worker-server pairs. With more pairs, their routes are not analysed and the form makes no statement about
/// them.
constexpr std::int64_t pairs_walked = 4'000'000;

/// A leg in which every worker and every server exchange a message at the same time: alpha + bytes of a shard *
/// seconds_per_byte.
struct Leg {
  Together messages;
  Assumption alike, even, engines; ///< `engines`: only if the codec is in the NIC
};

std::vector<int> server_places(const PhaseLayout& layout) {
  const ExchangeSpec& x = layout.training.exchange;
  std::vector<int> places;
  for (int s = 0; s < x.servers; ++s) places.push_back(x.colocated ? layout.place(s) : layout.helper_place(s));
  return places;
}

Leg survey_leg(const PhaseLayout& layout, const std::vector<int>& workers, const std::vector<int>& servers, bool push) {
  const std::int64_t pairs = static_cast<std::int64_t>(workers.size()) * static_cast<std::int64_t>(servers.size());
  const bool walked = pairs <= pairs_walked;
  Messages messages;
  for (std::size_t s = 0; s < (walked ? servers.size() : 1); ++s)
    for (const int worker : workers) messages.emplace_back(push ? worker : servers[s], push ? servers[s] : worker);
  RouteSurvey survey(layout.platform);
  survey.add(messages);
  Leg leg{{survey.alpha(), survey.beta(), survey.load().seconds_per_byte, {}}, {}, {}, {}};
  if (!walked) {
    const ServerShape shape{layout.workers, layout.training.exchange.servers, layout.training.exchange.colocated};
    leg.messages.seconds_per_byte = survey.beta() * busiest_link_bytes(shape, 1);
  }
  if (layout.training.compression.in_nic()) {
    leg.messages.engines = engine_load(layout.platform, messages);
    const bool narrow = survey.unlike_alpha().empty() && !survey.alike();
    leg.engines = assume(AssumptionId::engines_even,
                         fmt::format("{} share engines evenly, on links alike", push ? "pushes" : "pulls"),
                         walked && !narrow && leg.messages.engines.uneven.empty(),
                         narrow ? survey.unlike() : leg.messages.engines.uneven);
  }
  const char* name = push ? "pushes" : "pulls";
  leg.alike = assume(AssumptionId::latencies_alike, fmt::format("all {} have the same latency", name),
                     survey.unlike_alpha().empty(), survey.unlike_alpha());
  leg.even = assume(AssumptionId::links_even, fmt::format("all {} share their links evenly and end together", name),
                    walked && survey.load().even,
                    walked ? survey.load().uneven : fmt::format("{} routes are too many to check", pairs));
  return leg;
}

Assumption servers_alike(const PhaseLayout& layout, const std::vector<int>& servers) {
  const double first = layout.platform.place(servers.front()).compute_speed;
  for (const int place : servers) {
    const double speed = layout.platform.place(place).compute_speed;
    if (speed == first) continue;
    return {AssumptionId::servers_alike, "all servers update equally fast", false,
            fmt::format("speeds {:.6g} and {:.6g}", first, speed)};
  }
  return {AssumptionId::servers_alike, "all servers update equally fast", true, {}};
}

/// Surveys the rounds of a binomial pull from the first server. An assumption covers the trees of other servers.
RouteSurvey survey_tree(const PhaseLayout& layout, std::vector<int> workers, int server) {
  ExchangeSpec one = layout.training.exchange;
  one.servers = 1;
  workers.push_back(server);
  RouteSurvey survey(layout.platform);
  if (one.pull != Pull::binomial) return survey;
  std::vector<Messages> steps = rounds(*make_pull_schedule(one, layout.workers));
  for (Messages& round : steps) // the first route that differs is named; this is the server's route if it differs
    std::stable_partition(round.begin(), round.end(), [&](const auto& m) { return m.first >= layout.workers; });
  for (const Messages& round : placed(std::move(steps), workers)) survey.add(round);
  return survey;
}

/// Whether each server's own link alone limits its flows, so that unequal shards do not affect each other. This holds
/// for at most p dedicated servers on a plain star.
bool bound_by_servers(const PhaseLayout& layout) {
  const PlatformSpec& platform = layout.scenario.platform;
  const ExchangeSpec& x = layout.training.exchange;
  return !x.colocated && x.servers <= layout.workers && platform.network.topology == Topology::star &&
         platform.gpus_per_node == 1 && platform.node_overrides.empty() && platform.link_overrides.empty() &&
         !platform.node && !platform.network.link.egress && !platform.network.link.ingress;
}

void add_consistency_assumptions(ExchangeForm& form, const PhaseLayout& layout) {
  const ExchangeSpec& x = layout.training.exchange;
  form.assumptions.push_back(assume(AssumptionId::pulled_at_once, "parameters are pulled at once",
                                    x.pull_at == PullAt::once,
                                    "they are pulled at their first use in the next forward pass"));
  if (!reactive(x)) return;
  form.assumptions.push_back(assume(AssumptionId::no_worker_nearer, "no worker is on the node of its server",
                                    !x.colocated || layout.workers == 1,
                                    "a colocated server takes its own worker's gradient first"));
  if (x.consistency == Consistency::synchronous) return;
  form.assumptions.push_back(assume(AssumptionId::updates_free, "updates take no time, so workers stay in step",
                                    layout.scenario.workload.update == 0 || layout.workers == 1,
                                    fmt::format("an update takes {} and workers are answered one after another",
                                                human_seconds(layout.scenario.workload.update))));
}

/// What the exchange with servers costs a worker and a server that are on the critical path.
class ServerCosts {
public:
  ServerCosts(const PhaseLayout& layout, const std::vector<int>& servers, Together push, Together pull,
              const RouteSurvey& tree)
      : layout_(&layout), push_(std::move(push)),
        pull_(std::move(pull)), alone_{tree.alpha(), tree.beta(), tree.beta(), {1, 1, {}}},
        gamma_(slowest_gamma(layout, servers)) {
    const TrainingSpec& training = layout.training;
    const ExchangeSpec& x = training.exchange;
    const int p = layout.workers;
    // Of the reactive servers, those with backup workers still sum gradients; the others update with each of p
    // gradients, and do not reduce.
    const bool sums = x.consistency == Consistency::synchronous;
    update_ = layout.scenario.workload.update / layout.elements / slowest_speed(layout, servers) * (sums ? 1 : p);
    reductions_ = sums ? std::max(0, p - 1 - x.backup_workers) : 0;
    // A codec in software: a worker encodes its push; the server decodes one message after another, and encodes its
    // answer once.
    const CompressionSpec& codec = training.compression;
    const double from_others = x.colocated ? p - 1 : p;
    if (!codec.in_software() || from_others == 0) return;
    if (codec.encodes(false)) push_work_ = codec.encode_seconds() + from_others * codec.decode_seconds();
    if (codec.encodes(true)) {
      pull_encode_ = codec.encode_seconds();
      pull_decode_ = codec.decode_seconds();
    }
  }

  /// Push, reduction and update, up to the answer.
  [[nodiscard]] Moment upward(const Load& load) const {
    const Load part = shard_of(load);
    const auto shard = static_cast<double>(part.elements);
    const double bytes = shard * part.width;
    return together(push_, part, false) + Moment::exchanging({0, 0, reductions_ * bytes * gamma_}) +
           Moment::computing(shard * update_) + Moment::working(bytes * (push_work_ + pull_encode_));
  }
  /// `count` rounds of a tree, one message after another.
  [[nodiscard]] Moment rounds(double count, const Load& load) const {
    const Load part = shard_of(load);
    return count * (together(alone_, part, true) + decoding(part));
  }
  /// Answers to all workers at once; free: to the only one, which is on the server's node.
  [[nodiscard]] Moment answers(bool free, const Load& load) const {
    const Load part = shard_of(load);
    return (free ? Moment{} : together(pull_, part, true)) + decoding(part);
  }

private:
  [[nodiscard]] Load shard_of(const Load& load) const {
    const std::int64_t servers = layout_->training.exchange.servers;
    return {(load.elements + servers - 1) / servers, load.ratio, load.width};
  }
  [[nodiscard]] Moment together(const Together& messages, const Load& shard, bool pulls) const {
    return messages_together(*layout_, shard, layout_->training.compression.encodes(pulls), messages);
  }
  [[nodiscard]] Moment decoding(const Load& shard) const {
    return Moment::working(dense_bytes(shard.elements, shard.width) * pull_decode_);
  }

  const PhaseLayout* layout_;
  Together push_, pull_, alone_;
  double gamma_, update_ = 0, reductions_ = 0;               ///< seconds per byte and element; per element
  double push_work_ = 0, pull_encode_ = 0, pull_decode_ = 0; ///< seconds per byte of a shard
};

void fill_binomial(ExchangeForm& form, const PhaseLayout& layout, const ServerCosts& costs, const RouteSurvey& tree) {
  const ExchangeSpec& x = layout.training.exchange;
  const int p = layout.workers, nodes = p + (x.colocated ? 0 : 1), r = ceil_lg(nodes);
  form.name = "parameter_server_binomial";
  form.formula = x.colocated ? "(1+r) alpha + (p-1+r) n beta + (p-1) n gamma + update, r = ceil(lg p)"
                             : "(1+r) alpha + (p+r) n beta + (p-1) n gamma + update, r = ceil(lg(p+1))";
  form.cost = [=](const Load& load) { return costs.upward(load) + costs.rounds(r, load); };
  form.assumptions.push_back(links_alike(tree, "links of the tree"));
  form.assumptions.push_back(links_exclusive(tree));
  form.assumptions.push_back(assume(AssumptionId::one_server, "one server", x.servers == 1,
                                    "the trees of several servers share the workers' links"));
  form.assumptions.push_back(
      assume(AssumptionId::power_of_two,
             x.colocated ? "p is a power of two, or a single exchange" : "p+1 is a power of two, or a single exchange",
             layout.single_exchange || is_power_of_two(nodes),
             fmt::format("p is {}: some workers leave the tree a round early and go on", p)));
  if (x.servers > 1 || x.colocated) return;
  form.printed = [=](const Load& load) { return costs.upward(load) + costs.rounds(std::log2(p), load); };
  form.printed_name = "worker_aggregator";
  form.printed_source = "INCEPTIONN Sec. VIII-D: (1 + log p) alpha + (p + log p) n beta + (p-1) n gamma";
  form.printed_why = "the broadcast spans p workers and the aggregator, so it takes ceil(lg(p+1)) rounds, not lg p";
}

void fill_flat(ExchangeForm& form, const PhaseLayout& layout, const ServerCosts& costs, const Leg& pull) {
  const ExchangeSpec& x = layout.training.exchange;
  form.name = "parameter_server_flat";
  form.formula = x.servers == 1 && !x.colocated
                     ? "2(alpha + p n beta) + (p-1) n gamma + update"
                     : (x.colocated ? "2(alpha + (p-1) m beta) + (p-1) m gamma + update of m, m = n/S"
                                    : "2(alpha + max(S, p) m beta) + (p-1) m gamma + update of m, m = n/S");
  const bool free = x.colocated && layout.workers == 1;
  form.cost = [=](const Load& load) { return costs.upward(load) + costs.answers(free, load); };
  form.assumptions.push_back(pull.alike);
  form.assumptions.push_back(pull.even);
  if (layout.training.compression.in_nic()) form.assumptions.push_back(pull.engines);
}

void add_codec_assumptions(ExchangeForm& form, const PhaseLayout& layout, const Leg& push) {
  const ExchangeSpec& x = layout.training.exchange;
  const CompressionSpec& codec = layout.training.compression;
  const bool binomial = x.pull == Pull::binomial;
  if (codec.in_nic()) {
    form.assumptions.push_back(push.engines);
    if (binomial)
      form.assumptions.push_back(assume(AssumptionId::one_gpu, "nodes have one GPU",
                                        layout.scenario.platform.gpus_per_node == 1,
                                        "ranks of a node share its engines in the tree"));
  }
  if (!codec.in_software()) return;
  form.assumptions.push_back(assume(AssumptionId::one_server, "one server where the codec computes", x.servers == 1,
                                    "a worker encodes for one server after another"));
  form.assumptions.push_back(assume(AssumptionId::codec_waits, "servers wait for every worker where the codec computes",
                                    !reactive(x), "they decode each message as it arrives"));
  if (binomial)
    form.assumptions.push_back(assume(AssumptionId::power_of_two, "the tree is full where relays decode",
                                      is_power_of_two(layout.workers + (x.colocated ? 0 : 1)),
                                      fmt::format("p is {}: not every round passes a relay", layout.workers)));
}

} // namespace

ExchangeFormAnswer parameter_server_form(const PhaseLayout& layout) {
  const ExchangeSpec& x = layout.training.exchange;
  const bool binomial = x.pull == Pull::binomial;
  if (binomial && reactive(x))
    return {std::nullopt, "no closed form: servers that answer each worker separately have no binomial pull"};

  const std::vector<int> workers = worker_places(layout), servers = server_places(layout);
  const Leg push = survey_leg(layout, workers, servers, true), pull = survey_leg(layout, workers, servers, false);
  const RouteSurvey tree = survey_tree(layout, workers, servers.front());
  const ServerCosts costs(layout, servers, push.messages, pull.messages, tree);
  ExchangeForm form;
  form.source = "INCEPTIONN Sec. VIII-D; GradientFlow Sec. 5; 3LC Sec. 2.1";
  form.assumptions = {push.alike, push.even};
  if (binomial)
    fill_binomial(form, layout, costs, tree);
  else
    fill_flat(form, layout, costs, pull);
  add_codec_assumptions(form, layout, push);
  form.assumptions.push_back(reducers_alike(layout.platform, servers));
  form.assumptions.push_back(servers_alike(layout, servers));
  if (x.servers > 1 && !bound_by_servers(layout)) form.assumptions.push_back(divisible(layout, x.servers, "S", false));
  form.cuts = x.servers;
  for (Assumption& assumption : blocks_weigh_alike(layout, x.servers))
    form.assumptions.push_back(std::move(assumption));
  add_consistency_assumptions(form, layout);
  add_no_message_costs(form, layout.training);
  return {std::move(form), {}};
}

} // namespace gradflight
