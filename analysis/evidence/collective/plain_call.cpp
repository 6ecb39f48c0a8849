#include "analysis/evidence/collective/plain_call.hpp"

#include "sim/group/plain_group.hpp"
#include "sim/group/simulate_group.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>

namespace gradflight {

namespace {

GroupSpec spec_of(const Collective& algorithm, Operation op, std::int64_t elements, const FormLinks& links,
                  const CollectiveGroup& group) {
  return plain_spec(algorithm, op, elements, group.ranks(), group.gpus_per_node, links);
}

/// Returns the row of the schedule, without its name and its closed form.
CollectiveRow row_of(const GroupSchedule& schedule, Operation op, std::int64_t elements, int element_size,
                     const CollectiveGroup& group) {
  GroupWork work{&schedule,
                 std::string(operation_name(op)),
                 group.places,
                 static_cast<double>(element_size),
                 group.spec.message_bytes ? group.spec.message_bytes->value() : 0,
                 {}};
  if (schedule.members() > schedule.ranks())
    work.place.push_back(reducing_switch(group.platform, group.places).value_or(0));
  CollectiveRow row;
  row.size_bytes = elements * element_size;
  row.count = counts_blocks(op) ? elements / group.ranks() : elements;
  const RunResult run = simulate_group(group.spec, group.platform, work);
  row.time_us = run.time * 1e6;
  row.bound_by = bound_by(group.spec, {run.iteration_path, run.iteration_held, run.iteration_details});
  row.why = "as requested";
  fill_bandwidths(op, group.ranks(), row);
  return row;
}

/// Keeps the three schedules with the best closed forms. If ranks share links of one of them, its form is too good, and
/// the ring, which sends least between racks, stays as well.
void keep_best(std::vector<const Collective*>& rows, PlainForms& forms,
               const std::function<GroupSpec(const Collective&)>& spec) {
  constexpr std::ptrdiff_t some = 3;
  if (std::ssize(rows) <= some) return;
  std::ranges::stable_sort(rows, {}, [&](const Collective* row) {
    const auto form = forms.form(*row, spec(*row));
    return form ? form->cost.total() : std::numeric_limits<double>::infinity();
  });
  const auto others = rows.begin() + some;
  const auto ring = std::find_if(others, rows.end(), [](const Collective* row) { return row->name == "ring"; });
  const bool shared = ring != rows.end() && std::any_of(rows.begin(), others, [&](const Collective* row) {
                        return forms.links_shared(*row, spec(*row));
                      });
  if (shared) std::iter_swap(others, ring);
  rows.erase(others + (shared ? 1 : 0), rows.end());
}

} // namespace

std::string cannot(const Collective& algorithm, Operation op, const CollectiveGroup& group) {
  return cannot(algorithm, op, group.platform, group.places);
}

void fill_bandwidths(Operation op, int ranks, CollectiveRow& row) {
  row.algbw = static_cast<double>(row.size_bytes) / row.time_us / 1e3;
  row.busbw = row.algbw * bus_factor(op, ranks);
}

CollectiveRow plain_row(const Collective& algorithm, Operation op, std::int64_t elements, int element_size,
                        const CollectiveGroup& group, PlainForms& forms) {
  const GroupSpec spec = spec_of(algorithm, op, elements, forms.between_ranks(), group);
  CollectiveRow row = row_of(*make_group_schedule(algorithm, spec), op, elements, element_size, group);
  row.algorithm = algorithm.name;
  forms.fill(algorithm, spec, row);
  return row;
}

CollectiveRow written_row(const std::shared_ptr<const WrittenSchedule>& written, const std::string& name, Operation op,
                          std::int64_t elements, int element_size, const CollectiveGroup& group) {
  CollectiveRow row = row_of(*make_written_schedule(written, elements), op, elements, element_size, group);
  row.algorithm = name;
  return row;
}

CollectiveRow fastest_row(Operation op, std::int64_t elements, int element_size, const CollectiveGroup& group,
                          PlainForms& forms) {
  constexpr int all_up_to = 128;
  std::vector<const Collective*> rows;
  for (const Collective* row : group_collectives_for(op))
    if (cannot(*row, op, group).empty()) rows.push_back(row);
  const std::size_t all = rows.size();
  if (group.ranks() > all_up_to)
    keep_best(rows, forms,
              [&](const Collective& row) { return spec_of(row, op, elements, forms.between_ranks(), group); });
  std::optional<CollectiveRow> best, next;
  for (const Collective* row : rows) {
    CollectiveRow tried = plain_row(*row, op, elements, element_size, group, forms);
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
