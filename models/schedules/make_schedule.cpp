#include "models/schedules/make_schedule.hpp"

#include "models/schedules/algorithms/hierarchical.hpp"
#include "models/schedules/algorithms/parameter_server.hpp"
#include "models/schedules/algorithms/sharded.hpp"

#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {

namespace {

std::unique_ptr<Schedule> leg_of(const ExchangeSpec& exchange, int workers, Leg leg) {
  if (!has_servers(exchange)) throw std::invalid_argument("only a parameter server has a push and a pull of their own");
  return make_parameter_server(exchange, workers, leg);
}

/// A group of one rank: it already has the result.
class NothingToDo final : public GroupSchedule {
public:
  [[nodiscard]] int ranks() const override { return 1; }
  [[nodiscard]] std::int64_t steps(int, int) const override { return 0; }
  [[nodiscard]] LaneStep step(int, int, std::int64_t) const override { return {}; }
  void contents(int, int, std::int64_t, std::vector<Piece>&) const override {}
};

void require_possible(const Collective& row, const GroupSpec& spec) {
  std::vector<std::string> found = problems(spec);
  if (!row.group.serves(spec.op)) found.push_back(unsupported_operation(row, spec.op));
  if (!found.empty()) throw std::invalid_argument(fmt::format("{}", fmt::join(found, "; ")));
}

} // namespace

int helper_count(const ExchangeSpec& exchange, int workers) {
  const auto helpers = collective(exchange.algorithm).helpers;
  return helpers == nullptr ? 0 : helpers(exchange, workers);
}

std::unique_ptr<Schedule> make_push_schedule(const ExchangeSpec& exchange, int workers) {
  return leg_of(exchange, workers, Leg::push);
}

std::unique_ptr<Schedule> make_pull_schedule(const ExchangeSpec& exchange, int workers) {
  return leg_of(exchange, workers, Leg::pull);
}

std::unique_ptr<Schedule> make_schedule(const ExchangeSpec& exchange, int workers) {
  const Collective& row = collective(exchange.algorithm);
  if (exchange.pieces != 1 && !row.keys.pieces) throw std::invalid_argument("only a ring supports blocks in pieces");
  if (caller_of(exchange) != nullptr) throw std::invalid_argument("calls have schedules of their own");
  return row.schedule(exchange, workers);
}

std::string missing_form(const ExchangeSpec& exchange, int workers) {
  const Collective& row = collective(exchange.algorithm);
  if (const auto* none = std::get_if<NoForm>(&row.form)) return std::string("no closed form: ") + none->why;
  if (row.keys.sharded && exchange.sharded.library)
    return missing_form({.algorithm = *exchange.sharded.library}, workers);
  if (row.keys.sharded && ShardGroups(exchange.sharded, workers).groups > 1 &&
      !std::holds_alternative<const StepsForm*>(collective(exchange.top).form))
    return "no closed form: shards are summed across groups by " + std::string(collective(exchange.top).name);
  if (!row.keys.levels || HierarchyLayout(workers, exchange.levels).masters.count == 1) return {};
  const Collective& top = collective(exchange.top);
  if (const auto* none = std::get_if<NoForm>(&top.form))
    return "no closed form: the top is " + std::string(top.name) + ": " + none->why;
  return {};
}

std::string unsupported_operation(const Collective& row, Operation op) {
  std::vector<std::string_view> others;
  for (const Collective* other : group_collectives_for(op)) others.push_back(other->name);
  return fmt::format("{} does not support {}. Allowed: {}", row.name, operation_name(op), fmt::join(others, ", "));
}

std::unique_ptr<GroupSchedule> make_group_schedule(const Collective& row, const GroupSpec& spec) {
  require_possible(row, spec);
  if (spec.ranks == 1) return std::make_unique<NothingToDo>();
  return row.group.schedule(spec);
}

GroupFormResult group_form(const Collective& row, const GroupSpec& spec, const FormLinks& links) {
  require_possible(row, spec);
  if (spec.ranks == 1) return GroupForm{std::string(row.name), "0: a group of one", "", {}, false, {}};
  return row.group.form(spec, links);
}

} // namespace gradflight
