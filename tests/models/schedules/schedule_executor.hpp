// Executes a schedule without an engine: message queues per ordered pair, with participants in random order.
//
// Every element of every participant holds the set of contributing workers (a bit each, p <= 64), so each operation can
// be checked. No participant sends missing data, and a reduction never adds a contribution twice. A received range
// always adds new data and loses nothing. The exception is a single worker, which receives its own data back.
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
  std::int64_t n = 1;            ///< number of elements; for lists the number of list slots
  unsigned seed = 1;             ///< seed for the order of participants, and for `anyone`
  bool rendezvous = false;       ///< true: a send arrives only when its receiver takes it; false: immediately
  bool lossless = true;          ///< a take must lose no contribution
  bool no_repeats = true;        ///< a take must add new data, so complete data arrives only once
  bool wraps = false;            ///< ranges count modulo n
  std::int64_t unclaimed = 0;    ///< number of messages that may remain
  Contributions update_with = 0; ///< number of contributions that an update needs; 0: all
  std::function<int(int)> place = [](int participant) { return participant; };
  std::function<Vector(int)> initial; ///< default: a worker's own contribution everywhere; empty for helpers
};

struct Execution {
  std::vector<Vector> data; ///< for each participant, at the end
  /// Between different places: number of messages, and of transferred elements (or lists).
  std::int64_t messages = 0, units = 0;
  std::int64_t updated = 0; ///< number of updated elements
  int alphas = 0;           ///< longest chain of messages between different places
};

/// Throws std::runtime_error with the participant and its step on any violation or deadlock.
Execution execute(const Schedule& schedule, const ExecutorOptions& options);
/// The same for an exchange's schedule, which must have the number of participants in the catalogue.
Execution execute(const ExchangeSpec& exchange, int workers, const ExecutorOptions& options);

/// Returns the bits of all workers.
Contributions everyone(int workers);
/// Whether every worker has the sum at the end.
bool all_reduced(const Execution& execution, int workers);

} // namespace gradflight::test
