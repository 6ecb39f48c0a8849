#include "sim/schedules/make_schedule.hpp"

#include "sim/schedules/binomial.hpp"
#include "sim/schedules/halving_doubling.hpp"
#include "sim/schedules/hierarchical.hpp"
#include "sim/schedules/parameter_server.hpp"
#include "sim/schedules/recursive_doubling.hpp"
#include "sim/schedules/ring.hpp"
#include "sim/schedules/topk_allgather.hpp"

#include <stdexcept>

namespace gradflight {

namespace {

std::unique_ptr<Schedule> make_parameter_server(const ExchangeSpec& exchange, int workers, Leg leg) {
  if (exchange.algorithm != Algorithm::parameter_server)
    throw std::invalid_argument("only a parameter server has a push and a pull of their own");
  if (exchange.consistency != Consistency::synchronous && exchange.pull != Pull::flat)
    throw std::invalid_argument("a parameter server that answers each worker by itself has a flat pull");
  return std::make_unique<ParameterServer>(workers, exchange.servers, exchange.pull, exchange.colocated,
                                           exchange.backup_workers, leg);
}

std::unique_ptr<Schedule> make_top(Algorithm algorithm, int masters) {
  switch (algorithm) {
  case Algorithm::ring: return std::make_unique<RingAllReduce>(masters);
  case Algorithm::recursive_doubling: return std::make_unique<RecursiveDoubling>(masters);
  case Algorithm::halving_doubling: return std::make_unique<HalvingDoubling>(masters);
  case Algorithm::binomial_tree: return std::make_unique<BinomialTree>(masters);
  case Algorithm::parameter_server:
    return std::make_unique<Hierarchical>(
        masters, std::vector<HierarchyLevel>{{masters, GroupReduce::flat, GroupBroadcast::flat, false}}, nullptr);
  default: throw std::invalid_argument("the top of a hierarchy must be an all-reduce of dense vectors");
  }
}

} // namespace

int helper_count(const ExchangeSpec& exchange, int workers) {
  if (exchange.algorithm == Algorithm::parameter_server) return exchange.servers;
  if (exchange.algorithm == Algorithm::hierarchical) return hierarchy_aggregators(workers, exchange.levels);
  return 0;
}

std::unique_ptr<Schedule> make_push_schedule(const ExchangeSpec& exchange, int workers) {
  return make_parameter_server(exchange, workers, Leg::push);
}

std::unique_ptr<Schedule> make_pull_schedule(const ExchangeSpec& exchange, int workers) {
  return make_parameter_server(exchange, workers, Leg::pull);
}

std::unique_ptr<Schedule> make_schedule(const ExchangeSpec& exchange, int workers) {
  if (exchange.pieces != 1 && exchange.algorithm != Algorithm::ring)
    throw std::invalid_argument("only a ring's blocks travel in pieces");
  switch (exchange.algorithm) {
  case Algorithm::parameter_server: return make_parameter_server(exchange, workers, Leg::both);
  case Algorithm::ring: return std::make_unique<RingAllReduce>(workers, exchange.pieces);
  case Algorithm::recursive_doubling: return std::make_unique<RecursiveDoubling>(workers);
  case Algorithm::halving_doubling: return std::make_unique<HalvingDoubling>(workers);
  case Algorithm::binomial_tree: return std::make_unique<BinomialTree>(workers);
  case Algorithm::hierarchical: {
    const int masters = hierarchy_masters(workers, exchange.levels);
    auto top = masters > 1 ? make_top(exchange.top, masters) : nullptr;
    return std::make_unique<Hierarchical>(workers, exchange.levels, std::move(top));
  }
  case Algorithm::topk_allgather: return std::make_unique<TopKAllGather>(workers, exchange.all_gather);
  case Algorithm::gtopk: return std::make_unique<GTopK>(workers);
  }
  throw std::invalid_argument("unknown exchange algorithm");
}

} // namespace gradflight
