// A schedule that a user writes: for each rank and step, what it sends, receives and adds.
//
// The vector is cut into blocks. all_reduce, reduce, broadcast: blocks of the whole vector. all_gather, gather,
// reduce_scatter, scatter: equally many blocks of each rank's part, rank by rank. alltoall: equally many of each pair's
// part, by sender, then receiver. A step starts its message, waits for the one that it receives, and adds or takes it.
// It ends when all messages that the rank has sent so far have arrived, unless `wait` is false.
#pragma once

#include "models/collectives/operation.hpp"
#include "models/schedules/operations/parts/group_schedule.hpp"
#include "models/schedules/operations/parts/group_spec.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct WrittenSend {
  int to = 0;
  std::vector<int> blocks{};
  bool wait = true; ///< false: the message sets out at once, and the step does not wait for it
};

struct WrittenReceive {
  int from = 0;
  std::vector<int> blocks{};
  bool reduce = false; ///< the rank adds received data to its own; otherwise it replaces its own
};

struct WrittenStep {
  std::optional<WrittenSend> send{};
  std::optional<WrittenReceive> receive{};
};

struct WrittenSchedule {
  Operation operation = Operation::all_reduce;
  int ranks = 0;
  int blocks = 0;
  int root = 0; ///< used if has_root(operation)
  std::vector<std::vector<WrittenStep>> steps{};
};

/// Whether an operation can be written: all but sendrecv and barrier.
bool can_be_written(Operation op);
/// `blocks` is a multiple of this: the number of ranks' parts of the vector, of the pairs' in an alltoall, or 1.
std::int64_t written_parts(Operation op, int ranks);

/// A mistake in a schedule, in a step or in its description; `key` as in "send/to", empty: the whole.
struct WrittenMistake {
  int rank = -1, step = -1; ///< -1: the schedule as a whole, all steps of a rank
  std::string key{};
  std::string message{};
};

/// Returns the mistakes that keep the schedule from running, at most `most` and one that gives the number of the
/// others: messages to no rank or with unknown blocks, messages that no rank receives, ranks that wait for each other,
/// contributions that are added twice, and, with `contents`, blocks that do not end where the operation puts them.
/// `steps` must have an entry for each rank.
std::vector<WrittenMistake> mistakes_in(const WrittenSchedule& schedule, bool contents = true, std::size_t most = 50);

/// Builds a schedule without mistakes for `elements`. Blocks have whole elements; the first ones have one more.
std::unique_ptr<GroupSchedule> make_written_schedule(std::shared_ptr<const WrittenSchedule> schedule,
                                                     std::int64_t elements);

} // namespace gradflight
