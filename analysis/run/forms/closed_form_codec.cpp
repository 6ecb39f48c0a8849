#include "analysis/run/forms/closed_form_codec.hpp"

#include "models/nic/stream_cost.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// Returns the seconds per wire byte of a stream on the slower of two stages.
double stage_seconds(const StreamCost& cost, NicStage a, NicStage b) {
  return std::max(cost[a].weight / cost[a].capacity.value(), cost[b].weight / cost[b].capacity.value());
}

} // namespace

EngineLoad engine_load(const Platform& platform, const Messages& step) {
  const auto node = [&](int place) { return platform.place(place).node; };
  const auto nodes = static_cast<std::size_t>(platform.nodes()) + 1; // one more for a switch
  std::vector<int> sends(nodes), receives(nodes);
  for (const auto& [from, to] : step) {
    if (node(from) == node(to)) continue;
    ++sends[static_cast<std::size_t>(node(from))];
    ++receives[static_cast<std::size_t>(node(to))];
  }
  EngineLoad load{
      *std::max_element(sends.begin(), sends.end()), *std::max_element(receives.begin(), receives.end()), {}};
  for (const auto& [from, to] : step) {
    if (from == to || !load.uneven.empty()) continue;
    if (node(from) == node(to))
      load.uneven = fmt::format("a message stays in node {}", node(from));
    else if (sends[static_cast<std::size_t>(node(from))] != load.sends)
      load.uneven = fmt::format("node {} sends {} at once, others {}", node(from),
                                sends[static_cast<std::size_t>(node(from))], load.sends);
    else if (receives[static_cast<std::size_t>(node(to))] != load.receives)
      load.uneven = fmt::format("node {} receives {} at once, others {}", node(to),
                                receives[static_cast<std::size_t>(node(to))], load.receives);
  }
  return load;
}

Moment messages_together(const PhaseLayout& layout, const Load& load, bool encoded, const Together& together) {
  const CompressionSpec& compression = layout.training.compression;
  const double dense = dense_bytes(load.elements, load.width), payload = encoded ? dense / load.ratio : dense;
  if (!compression.in_nic())
    return Moment::exchanging(
        {together.alpha + layout.beside_data(together.seconds_per_byte), payload * together.seconds_per_byte, 0});
  if (load.elements == 0 || !(together.beta > 0))
    return Moment::exchanging({together.alpha, 0, 0}); // no bytes on a link
  const NicSpec nic = layout.scenario.platform.nic.value_or(NicSpec{});
  const StreamCost cost = nic_stream_cost(nic, nic, nic_stream(static_cast<std::int64_t>(dense), payload, encoded),
                                          ByteRate(1 / together.beta));
  const double wire = cost.wire_bytes.value(), on_wire = wire * together.seconds_per_byte;
  const double in_sender =
      wire * together.engines.sends * stage_seconds(cost, NicStage::sender_input, NicStage::sender_output);
  const double in_receiver =
      wire * together.engines.receives * stage_seconds(cost, NicStage::receiver_input, NicStage::receiver_output);
  const double engine = std::max({on_wire, in_sender, in_receiver}) - on_wire;
  return Moment::exchanging({together.alpha, on_wire, 0}) + Moment::working((cost.fill + cost.tail).value() + engine);
}

Moment path_of_messages(const StepsForm& recipe, int p, std::int64_t elements, double gamma,
                        const std::function<Moment(std::int64_t)>& message) {
  if (p <= 1) return {};
  return recipe.longest(p, elements, message, [&](std::int64_t of) {
    return message(of) + Moment::exchanging({0, 0, dense_bytes(of) * gamma});
  });
}

Assumption engines_exclusive(const PhaseLayout& layout, const std::vector<Messages>& steps, bool in_step) {
  const std::string text = "every message has the engines of its two NICs to itself";
  for (const Messages& step : steps) {
    if (step.empty()) continue;
    const EngineLoad load = engine_load(layout.platform, step);
    if (load.sends > 1 || load.receives > 1)
      return {AssumptionId::engines_exclusive, text, false,
              fmt::format("{} messages pass one NIC at once", std::max(load.sends, load.receives))};
    if (!load.uneven.empty()) return {AssumptionId::engines_exclusive, text, false, load.uneven};
  }
  return assume(AssumptionId::engines_exclusive, text, in_step || layout.scenario.platform.gpus_per_node == 1,
                "ranks that run ahead share a NIC with others");
}

} // namespace gradflight
