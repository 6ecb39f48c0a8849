#include "analysis/run/forms/call_links.hpp"

#include "analysis/run/forms/closed_form_exchange.hpp"
#include "models/schedules/make_schedule.hpp"
#include "platforms/code/platform.hpp"
#include "sim/group/plain_group.hpp"

#include <algorithm>

namespace gradflight {

namespace {

/// Returns the pairs of places that exchange messages, sorted.
std::optional<Messages> pairs_of(const GroupSchedule& schedule, const std::vector<std::int32_t>& places,
                                 const CallLinksLimit& limit) {
  std::int64_t steps = 0;
  for (int member = 0; member < schedule.members(); ++member) {
    for (int lane = 0; lane < schedule.lanes(); ++lane) steps += schedule.steps(lane, member);
    if (steps > limit.steps) return std::nullopt;
  }
  Messages pairs;
  std::vector<int> receivers;
  for (int member = 0; member < schedule.members(); ++member) {
    receivers.clear();
    for (int lane = 0; lane < schedule.lanes(); ++lane)
      for (std::int64_t i = 0; i < schedule.steps(lane, member); ++i)
        if (const int to = schedule.step(lane, member, i).step.to;
            to != no_rank && (receivers.empty() || receivers.back() != to))
          receivers.push_back(to);
    std::ranges::sort(receivers);
    receivers.erase(std::unique(receivers.begin(), receivers.end()), receivers.end());
    for (const int to : receivers)
      pairs.emplace_back(places[static_cast<std::size_t>(member)], places[static_cast<std::size_t>(to)]);
    if (std::ssize(pairs) > limit.pairs) return std::nullopt;
  }
  std::ranges::sort(pairs);
  return pairs;
}

void add_assumptions(std::vector<Assumption>& assumptions, const RouteSurvey& survey, const std::string& which) {
  assumptions.push_back(assume(AssumptionId::links_alike, which + " alike", survey.alike(), survey.unlike()));
  assumptions.push_back(assume(AssumptionId::links_ordered, "each of the " + which + " serves one rank",
                               survey.ordered(), survey.crossed()));
}

} // namespace

std::optional<CallLinks> call_links(const Collective& row, GroupSpec spec, const Platform& platform,
                                    std::span<const std::int32_t> places, const CallLinksLimit& limit) {
  spec.chunk = 0; // chunks use the same routes, one after another
  spec.elements = spec.op == Operation::barrier ? 0 : spec.ranks;
  const auto schedule = make_group_schedule(row, spec);
  std::vector<std::int32_t> members(places.begin(), places.end());
  if (schedule->members() > schedule->ranks()) members.push_back(reducing_switch(platform, places).value());
  const auto pairs = pairs_of(*schedule, members, limit);
  if (!pairs) return std::nullopt;
  Messages within, between;
  for (const auto& [from, to] : *pairs) {
    const bool own_node = row.group.groups && platform.place(from).node == platform.place(to).node;
    (own_node ? within : between).emplace_back(from, to);
  }
  CallLinks found;
  RouteSurvey inside(platform), across(platform);
  if (!within.empty()) {
    inside.add(within);
    add_assumptions(found.assumptions, inside, "links within nodes");
  }
  across.add(between);
  add_assumptions(found.assumptions, across, "links");
  found.assumptions.push_back(reducers_alike(platform, places));
  found.links.element_bytes = 1;
  found.links.link = {across.alpha(), across.beta(), 0};
  found.links.inside = {inside.alpha(), inside.beta(), 0};
  if (across.empty()) found.links.link = found.links.inside;
  if (inside.empty()) found.links.inside = found.links.link;
  for (const std::int32_t place : places)
    if (const double rate = platform.place(place).reduce_bandwidth; rate > 0)
      found.links.link.gamma = std::max(found.links.link.gamma, 1 / rate);
  found.links.inside.gamma = found.links.link.gamma;
  return found;
}

} // namespace gradflight
