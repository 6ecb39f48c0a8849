#include "sim/engine/watch.hpp"

#include "sim/engine/streams/failure.hpp"

#include <fmt/format.h>

namespace gradflight {

void Watch::look(double now, std::int64_t inside) const {
  if (std::chrono::duration<double>(Clock::now() - start_).count() <= *wall_time_) return;
  std::int64_t iterations = 0;
  for (const Track& track : tracks_.all) iterations += track.accounts.iterations_done();
  // No stream is the cause, so none is named.
  throw SimulationFailure(fmt::format("limits.wall_time, {} s, is exceeded after {:.6g} s of simulated time, {} "
                                      "messages and {} complete iterations",
                                      *wall_time_, now, tracks_.messages() + inside, iterations),
                          {});
}

void Watch::give_up_simulated() const {
  fail(streams_, fmt::format("limits.simulated_time, {} s, is exceeded", *simulated_time_));
}

} // namespace gradflight
