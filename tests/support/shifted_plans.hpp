// A scenario's plans on other slots of a larger platform, as if its first node were node `nodes`.
#pragma once

#include "sim/training_plans.hpp"

#include <memory>

namespace gradflight::test {

class ShiftedPlan final : public Plan {
public:
  ShiftedPlan(Plan& plan, std::int32_t slots) : plan_(plan), shape_(plan.shape()) {
    for (std::int32_t& place : shape_.place) place += slots;
  }
  [[nodiscard]] const PlanShape& shape() const override { return shape_; }
  [[nodiscard]] PlanNames names() const override { return plan_.names(); }
  [[nodiscard]] std::unique_ptr<Program> program(int rank, int stream) override { return plan_.program(rank, stream); }
  void weigh(const StepOp& op, int rank, std::uint32_t message, double bandwidth, Weight& weight) override {
    plan_.weigh(op, rank, message, bandwidth, weight);
  }

private:
  Plan& plan_;
  PlanShape shape_;
};

class ShiftedPlans final : public PlanSequence {
public:
  /// `platform` is the scenario's own. `slots` is the shift of its ranks.
  ShiftedPlans(const Scenario& scenario, const Platform& platform, std::int32_t slots)
      : plans_(scenario, platform), slots_(slots) {}
  Plan* next() override {
    Plan* const plan = plans_.next();
    if (plan == nullptr) return nullptr;
    plan_ = std::make_unique<ShiftedPlan>(*plan, slots_);
    return plan_.get();
  }
  [[nodiscard]] bool last() const override { return plans_.last(); }
  [[nodiscard]] bool through_nics() const override { return plans_.through_nics(); }

private:
  TrainingPlans plans_;
  std::int32_t slots_;
  std::unique_ptr<ShiftedPlan> plan_;
};

} // namespace gradflight::test
