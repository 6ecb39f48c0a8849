// A scenario's training as plans for an engine: one for each phase, with real tensors if the scenario has them.
#pragma once

#include "scenarios/language/types/scenario.hpp"
#include "sim/data/data_plane.hpp"
#include "sim/engine/streams/engine_options.hpp"
#include "sim/plan/plan.hpp"
#include "sim/training/job.hpp"

namespace gradflight {

/// One phase.
class TrainingPlan final : public Plan {
public:
  /// `memory`: from the previous phase, for real tensors.
  TrainingPlan(const Scenario& scenario, const Phase& phase, const Platform& platform, ChunkData::Memory memory);

  [[nodiscard]] const PlanShape& shape() const override { return shape_; }
  [[nodiscard]] PlanNames names() const override;
  [[nodiscard]] std::unique_ptr<Program> program(int rank, int stream) override { return job_.program(rank, stream); }
  void weigh(const StepOp& op, int rank, std::uint32_t message, double bandwidth, Weight& weight) override;
  void received(const StepOp& op, int rank, std::uint32_t message) override { data_->receive(op, rank, message); }
  void signalled(const SignalOp& op, int rank, int stream) override;
  [[nodiscard]] std::optional<Rings> rings() const override { return job_.rings(); }
  [[nodiscard]] RingVector ring_vector(int bucket) const override { return job_.ring_vector(bucket); }
  void name_whole_collectives() override { job_.name_whole_collectives(); }
  [[nodiscard]] bool repeats_calls() const override { return job_.repeats_calls(); }
  void name_calls() override { job_.name_calls(); }
  void calls_ahead(std::int64_t call, std::vector<CallAhead>& ahead) const override { job_.calls_ahead(call, ahead); }

  /// Returns the number of gradients that servers do not use, over all buckets and servers (backup workers). A server
  /// ends each step without them, whether or not they still arrive before the end.
  [[nodiscard]] std::int64_t dropped_gradients() const;
  [[nodiscard]] DataPlane* data() { return data_ ? &*data_ : nullptr; }

private:
  Job job_;
  std::string name_; ///< of the job if several exist; else empty
  PlanShape shape_;
  std::optional<DataPlane> data_; ///< real tensors under way
};

class TrainingPlans final : public PlanSequence {
public:
  /// `platform` must be build_platform(scenario.platform, extra_nodes(scenario)). Both must outlive this.
  TrainingPlans(const Scenario& scenario, const Platform& platform) : scenario_(scenario), platform_(platform) {}

  Plan* next() override;
  [[nodiscard]] bool last() const override { return begun_ == scenario_.phases.size(); }
  [[nodiscard]] bool through_nics() const override;

  [[nodiscard]] double start() const override { return scenario_.seat ? scenario_.seat->start : 0; }
  [[nodiscard]] std::string name() const override {
    return scenario_.seat && scenario_.seat->several ? scenario_.seat->name : std::string();
  }

  /// Completes the result of these plans with the gradients that servers drop and what happened to real tensors.
  RunResult own_result(RunResult own);
  /// Returns the result of a run of these plans alone, with its links and the result of the real tensors.
  RunResult result(PlansResult run);

private:
  ChunkData::Memory close_data();

  const Scenario& scenario_; // of one job
  const Platform& platform_;
  std::size_t begun_ = 0;
  std::int64_t dropped_gradients_ = 0; ///< of the phases that began
  std::unique_ptr<TrainingPlan> plan_;
  std::optional<DataResult> data_result_;
};

} // namespace gradflight
