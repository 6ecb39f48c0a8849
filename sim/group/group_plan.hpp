// An operation of a process group as a plan for an engine: a stream for each lane of each member.
#pragma once

#include "models/collectives/hop_cost.hpp"
#include "sim/group/group_course.hpp"
#include "sim/plan/plan.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gradflight {

class Platform;

/// The work of a group. `schedule` must outlive the plans made from it.
struct GroupWork {
  const GroupSchedule* schedule = nullptr;
  std::string name;                ///< "all_reduce", for timelines and messages about unfinished streams
  std::vector<std::int32_t> place; ///< of each member: a place of the platform; helpers are at switches
  double element_bytes = 4;        ///< > 0
  double message_bytes = 0;        ///< added to the data of every message on the links; >= 0
  HopCosts hops{};
  int repeats = 1; ///< >= 1; each lane of a member starts again as soon as it is through
  /// Of each link of the platform, the link that messages use instead; empty: each is used itself.
  std::vector<std::int32_t> stand_ins{};
};

/// Work that takes as long as other work with more members or lanes.
struct FoldedWork {
  std::unique_ptr<GroupSchedule> schedule;
  GroupWork work; ///< uses this schedule
};

class GroupPlan final : public Plan {
public:
  /// `leaves_out`: as in GroupCourse.
  GroupPlan(GroupWork work, const Platform& platform, bool leaves_out = false);

  [[nodiscard]] const PlanShape& shape() const override { return shape_; }
  [[nodiscard]] PlanNames names() const override;
  [[nodiscard]] std::unique_ptr<Program> program(int rank, int stream) override;
  void weigh(const StepOp& op, int rank, std::uint32_t message, double bandwidth, Weight& weight) override;
  void marked(double time, bool last) override { course_.marked(time, last); }
  GroupCourse& course() { return course_; }

private:
  GroupWork work_;
  GroupCourse course_;
  PlanShape shape_;
  std::vector<double> gamma_;      ///< of each member: seconds to reduce an element
  std::vector<std::int32_t> node_; ///< of each member
  std::vector<double> posted_;     ///< number of messages that each member has posted between nodes
};

/// The only plan of a run.
class GroupPlans final : public PlanSequence {
public:
  GroupPlans(GroupWork work, const Platform& platform, bool leaves_out = false)
      : plan_(std::move(work), platform, leaves_out) {}
  Plan* next() override {
    begun_ = true;
    return &plan_;
  }
  [[nodiscard]] bool last() const override { return begun_; }
  [[nodiscard]] bool through_nics() const override { return false; }
  GroupCourse& course() { return plan_.course(); }

private:
  GroupPlan plan_;
  bool begun_ = false;
};

} // namespace gradflight
