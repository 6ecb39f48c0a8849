#include "models/schedules/make_schedule.hpp"

#include "models/schedules/algorithms/hierarchical.hpp"
#include "models/schedules/algorithms/parameter_server.hpp"
#include "models/schedules/algorithms/sharded.hpp"

#include <stdexcept>

namespace gradflight {

namespace {

std::unique_ptr<Schedule> leg_of(const ExchangeSpec& exchange, int workers, Leg leg) {
  if (!has_servers(exchange)) throw std::invalid_argument("only a parameter server has a push and a pull of their own");
  return make_parameter_server(exchange, workers, leg);
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

} // namespace gradflight
