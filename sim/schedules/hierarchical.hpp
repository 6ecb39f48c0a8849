// Hierarchical all-reduce: groups of workers, groups of their masters, and so on; then the way back.
//
// The members of level 0 are the workers in order. Each level cuts its members into groups of group_size (the last may
// be smaller); the groups' masters, in order, are the members of the next level. After the last level the remaining
// masters exchange by the top schedule, then every level broadcasts, last to first. group.hpp has what a group does and
// costs.
//
// Settings of the papers (levels leaves first; "top" as in ExchangeSpec):
//   INCEPTIONN Fig. 1(a)  every level {flat, flat, dedicated} until one aggregator is left: a tree of aggregators
//   INCEPTIONN Fig. 1(b)  level 0 {allreduce, any broadcast}, the levels above as in (a): rings at the leaves
//   INCEPTIONN Fig. 1(c)  every level {allreduce, any broadcast}, top ring: rings at all levels
//   GradientFlow Fig. 7(b) one level {ring, binomial}, top ring: ring reduce, ring of masters, broadcast (the default)
//
// Participants are the workers, then the dedicated aggregators, level by level. Nobody updates: workers do it
// themselves.
#pragma once

#include "sim/schedules/group.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace gradflight {

/// How many masters (or workers, without levels) are left after the last level.
int hierarchy_masters(int workers, const std::vector<HierarchyLevel>& levels);
/// How many aggregators of their own the levels ask for.
int hierarchy_aggregators(int workers, const std::vector<HierarchyLevel>& levels);

class Hierarchical final : public Schedule {
public:
  /// `top` is an all-reduce over hierarchy_masters() participants, without helpers and without lag; null when one is
  /// left. Throws std::invalid_argument on anything else, or a group_size below 1.
  Hierarchical(int workers, const std::vector<HierarchyLevel>& levels, std::unique_ptr<Schedule> top);

  [[nodiscard]] std::string name() const override { return "hierarchical"; }
  [[nodiscard]] int participants() const override { return participants_; }
  [[nodiscard]] int workers() const override { return workers_; }
  [[nodiscard]] int steps(int participant) const override;
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;

private:
  /// Member i of a row of participants is first + i * stride.
  struct Row {
    int first, stride, count;
    [[nodiscard]] int participant(int i) const { return first + i * stride; }
    [[nodiscard]] std::optional<int> find(int participant) const;
  };
  struct Level {
    HierarchyLevel spec;
    Row members;
    int aggregators = 0; ///< the first of them; dedicated only
    int groups = 0;
    bool informed = false; ///< its all-reduce already gave every member the end result: no broadcast
    [[nodiscard]] Row masters() const;
  };
  struct Place {
    int group;
    GroupSeat seat;
  };
  [[nodiscard]] static std::optional<Place> find(const Level& level, int participant);
  [[nodiscard]] static Step mapped(Step step, const Level& level, const Place& place);

  int workers_, participants_;
  std::vector<Level> levels_;
  Row masters_;
  std::unique_ptr<Schedule> top_;
};

} // namespace gradflight
