// One sequence of plans on an executor: its streams, what its ranks are busy with, and its own accounts.
#pragma once

#include "sim/engine/accounts/accounts.hpp"
#include "sim/engine/changes/median_speed.hpp"
#include "sim/engine/ring/ring_shortcut.hpp"
#include "sim/engine/streams/occupancy.hpp"
#include "sim/plan/plan.hpp"

#include <array>
#include <optional>

namespace gradflight {

struct Track {
  PlanSequence* plans = nullptr;
  Plan* plan = nullptr;               ///< the present one
  const PlanShape* shape = nullptr;   ///< of the present plan
  std::uint32_t first = 0;            ///< its streams are first..first+count-1, rank by rank
  std::uint32_t count = 0, ended = 0; ///< streams; those that have run to their end
  std::uint32_t per_rank = 1;         ///< streams of each rank
  bool over = false;                  ///< past its last mark: late workers are left behind
  double end = 0;
  TracedPath end_path{};
  Accounts accounts;
  std::optional<RingShortcut> ring;           ///< if its collectives are computed as a whole
  std::vector<bool> ring_links;               ///< if links change: marks those of the ring
  double ring_changed = -1, ring_changes = 0; ///< times of the last and the next change of these links
  std::array<std::vector<Occupancy>, resource_count> occupancies; ///< of each resource, rank by rank
  std::optional<MedianSpeed> median_speed;                        ///< of its workers; absent until one computes
  std::vector<double> computing_until;         ///< of each rank: end of its passes, if they slow messages (RankWork)
  std::vector<std::vector<std::uint32_t>> met; ///< per stream of a rank: members at the barrier
  // in the timeline:
  std::vector<int> rank_names; ///< of each rank
  int first_layer_name = 0, first_bucket_name = 0, first_cost_name = 0;

  [[nodiscard]] std::uint32_t address(int rank, int stream) const {
    return first + static_cast<std::uint32_t>(rank) * per_rank + static_cast<std::uint32_t>(stream);
  }
  [[nodiscard]] Occupancy& occupancy(int rank, Resource resource) {
    return occupancies[static_cast<std::size_t>(resource)][static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::int32_t place(int rank) const { return shape->place[static_cast<std::size_t>(rank)]; }
  /// Whether nothing more will happen in it by itself.
  [[nodiscard]] bool done() const { return over || (ended == count && plans->last() && accounts.in_flight() == 0); }
};

/// The tracks of an executor, by number.
struct Tracks {
  explicit Tracks(std::size_t count) : all(count) {}

  std::vector<Track> all;
  bool some_over = false; ///< some track is over while it has streams that have not ended
  PathTies ties;

  Track& operator[](std::uint32_t plan) { return all[plan]; }
  const Track& operator[](std::uint32_t plan) const { return all[plan]; }
  [[nodiscard]] bool over(std::uint32_t plan) const { return some_over && all[plan].over; }
  [[nodiscard]] std::int64_t messages() const {
    std::int64_t messages = 0;
    for (const Track& track : all) messages += track.accounts.messages;
    return messages;
  }
};

} // namespace gradflight
