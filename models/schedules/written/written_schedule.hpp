// A schedule that somebody wrote down: per rank and step, what is sent, received and added up.
//
// The vector is cut into blocks. all_reduce, reduce, broadcast: blocks of the whole vector. all_gather, gather,
// reduce_scatter, scatter: equally many of each rank's part, rank by rank. alltoall: equally many of each pair's part,
// by sender, then receiver. A step starts its message, waits for the one that it receives, and adds that up or takes it
// in place of its own; it ends when what the rank has sent so far has arrived, too, unless `wait` is false.
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
  bool reduce = false; ///< what arrives is added to what the rank has; else it takes its place
};

struct WrittenStep {
  std::optional<WrittenSend> send{};
  std::optional<WrittenReceive> receive{};
};

struct WrittenSchedule {
  Operation operation = Operation::all_reduce;
  int ranks = 0;
  int blocks = 0;
  int root = 0; ///< read where has_root(operation)
  std::vector<std::vector<WrittenStep>> steps{};
};

/// Operations that can be written down, all but sendrecv and barrier.
bool can_be_written(Operation op);
/// What `blocks` is a multiple of: the ranks' parts of the vector, the pairs' of an alltoall, or 1.
std::int64_t written_parts(Operation op, int ranks);

/// Something wrong with a schedule, at a step or at what it says; `key` as in "send/to", empty: the whole of it.
struct WrittenMistake {
  int rank = -1, step = -1; ///< -1: the schedule as a whole, all steps of a rank
  std::string key{};
  std::string message{};
};

/// All that keeps the schedule from being carried out, at most `most` mistakes and one that says how many more:
/// messages to nobody or of blocks that do not exist, messages that nobody receives, ranks that wait for each other,
/// contributions that are added twice, and, with `contents`, blocks that do not end where the operation puts them.
/// There is an entry of `steps` for each rank.
std::vector<WrittenMistake> mistakes_in(const WrittenSchedule& schedule, bool contents = true, std::size_t most = 50);

/// The schedule for `counts.elements`, without mistakes. Blocks have whole elements, the first ones one more.
std::unique_ptr<GroupSchedule> make_written_schedule(std::shared_ptr<const WrittenSchedule> schedule,
                                                     std::int64_t elements);

} // namespace gradflight
