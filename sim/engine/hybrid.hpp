// Shared by both drivers of a hybrid run: the executor's own loop (run_plans.cpp) and SimGrid's clock (sim/simgrid).
#pragma once

#include "sim/engine/executor.hpp"
#include "sim/engine/network/fair_network.hpp"

#include <memory>

namespace gradflight {

/// Returns the network that shares the executor's links max-min fairly. The executor must outlive it.
inline std::unique_ptr<FairNetwork> fair_network(Executor& executor) {
  Machine& machine = executor.machine();
  auto network = std::make_unique<FairNetwork>(machine.links, executor.calendar(), executor.transport().messages(),
                                               machine.ledger, machine.delays, executor.transport());
  const std::vector<DirectedLink>& links = machine.platform.links();
  for (std::size_t l = 0; l < links.size(); ++l)
    if (links[l].burst > 0) network->set_burst(static_cast<std::int32_t>(l), links[l].burst);
  return network;
}

} // namespace gradflight
