// Runs a schedule without any engine: message queues per ordered pair, the order of participants at random.
//
// Every element of every participant carries the set of workers whose contribution it holds (a bit each, p <= 64), so
// that each operation can be checked: nobody sends what it lacks, a reduction never adds a contribution twice, a taken
// range always brings something new (but to a worker alone, who gets its own back) and loses nothing.
#pragma once

#include "models/schedules/parts/exchange.hpp"
#include "models/schedules/parts/schedule.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace gradflight::test {

using Contributions = std::uint64_t;
using Vector = std::vector<Contributions>;

struct ExecutorOptions {
  std::int64_t n = 1;            ///< elements; for lists the number of list slots
  unsigned seed = 1;             ///< order in which participants get their turn, and of `anyone`
  bool rendezvous = false;       ///< a send has arrived only when its receiver took it; else at once
  bool lossless = true;          ///< a take must lose no contribution
  bool no_repeats = true;        ///< a take must bring something new, so what is complete arrives once
  bool wraps = false;            ///< ranges are modulo n
  std::int64_t unclaimed = 0;    ///< messages that may be left over
  Contributions update_with = 0; ///< number of contributions an update must see; 0: all
  std::function<int(int)> place = [](int participant) { return participant; };
  std::function<Vector(int)> initial; ///< default: a worker's own contribution everywhere, nothing for helpers
};

struct Execution {
  std::vector<Vector> data;             ///< per participant, at the end
  std::int64_t messages = 0, units = 0; ///< between different places: number, and elements (or lists) carried
  std::int64_t updated = 0;             ///< elements updated
  int alphas = 0;                       ///< longest chain of messages between different places
};

/// Throws std::runtime_error with the participant and its step on any violation or deadlock.
Execution execute(const Schedule& schedule, const ExecutorOptions& options);
/// The same of an exchange's schedule, which must have the participants that the catalogue promises.
Execution execute(const ExchangeSpec& exchange, int workers, const ExecutorOptions& options);

/// All workers' bits.
Contributions everyone(int workers);
/// Whether every worker ends with the sum.
bool all_reduced(const Execution& execution, int workers);

} // namespace gradflight::test
