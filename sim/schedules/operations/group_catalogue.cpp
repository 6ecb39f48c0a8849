#include "sim/schedules/operations/group_catalogue.hpp"

#include "sim/schedules/operations/group_rows.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace gradflight {

namespace {

template <Operation... served> bool any_of(Operation op) { return ((op == served) || ...); }

constexpr GroupAlgorithm rows_of_groups[] = {
    {.name = "ring",
     .title = "ring",
     .documentation = "each rank hands blocks to the next one of a ring",
     .serves = any_of<Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::sendrecv>,
     .schedule = group_ring,
     .form = group_ring_form},
    {.name = "pairwise",
     .title = "pairwise exchange",
     .documentation = "each rank exchanges with one other rank after another",
     .serves = any_of<Operation::alltoall, Operation::reduce_scatter>,
     .schedule = group_pairwise,
     .form = group_pairwise_form},
};

/// A group of one: its vector is where it belongs.
class NothingToDo final : public GroupSchedule {
public:
  [[nodiscard]] int ranks() const override { return 1; }
  [[nodiscard]] std::int64_t steps(int, int) const override { return 0; }
  [[nodiscard]] LaneStep step(int, int, std::int64_t) const override { return {}; }
  void contents(int, int, std::int64_t, std::vector<Piece>&) const override {}
};

void require_possible(const GroupAlgorithm& algorithm, const GroupSpec& spec) {
  std::vector<std::string> found = problems(spec);
  if (!algorithm.serves(spec.op))
    found.push_back(fmt::format("{} does not serve {}", algorithm.name, operation_name(spec.op)));
  if (!found.empty()) throw std::invalid_argument(fmt::format("{}", fmt::join(found, "; ")));
}

} // namespace

std::span<const GroupAlgorithm> group_algorithms() { return rows_of_groups; }

const GroupAlgorithm* group_algorithm(std::string_view name) {
  for (const GroupAlgorithm& row : group_algorithms())
    if (row.name == name) return &row;
  return nullptr;
}

std::vector<const GroupAlgorithm*> group_algorithms_for(Operation op) {
  std::vector<const GroupAlgorithm*> rows;
  for (const GroupAlgorithm& row : group_algorithms())
    if (row.serves(op)) rows.push_back(&row);
  return rows;
}

std::unique_ptr<GroupSchedule> make_group_schedule(const GroupAlgorithm& algorithm, const GroupSpec& spec) {
  require_possible(algorithm, spec);
  if (spec.ranks == 1) return std::make_unique<NothingToDo>();
  return algorithm.schedule(spec);
}

GroupFormResult group_form(const GroupAlgorithm& algorithm, const GroupSpec& spec, const FormLinks& links) {
  require_possible(algorithm, spec);
  if (spec.ranks == 1) return GroupForm{std::string(algorithm.name), "0: a group of one", "", {}, false, {}};
  return algorithm.form(spec, links);
}

} // namespace gradflight
