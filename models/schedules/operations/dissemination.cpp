// Dissemination barrier (Hensgen, Finkel and Manber 1988): in round k a rank sends to rank + 2^k and receives from rank
// - 2^k. ceil(lg p) rounds, any p. Messages are empty.
#include "models/schedules/operations/parts/form_parts.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"
#include "models/schedules/operations/parts/run_schedule.hpp"

namespace gradflight {

namespace {

class Dissemination final : public RunSchedule {
public:
  using RunSchedule::RunSchedule;
  [[nodiscard]] bool one_message_a_pair() const override { return true; }

protected:
  [[nodiscard]] std::int64_t node_steps(int) const override { return ceil_lg(p()); }
  [[nodiscard]] RunStep node_step(int node, std::int64_t index) const override {
    RunStep step;
    step.to = wrap(node + (1 << index));
    step.from = wrap(node - (1 << index));
    return step;
  }
};

} // namespace

MadeSchedule group_dissemination(const GroupSpec& spec) { return std::make_unique<Dissemination>(spec); }

GroupFormResult group_dissemination_form(const GroupSpec& spec, const FormLinks& links) {
  return GroupForm{"dissemination_barrier",
                   "ceil(lg p) alpha",
                   "Hensgen, Finkel and Manber 1988",
                   elements_cost(links, ceil_lg(spec.ranks), 0),
                   false,
                   {}};
}

} // namespace gradflight
