#include "models/schedules/algorithms/sharded.hpp"

#include "models/schedules/algorithms/shards.hpp"
#include "models/schedules/parts/collective.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {

ShardGroups::ShardGroups(const ShardedSpec& sharded, int workers)
    : members(sharded.group_size == 0 ? workers : std::min(sharded.group_size, workers)), groups(workers / members) {
  if (members * groups != workers)
    throw std::invalid_argument(fmt::format("{} ranks do not form groups of {}", workers, members));
}

namespace {

/// Up to three schedules one after another: in the group, among the groups, in the group.
class Sharded final : public Schedule {
public:
  Sharded(const ExchangeSpec& x, int workers, ShardedLeg leg) : layout_(x.sharded, workers) {
    if (leg != ShardedLeg::gather) {
      scatter_ = std::make_unique<ReduceScatterBlocks>(layout_.members, x.sharded.reduce_scatter);
      if (layout_.groups > 1) {
        const auto among = collective(x.top).among_masters;
        if (among == nullptr) throw std::invalid_argument("shards are summed up across groups by an all-reduce");
        across_ = among(layout_.groups);
      }
    }
    if (leg != ShardedLeg::scatter) gather_ = std::make_unique<AllGatherBlocks>(layout_.members, x.all_gather);
  }

  [[nodiscard]] int participants() const override { return layout_.members * layout_.groups; }
  [[nodiscard]] int workers() const override { return participants(); }
  [[nodiscard]] int steps(int participant) const override {
    return steps_in(scatter_, member(participant)) + steps_in(across_, group(participant)) +
           steps_in(gather_, member(participant));
  }
  [[nodiscard]] std::int64_t messages(int participant) const override {
    return messages_in(scatter_, member(participant)) + messages_in(across_, group(participant)) +
           messages_in(gather_, member(participant));
  }
  [[nodiscard]] int distinct_steps(int participant) const override {
    const bool one = !across_ && (scatter_ == nullptr || gather_ == nullptr);
    if (!one) return steps(participant);
    return (scatter_ ? scatter_ : gather_)->distinct_steps(member(participant));
  }
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override {
    const int scattering = steps_in(scatter_, member(participant));
    if (index < scattering) return in_group(scatter_->step(n, member(participant), index), participant);
    index -= scattering;
    const int among = steps_in(across_, group(participant));
    if (index < among) {
      const Range shard = Blocks(n, layout_.members).range(member(participant));
      return among_groups(across_->step(shard.count, group(participant), index), participant, shard.first);
    }
    return in_group(gather_->step(n, member(participant), index - among), participant);
  }

private:
  using Part = std::unique_ptr<Schedule>;
  ShardGroups layout_;
  Part scatter_, across_, gather_;

  [[nodiscard]] int member(int participant) const { return participant % layout_.members; }
  [[nodiscard]] int group(int participant) const { return participant / layout_.members; }
  static int steps_in(const Part& part, int place) { return part ? part->steps(place) : 0; }
  static std::int64_t messages_in(const Part& part, int place) { return part ? part->messages(place) : 0; }

  [[nodiscard]] Step in_group(Step step, int participant) const {
    for (int* peer : {&step.to, &step.from})
      if (*peer >= 0) *peer += participant - member(participant);
    return step;
  }
  [[nodiscard]] Step among_groups(Step step, int participant, std::int64_t first) const {
    for (int* peer : {&step.to, &step.from})
      if (*peer >= 0) *peer = *peer * layout_.members + member(participant);
    step.out.first += first;
    step.in.first += first;
    return step;
  }
};

} // namespace

std::unique_ptr<Schedule> make_sharded(const ExchangeSpec& exchange, int workers, ShardedLeg leg) {
  return std::make_unique<Sharded>(exchange, workers, leg);
}

} // namespace gradflight
