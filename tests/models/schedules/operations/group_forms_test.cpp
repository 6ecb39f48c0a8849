// Compares closed forms of operations on groups with their schedules on a star.
#include "models/schedules/make_schedule.hpp"
#include "tests/models/schedules/operations/star_clock.hpp"
#include "tests/support/effort.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <vector>

using namespace gradflight;
using namespace gradflight::test;

namespace {

const std::vector<int> numbers_of_ranks = test::is_sanitized ? std::vector<int>{2, 3, 4, 5, 7, 8, 12}
                                                             : std::vector<int>{2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 27};

struct FormTrial {
  int exact = 0, bounds = 0;
};

/// Compares the form with the schedule's time, if the form exists.
void try_form(const Collective& row, const GroupSpec& spec, FormTrial& trial) {
  for (const LinkParameters link :
       {LinkParameters{5, 1, 0}, LinkParameters{0.5, 2, 0.25}, LinkParameters{3, 0.25, 1}}) {
    const GroupFormResult result = group_form(row, spec, {link, link, 1});
    const GroupForm* form = std::get_if<GroupForm>(&result);
    if (form == nullptr) return;
    const double time = time_on_star(*make_group_schedule(row, spec), link);
    INFO(row.name << " " << operation_name(spec.op) << " p=" << spec.ranks << " n=" << spec.elements
                  << " chunk=" << spec.chunk << " group=" << spec.group_size << " root=" << spec.root
                  << " gamma=" << link.gamma << ": " << form->formula);
    bool conditions = true;
    for (const FormCondition& condition : form->conditions) conditions = conditions && condition.holds;
    if (form->exact()) {
      ++trial.exact;
      CHECK(form->cost.total() == Approx(time).epsilon(1e-9).margin(0));
    } else if (conditions) {
      ++trial.bounds;
      CHECK(form->cost.total() <= time * (1 + 1e-9));
      CHECK(form->cost.total() > 0);
    }
  }
}

} // namespace

TEST_CASE("forms of operations: exact on a star wherever they say so, and bounds are below") {
  for (const Collective* row : group_collectives())
    for (const Operation op : {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                               Operation::alltoall, Operation::broadcast, Operation::reduce, Operation::gather,
                               Operation::scatter, Operation::sendrecv, Operation::barrier}) {
      if (!row->group.serves(op)) continue;
      FormTrial trial;
      for (const int p : numbers_of_ranks)
        for (const std::int64_t n : {24 * p, 3 * p + 1}) {
          GroupSpec spec{op, p, p / 3, op == Operation::barrier ? 0 : n, 0, 1};
          try_form(*row, spec, trial);
          if (row->group.chunks)
            for (const std::int64_t chunk : {n / 2, n / 3, std::int64_t{4}}) {
              spec.chunk = chunk;
              if (n <= 16 * chunk) try_form(*row, spec, trial);
            }
          if (row->group.groups)
            for (const int group : {2, 3, 4, p}) {
              spec.group_size = group;
              try_form(*row, spec, trial);
            }
        }
      INFO(row->name << " " << operation_name(op));
      CHECK(trial.exact + trial.bounds > 10);
    }
}
