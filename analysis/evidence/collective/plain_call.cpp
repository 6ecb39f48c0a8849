#include "analysis/evidence/collective/plain_call.hpp"

#include "sim/group/simulate_group.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {

namespace {

/// The best chunk of a chain of p ranks (sqrt(n alpha / ((p - 2) beta)); Sanders, Speck and Traeff 2009), which trees
/// share but for a factor; whole vectors where nothing is gained.
std::int64_t best_chunk(const FormLinks& links, std::int64_t elements, int p) {
  if (p <= 2 || links.link.alpha <= 0) return p <= 2 ? 0 : std::max<std::int64_t>(1, elements / 256);
  const double bytes = static_cast<double>(elements) * links.element_bytes;
  const double chunk = std::sqrt(bytes * links.link.alpha / ((p - 2) * links.link.beta)) / links.element_bytes;
  return std::clamp<std::int64_t>(std::llround(chunk), std::max<std::int64_t>(1, elements / 4096), elements);
}

GroupSpec spec_of(const GroupAlgorithm& algorithm, Operation op, std::int64_t elements, const FormLinks& links,
                  const CollectiveGroup& group) {
  GroupSpec spec;
  spec.op = op;
  spec.ranks = group.ranks();
  spec.counts = BlockCounts::whole(elements);
  if (algorithm.groups) spec.group_size = group.gpus_per_node;
  if (algorithm.chunks) spec.chunk = best_chunk(links, elements, spec.ranks);
  return spec;
}

std::optional<int> switch_place(const CollectiveGroup& group) {
  if (group.nodes == 1) return group.platform.nvswitch_place(0);
  return group.gpus_per_node == 1 ? group.platform.network_switch_place() : std::nullopt;
}

std::optional<GroupForm> form_of(const GroupAlgorithm& algorithm, const GroupSpec& spec, const FormLinks& links) {
  GroupFormResult result = group_form(algorithm, spec, links);
  if (auto* form = std::get_if<GroupForm>(&result)) return std::move(*form);
  return std::nullopt;
}

} // namespace

std::string cannot(const GroupAlgorithm& algorithm, Operation op, const CollectiveGroup& group) {
  if (!algorithm.serves(op)) return fmt::format("{} does not serve {}", algorithm.name, operation_name(op));
  if (algorithm.needs_switch && !switch_place(group))
    return fmt::format("{} needs a switch that reduces between all ranks: NVLS in one node, SHARP among nodes with one "
                       "rank each",
                       algorithm.name);
  return {};
}

void fill_form(const GroupAlgorithm& algorithm, const GroupSpec& spec, const FormLinks& links, CollectiveRow& row) {
  const auto form = form_of(algorithm, spec, links);
  if (!form) return;
  row.closed_form_us = form->cost.total() * 1e6;
  row.exact = form->exact();
}

void fill_bandwidths(Operation op, int ranks, CollectiveRow& row) {
  row.algbw = static_cast<double>(row.size_bytes) / row.time_us / 1e3;
  row.busbw = row.algbw * bus_factor(op, ranks);
}

CollectiveRow plain_row(const GroupAlgorithm& algorithm, Operation op, std::int64_t elements, int element_size,
                        const CollectiveGroup& group) {
  const FormLinks links = group.links(element_size);
  const GroupSpec spec = spec_of(algorithm, op, elements, links, group);
  const auto schedule = make_group_schedule(algorithm, spec);
  GroupWork work{schedule.get(),
                 std::string(operation_name(op)),
                 group.places,
                 static_cast<double>(element_size),
                 group.spec.message_bytes ? group.spec.message_bytes->value() : 0,
                 {}};
  if (schedule->members() > schedule->ranks()) work.place.push_back(switch_place(group).value_or(0));
  CollectiveRow row;
  row.size_bytes = elements * element_size;
  row.count = counts_blocks(op) ? elements / group.ranks() : elements;
  const RunResult run = simulate_group(group.spec, group.platform, work);
  row.time_us = run.time * 1e6;
  row.bound_by = bound_by(group.spec, run.iteration_path, run.iteration_held);
  row.algorithm = algorithm.name;
  row.why = "as asked for";
  fill_form(algorithm, spec, links, row);
  fill_bandwidths(op, group.ranks(), row);
  return row;
}

CollectiveRow fastest_row(Operation op, std::int64_t elements, int element_size, const CollectiveGroup& group) {
  constexpr int all_up_to = 128;
  constexpr std::size_t some = 3;
  std::vector<const GroupAlgorithm*> rows;
  for (const GroupAlgorithm* row : group_algorithms_for(op))
    if (cannot(*row, op, group).empty()) rows.push_back(row);
  const std::size_t all = rows.size();
  if (group.ranks() > all_up_to && all > some) {
    const FormLinks links = group.links(element_size);
    const auto expected = [&](const GroupAlgorithm* row) {
      const auto form = form_of(*row, spec_of(*row, op, elements, links, group), links);
      return form ? form->cost.total() : std::numeric_limits<double>::infinity();
    };
    std::ranges::stable_sort(rows, {}, expected);
    rows.resize(some);
  }
  std::optional<CollectiveRow> best, next;
  for (const GroupAlgorithm* row : rows) {
    CollectiveRow tried = plain_row(*row, op, elements, element_size, group);
    if (!best || tried.time_us < best->time_us) {
      next = std::exchange(best, std::move(tried));
    } else if (!next || tried.time_us < next->time_us) {
      next = std::move(tried);
    }
  }
  best->why = rows.size() < all ? fmt::format("fastest of {} simulated, of {}", rows.size(), all)
                                : fmt::format("fastest of {}", all);
  if (next) best->why += fmt::format("; {} takes {:.6g} us", next->algorithm, next->time_us);
  return std::move(*best);
}

} // namespace gradflight
