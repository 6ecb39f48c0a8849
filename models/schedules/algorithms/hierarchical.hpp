// Hierarchical all-reduce: groups of workers, groups of their masters, and so on; then the way back.
//
// The members of level 0 are the workers in order. Each level cuts its members into groups of group_size (the last may
// be smaller); the groups' masters, in order, are the members of the next level. After the last level the remaining
// masters exchange by the top schedule, then every level broadcasts, last to first. group.hpp describes a group's work
// and costs.
//
// Settings of the papers (levels leaves first; "top" as in ExchangeSpec):
//   INCEPTIONN Fig. 1(a)  every level {flat, flat, dedicated} until one aggregator is left: a tree of aggregators
//   INCEPTIONN Fig. 1(b)  level 0 {allreduce, any broadcast}, the levels above as in (a): rings at the leaves
//   INCEPTIONN Fig. 1(c)  every level {allreduce, any broadcast}, top ring: rings at all levels
//   GradientFlow Fig. 7(b) one level {ring, binomial}, top ring: ring reduce, ring of masters, broadcast (the default)
//
// Participants are the workers, then the dedicated aggregators, level by level. The workers do the updates.
#pragma once

#include "models/schedules/algorithms/group.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace gradflight {

/// The positions of all participants in a hierarchy, level by level.
struct HierarchyLayout {
  /// Member i of a row of participants is first + i * stride.
  struct Row {
    int first, stride, count;
    [[nodiscard]] int participant(int i) const { return first + i * stride; }
    [[nodiscard]] std::optional<int> find(int participant) const;
  };
  struct Seat {
    int group = 0;
    GroupSeat seat;
  };
  struct Level {
    HierarchyLevel spec;
    Row members;
    int aggregators = 0; ///< the first of them; only if dedicated
    int groups = 0;
    bool informed = false; ///< its all-reduce already gave every member the final result: no broadcast

    [[nodiscard]] Row masters() const;
    [[nodiscard]] int size() const { return std::min(spec.group_size, members.count); } ///< of a full group
    [[nodiscard]] bool even() const { return members.count % size() == 0; }
    [[nodiscard]] std::optional<Seat> find(int participant) const;
    /// Maps a group's step from positions to participants.
    [[nodiscard]] Step mapped(Step step, const Seat& seat) const;
  };

  /// Throws std::invalid_argument on 0 workers, or a group_size below 1.
  HierarchyLayout(int workers, const std::vector<HierarchyLevel>& specs);

  int participants; ///< workers, then the aggregators of every level
  Row masters;      ///< those left after the last level (or workers, without levels)
  std::vector<Level> levels;
};

/// One part of one level's work as a separate schedule over all of the hierarchy's participants.
class HierarchyPart final : public Schedule {
public:
  HierarchyPart(const HierarchyLayout& layout, std::size_t level, GroupPart part)
      : level_(layout.levels[level]), participants_(layout.participants), part_(part) {}

  [[nodiscard]] int participants() const override { return participants_; }
  [[nodiscard]] int workers() const override { return participants_; }
  [[nodiscard]] int steps(int participant) const override;
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;
  [[nodiscard]] int distinct_steps(int participant) const override;

private:
  HierarchyLayout::Level level_;
  int participants_;
  GroupPart part_;
};

class Hierarchical final : public Schedule {
public:
  /// `top` is an all-reduce over the remaining masters, without helpers and without lag; null if one master remains.
  /// Throws std::invalid_argument on anything else, or a group_size below 1.
  Hierarchical(int workers, const std::vector<HierarchyLevel>& levels, std::unique_ptr<Schedule> top);

  [[nodiscard]] int participants() const override { return layout_.participants; }
  [[nodiscard]] int workers() const override { return workers_; }
  [[nodiscard]] int steps(int participant) const override;
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;
  [[nodiscard]] std::int64_t messages(int participant) const override;
  /// The top's ring. A master receives everything else from its own groups before it, and sends to them after it.
  [[nodiscard]] std::optional<RingPart> ring() const override;
  [[nodiscard]] RingSteps ring_steps(int participant) const override;
  void send_outside_ring(int participant, std::vector<int>& to) const override;

private:
  /// Calls `found(step, times)` for each step of a participant's groups; once for steps that repeat the same partners.
  template <class F> void for_each_group_step(int participant, const F& found) const;
  int workers_;
  HierarchyLayout layout_;
  std::unique_ptr<Schedule> top_;
};

/// Builds it from an exchange's settings; the catalogue row makes the top. Throws std::invalid_argument as above, and
/// if several masters remain but the row cannot be a top.
std::unique_ptr<Schedule> make_hierarchical(const ExchangeSpec& exchange, int workers);
/// A gather to the first of `masters` masters, and a send-back: a top like a parameter server.
std::unique_ptr<Schedule> gather_and_send_back(int masters);

} // namespace gradflight
