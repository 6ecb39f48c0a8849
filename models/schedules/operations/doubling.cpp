// Recursive doubling and halving, any number of ranks.
//
// all_reduce: those of training (algorithms/recursive_doubling.hpp, halving_doubling.hpp). all_gather by doubling: in
// round r places at distance 2^r exchange all blocks that they have. reduce_scatter by halving: the vector's halves go
// to places p/2 apart, then quarters to places p/4 apart, and so on, so that a rank adds the farthest place's part
// first. Where p is no power of two, the first ranks are folded in pairs (parts/fold.hpp): a folded rank gives its
// block (its vector) to the rank after it and gets all others (its block) at the end; places then have one block or
// two, in the order of ranks.
#include "models/schedules/algorithms/halving_doubling.hpp"
#include "models/schedules/algorithms/recursive_doubling.hpp"

#include "models/forms/form_collectives.hpp"
#include "models/schedules/operations/parts/form_parts.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"
#include "models/schedules/operations/parts/run_schedule.hpp"

#include <algorithm>

namespace gradflight {

namespace {

/// The common part: rounds between places, and blocks that belong to a run of places.
class FoldedRounds : public RunSchedule {
public:
  explicit FoldedRounds(const GroupSpec& spec) : RunSchedule(spec), fold_(spec.ranks) {}

protected:
  [[nodiscard]] std::int64_t node_steps(int node) const final { return fold_.steps(node, fold_.rounds()); }
  [[nodiscard]] RunStep node_step(int node, std::int64_t index) const final {
    const bool first = index == 0, last = index + 1 == node_steps(node);
    if (fold_.folded(node)) return first ? fold_in(node, true) : fold_out(node, true);
    if (fold_.carrier(node)) {
      if (first) return fold_in(node - 1, false);
      if (last) return fold_out(node - 1, false);
      --index;
    }
    RunStep step = round_step(fold_.place(node), static_cast<int>(index));
    step.to = step.from = fold_.rank(step.to);
    return step;
  }
  /// The step of a round; `to` and `from` are places, and equal.
  [[nodiscard]] virtual RunStep round_step(int place, int round) const = 0;
  [[nodiscard]] virtual RunStep fold_in(int folded, bool sends) const = 0;
  [[nodiscard]] virtual RunStep fold_out(int folded, bool receives) const = 0;
  [[nodiscard]] BlockRun of_places(int first, int count) const {
    return {begin(first), begin(first + count) - begin(first)};
  }
  [[nodiscard]] int core() const { return fold_.core(); }

  /// The folded rank sends, or the next rank receives.
  static RunStep sent_on(int folded, bool sends, BlockRun run, Combine combine = Combine::take) {
    RunStep step;
    (sends ? step.to : step.from) = folded + 1;
    if (!sends) step.from = folded;
    (sends ? step.out : step.in) = run;
    if (!sends) step.combine = combine;
    return step;
  }
  static RunStep sent_back(int folded, bool receives, BlockRun run) {
    RunStep step;
    (receives ? step.from : step.to) = receives ? folded + 1 : folded;
    (receives ? step.in : step.out) = run;
    return step;
  }

private:
  [[nodiscard]] int begin(int place) const { return place + std::min(place, p() - fold_.core()); }
  Fold fold_;
};

class DoublingAllGather final : public FoldedRounds {
public:
  using FoldedRounds::FoldedRounds;

protected:
  [[nodiscard]] RunStep round_step(int place, int round) const override {
    const int held = 1 << round, partner = place ^ held;
    RunStep step;
    step.to = step.from = partner;
    step.out = of_places(place & -held, held);
    step.in = of_places(partner & -held, held);
    return step;
  }
  [[nodiscard]] RunStep fold_in(int folded, bool sends) const override { return sent_on(folded, sends, {folded, 1}); }
  [[nodiscard]] RunStep fold_out(int folded, bool receives) const override {
    return sent_back(folded, receives, {folded + 1, p() - 1});
  }
};

class HalvingReduceScatter final : public FoldedRounds {
public:
  using FoldedRounds::FoldedRounds;

protected:
  [[nodiscard]] RunStep round_step(int place, int round) const override {
    const int kept = core() >> (round + 1), partner = place ^ kept;
    RunStep step;
    step.to = step.from = partner;
    step.out = of_places(partner & -kept, kept);
    step.in = of_places(place & -kept, kept);
    step.combine = Combine::reduce;
    return step;
  }
  [[nodiscard]] RunStep fold_in(int folded, bool sends) const override {
    return sent_on(folded, sends, {0, p()}, Combine::reduce);
  }
  [[nodiscard]] RunStep fold_out(int folded, bool receives) const override {
    return sent_back(folded, receives, {folded, 1});
  }
};

/// Returns the blocks that the first `places` places hold: the content of a round's largest message.
double blocks_of_first(int places, int p) { return std::min(2 * places, places + p - power_of_two_below(p)); }

FormCondition divides_core(const GroupSpec& spec) {
  return {"runs_divide", "2^floor(lg p) divides the number of elements",
          spec.elements % power_of_two_below(spec.ranks) == 0};
}

} // namespace

MadeSchedule group_recursive_doubling(const GroupSpec& spec) {
  if (spec.op == Operation::all_reduce) return as_group(spec, std::make_unique<RecursiveDoubling>(spec.ranks));
  return std::make_unique<DoublingAllGather>(spec);
}

MadeSchedule group_halving_doubling(const GroupSpec& spec) {
  if (spec.op == Operation::all_reduce) return as_group(spec, std::make_unique<HalvingDoubling>(spec.ranks));
  return std::make_unique<HalvingReduceScatter>(spec);
}

GroupFormResult group_recursive_doubling_form(const GroupSpec& spec, const FormLinks& links) {
  const int p = spec.ranks, rounds = floor_lg(p);
  const double n = static_cast<double>(spec.elements);
  const bool folds = !is_power_of_two(p);
  if (spec.op == Operation::all_reduce) {
    const FormTexts texts = recursive_doubling_form.texts({}, p);
    return GroupForm{"recursive_doubling_all_reduce",
                     texts.formula,
                     texts.source,
                     allreduce_recursive_doubling(p, n * links.element_bytes, links.link),
                     false,
                     {}};
  }
  const auto block = static_cast<double>(GroupBlocks(spec).largest());
  double blocks = folds ? p : 0; // one goes in, all others come out
  for (int r = 0; r < rounds; ++r) blocks += blocks_of_first(1 << r, p);
  return GroupForm{"recursive_doubling_all_gather",
                   folds
                       ? "(floor(lg p) + 2) alpha + (p + sum of min(2^(r+1), 2^r + p - p2) over r < lg p2) (n/p) beta, "
                         "p2 = 2^floor(lg p)"
                       : "lg p alpha + ((p-1)/p) n beta",
                   "Thakur et al. 2005",
                   elements_cost(links, rounds + (folds ? 2 : 0), blocks * block),
                   false,
                   {equal_blocks(spec)}};
}

GroupFormResult group_halving_doubling_form(const GroupSpec& spec, const FormLinks& links) {
  const int p = spec.ranks, rounds = floor_lg(p);
  const double n = static_cast<double>(spec.elements);
  const bool folds = !is_power_of_two(p);
  if (spec.op == Operation::all_reduce) {
    const FormTexts texts = halving_doubling_form.texts({}, p);
    return GroupForm{"halving_doubling_all_reduce",
                     texts.formula,
                     texts.source,
                     allreduce_halving_doubling(p, n * links.element_bytes, links.link),
                     false,
                     {divides_core(spec)}};
  }
  const auto block = static_cast<double>(GroupBlocks(spec).largest());
  double blocks = folds ? p : 0;
  for (int r = 0; r < rounds; ++r) blocks += blocks_of_first(1 << r, p);
  return GroupForm{"halving_reduce_scatter",
                   folds
                       ? "(floor(lg p) + 2) alpha + m (beta + gamma) + (n/p) beta, m = (p + sum of min(2^(r+1), 2^r + "
                         "p - p2) over r < lg p2) n/p, p2 = 2^floor(lg p)"
                       : "lg p alpha + ((p-1)/p) n (beta + gamma)",
                   "Thakur et al. 2005",
                   elements_cost(links, rounds + (folds ? 2 : 0), (blocks + (folds ? 1 : 0)) * block, blocks * block),
                   false,
                   {equal_blocks(spec)}};
}

} // namespace gradflight
