// What both drivers of a hybrid run need: the executor's own loop (simulate.cpp) and SimGrid's clock (sim/simgrid).
#pragma once

#include "sim/engine/executor.hpp"
#include "sim/engine/fair_network.hpp"

#include <memory>

namespace gradflight {

/// The network that shares the executor's links max-min fairly. The executor must outlive it.
inline std::unique_ptr<FairNetwork> fair_network(Executor& executor, const Platform& platform) {
  auto network = std::make_unique<FairNetwork>(executor.capacities(), executor.calendar(), executor.messages(),
                                               executor.ledger(), executor);
  for (std::size_t l = 0; l < platform.links().size(); ++l)
    if (platform.links()[l].burst > 0) network->set_burst(static_cast<std::int32_t>(l), platform.links()[l].burst);
  return network;
}

} // namespace gradflight
