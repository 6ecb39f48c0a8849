// Every rank sends directly to all receivers, all at once.
//
// all_reduce: the reduce-scatter below, then the all-gather below. A rank begins the second once it has its reduced
// block and all of its messages have arrived. all_gather, reduce_scatter and alltoall: a rank posts its messages to
// rank + 1, rank + 2, ..., rank - 1, waits for none of them, and then receives from rank - 1, rank - 2, ..., adding in
// this order. gather, reduce, scatter and broadcast: all messages go to the root, or from it; the root adds root + 1's
// vector first, then root + 2's. Messages are buffered and share the ports; empty blocks are sent, too.
#include "models/schedules/operations/parts/form_parts.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"
#include "models/schedules/operations/parts/run_schedule.hpp"

namespace gradflight {

namespace {

/// The root's step i is with node i + 1.
class SpreadFromRoot final : public RunSchedule {
public:
  explicit SpreadFromRoot(const GroupSpec& spec)
      : RunSchedule(spec), gathers_(spec.op == Operation::gather || spec.op == Operation::reduce),
        whole_(!counts_blocks(spec.op)), combine_(spec.op == Operation::reduce ? Combine::reduce : Combine::take) {}
  [[nodiscard]] bool one_message_a_pair() const override { return true; }

protected:
  [[nodiscard]] std::int64_t node_steps(int node) const override { return node == 0 ? p() - 1 : 1; }
  [[nodiscard]] RunStep node_step(int node, std::int64_t index) const override {
    const int other = node == 0 ? static_cast<int>(index) + 1 : 0;
    const BlockRun block = whole_ ? BlockRun{0, p()} : BlockRun{node == 0 ? other : node, 1};
    RunStep step;
    step.buffered = true;
    if ((node == 0) == gathers_) {
      step.from = other;
      step.in = block;
      step.combine = combine_;
      return step;
    }
    step.to = other;
    step.out = block;
    step.wait_sent = index + 1 == node_steps(node);
    return step;
  }

private:
  bool gathers_, whole_;
  Combine combine_;
};

/// All-gather, and reduce-scatter.
class SpreadBlocks final : public RunSchedule {
public:
  explicit SpreadBlocks(const GroupSpec& spec) : RunSchedule(spec), reduces_(spec.op == Operation::reduce_scatter) {}
  [[nodiscard]] bool one_message_a_pair() const override { return true; }

protected:
  [[nodiscard]] std::int64_t node_steps(int) const override { return std::int64_t{2} * (p() - 1); }
  [[nodiscard]] RunStep node_step(int node, std::int64_t index) const override {
    RunStep step;
    step.buffered = true;
    if (index < p() - 1) {
      step.to = wrap(node + static_cast<int>(index) + 1);
      step.out = {reduces_ ? step.to : node, 1};
    } else {
      step.from = wrap(node - static_cast<int>(index) + p() - 2);
      step.in = {reduces_ ? node : step.from, 1};
      step.combine = reduces_ ? Combine::reduce : Combine::take;
    }
    step.wait_sent = index + 1 == node_steps(node);
    return step;
  }

private:
  bool reduces_;
};

/// Reduce-scatter, then all-gather; block i is rank i's.
class SpreadAllReduce final : public RunSchedule {
public:
  using RunSchedule::RunSchedule;

protected:
  [[nodiscard]] std::int64_t node_steps(int) const override { return 4 * others(); }
  [[nodiscard]] RunStep node_step(int node, std::int64_t index) const override {
    const bool reduces = index < 2 * others(), sends = index / others() % 2 == 0;
    const int distance = static_cast<int>(index % others()) + 1;
    RunStep step;
    step.buffered = true;
    if (sends) {
      step.to = wrap(node + distance);
      step.out = {reduces ? step.to : node, 1};
    } else {
      step.from = wrap(node - distance);
      step.in = {reduces ? node : step.from, 1};
      step.combine = reduces ? Combine::reduce : Combine::take;
    }
    step.wait_sent = !sends && distance == others();
    return step;
  }

private:
  [[nodiscard]] std::int64_t others() const { return p() - 1; }
};

class SpreadAlltoall final : public GroupSchedule {
public:
  explicit SpreadAlltoall(const GroupSpec& spec) : p_(spec.ranks), blocks_(spec) {}
  [[nodiscard]] int ranks() const override { return p_; }
  [[nodiscard]] bool one_message_a_pair() const override { return true; }
  [[nodiscard]] std::int64_t steps(int, int) const override { return std::int64_t{2} * (p_ - 1); }
  [[nodiscard]] LaneStep step(int, int member, std::int64_t index) const override {
    Step step;
    step.buffered = true;
    if (index < p_ - 1) {
      step.to = to(member, index);
      step.out = {0, blocks_.count(step.to)};
    } else {
      step.from = (member + 2 * p_ - 2 - static_cast<int>(index)) % p_;
      step.in = {0, blocks_.count(member)};
    }
    step.wait_sent = index + 1 == std::int64_t{2} * (p_ - 1);
    return {step};
  }
  void contents(int, int member, std::int64_t index, std::vector<Piece>& pieces) const override {
    if (index < p_ - 1) pieces.push_back(blocks_.piece(member, to(member, index)));
  }

private:
  [[nodiscard]] int to(int member, std::int64_t index) const { return (member + static_cast<int>(index) + 1) % p_; }
  int p_;
  PairBlocks blocks_;
};

} // namespace

MadeSchedule group_spread(const GroupSpec& spec) {
  if (spec.op == Operation::alltoall) return std::make_unique<SpreadAlltoall>(spec);
  if (spec.op == Operation::all_reduce) return std::make_unique<SpreadAllReduce>(spec);
  if (!has_root(spec.op)) return std::make_unique<SpreadBlocks>(spec);
  return std::make_unique<SpreadFromRoot>(spec);
}

GroupFormResult group_spread_form(const GroupSpec& spec, const FormLinks& links) {
  const std::string source = "messages share a port equally";
  const double others = spec.ranks - 1;
  if (spec.op == Operation::alltoall)
    return GroupForm{"spread_alltoall",
                     "alpha + ((p-1)/p) n beta",
                     source,
                     elements_cost(links, 1, others * static_cast<double>(PairBlocks(spec).count(0)), 0, others - 1),
                     false,
                     {equal_blocks(spec)}};
  const GroupBlocks blocks(spec);
  const std::string name = "spread_" + std::string(operation_name(spec.op));
  if (spec.op == Operation::all_reduce) {
    const double moved = others * static_cast<double>(blocks.largest());
    return GroupForm{name,   "2 alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma",
                     source, elements_cost(links, 2, 2 * moved, moved, 2 * (others - 1)),
                     false,  {equal_blocks(spec)},
                     true};
  }
  if (!has_root(spec.op)) {
    const bool reduces = spec.op == Operation::reduce_scatter;
    const double moved = others * static_cast<double>(blocks.largest());
    return GroupForm{name,   reduces ? "alpha + ((p-1)/p) n (beta + gamma)" : "alpha + ((p-1)/p) n beta",
                     source, elements_cost(links, 1, moved, reduces ? moved : 0, others - 1),
                     false,  {equal_blocks(spec)}};
  }
  // The root's port is never idle, for any blocks.
  const auto n = static_cast<double>(blocks.elements());
  if (!counts_blocks(spec.op)) {
    const bool reduces = spec.op == Operation::reduce;
    return GroupForm{name,   reduces ? "alpha + (p-1) n (beta + gamma)" : "alpha + (p-1) n beta",
                     source, elements_cost(links, 1, others * n, reduces ? others * n : 0, others - 1),
                     false,  {}};
  }
  return GroupForm{name,   "alpha + (n - b) beta, b the root's block, n/p where p divides n",
                   source, elements_cost(links, 1, n - static_cast<double>(blocks.count(spec.root)), 0, others - 1),
                   false,  {}};
}

} // namespace gradflight
