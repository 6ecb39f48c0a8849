#include "analysis/run/forms/assumption.hpp"

#include <array>
#include <utility>

namespace gradflight {
namespace {

constexpr std::array<AssumptionInfo, 39> infos{{
    {AssumptionId::links_alike, "links_alike", "All routes in use have the same latency and bandwidth."},
    {AssumptionId::links_exclusive, "links_exclusive", "No link carries two messages of a step."},
    {AssumptionId::links_ordered, "links_ordered", "Ranks that run ahead of others share no link with them."},
    {AssumptionId::latencies_alike, "latencies_alike", "Messages that start together have the same latency."},
    {AssumptionId::links_even, "links_even", "Messages that start together share their links evenly."},
    {AssumptionId::compute_alike, "compute_alike", "All ranks compute equally fast."},
    {AssumptionId::compute_steady, "compute_steady", "Compute takes the same time in every iteration."},
    {AssumptionId::reducers_alike, "reducers_alike", "All ranks reduce equally fast."},
    {AssumptionId::servers_alike, "servers_alike", "All servers update equally fast."},
    {AssumptionId::rate_beside_compute, "rate_beside_compute", "Messages are as fast beside compute as without."},
    {AssumptionId::data_only, "data_only", "Messages carry only data where the form counts only data."},
    {AssumptionId::no_protocol, "no_protocol",
     "A message takes alpha plus its bytes over the bandwidth, and nothing else."},
    {AssumptionId::no_traffic, "no_traffic", "No other traffic uses the network."},
    {AssumptionId::no_changes, "no_changes", "Nothing changes before the end."},
    {AssumptionId::no_failures, "no_failures", "Nothing fails, and no checkpoint is written."},
    {AssumptionId::divisible, "divisible", "A vector's elements divide evenly into its blocks."},
    {AssumptionId::blocks_weigh_alike, "blocks_weigh_alike", "All blocks of a vector have the same wire bytes."},
    {AssumptionId::weighs_in_proportion, "weighs_in_proportion",
     "The wire bytes of a part of a vector are proportional to its elements."},
    {AssumptionId::weight_known, "weight_known", "The size of a message does not depend on the values in it."},
    {AssumptionId::chunks_even, "chunks_even", "Chosen chunks are spread evenly over the model."},
    {AssumptionId::blocks_whole, "blocks_whole", "Blocks that pass a NIC's engines travel in one piece."},
    {AssumptionId::engines_exclusive, "engines_exclusive", "Every message has the engines of its NICs to itself."},
    {AssumptionId::engines_even, "engines_even", "Messages that start together share the engines of the NICs evenly."},
    {AssumptionId::no_codec_time, "no_codec_time", "No codec takes time or adds packet headers."},
    {AssumptionId::codec_waits, "codec_waits", "Servers on which a codec computes wait for every worker."},
    {AssumptionId::groups_equal, "groups_equal", "The groups of a level have the same size."},
    {AssumptionId::power_of_two, "power_of_two", "A tree spans a power of two, so no rank finishes early."},
    {AssumptionId::one_server, "one_server", "The exchange has one server."},
    {AssumptionId::one_gpu, "one_gpu", "Nodes have one GPU each."},
    {AssumptionId::pulled_at_once, "pulled_at_once", "Parameters are pulled as soon as they are updated."},
    {AssumptionId::no_worker_nearer, "no_worker_nearer", "No worker is on the same node as its server."},
    {AssumptionId::updates_free, "updates_free", "Updates take no time, so workers stay in step."},
    {AssumptionId::one_stream, "one_stream", "Exchanges run one after another."},
    {AssumptionId::no_host_competition, "no_host_competition", "No host cost competes with compute or another cost."},
    {AssumptionId::message_costs_in_step, "message_costs_in_step", "Costs of messages meet in every step."},
    {AssumptionId::no_message_costs, "no_message_costs", "Messages cost their sender and receiver nothing."},
    {AssumptionId::links_own, "links_own", "No other job shares its links."},
    {AssumptionId::operation_form, "operation_form", "The form of the called operation is exact, not a bound."},
    {AssumptionId::ranks_end_together, "ranks_end_together", "All ranks end a call together, or nothing follows it."},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < infos.size(); ++i)
    if (static_cast<std::size_t>(infos[i].id) != i) return false;
  return infos.size() == static_cast<std::size_t>(AssumptionId::ranks_end_together) + 1;
}
static_assert(in_order(), "a row for each id, in the order of the ids");

} // namespace

std::span<const AssumptionInfo> assumption_ids() { return infos; }
std::string_view name(AssumptionId id) { return infos[static_cast<std::size_t>(id)].name; }

std::string Assumption::sentence() const {
  const std::string claim = "an assumption fails: " + text;
  return detail.empty() ? claim : claim + " (" + detail + ")";
}

Assumption assume(AssumptionId id, std::string text, bool holds, std::string detail) {
  return {id, std::move(text), holds, holds ? std::string() : std::move(detail)};
}

} // namespace gradflight
