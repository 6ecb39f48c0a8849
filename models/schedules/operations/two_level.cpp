// Two levels: inside nodes of group_size consecutive ranks, and across nodes along rails. Rank l of every node is on
// rail l. The last node may have fewer ranks; of s ranks, the one at l then serves rails l, l + s, l + 2s, ...
//
// all_reduce: ring reduce-scatter in the node, so that each rank has the node's sum of its rails' parts of the vector;
// ring all-reduce of each part across the nodes; ring all-gather in the node. all_gather: each rail's blocks on a ring
// of the nodes, then all rails' blocks on a ring in the node. reduce_scatter: the reverse. Sums are ordered as in
// ring.cpp, in the node first. alltoall: pairwise in the node, so that each rank gets the data for its rails, then
// pairwise across the nodes, one message with the blocks of the whole node to each rank of a rail. A rank handles its
// rails one after another.
#include "models/schedules/algorithms/ring.hpp"

#include "models/schedules/operations/parts/form_parts.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"
#include "models/schedules/operations/parts/node_rails.hpp"

namespace gradflight {

namespace {

/// Rings in the node, before or after rings along rails.
class TwoLevelRings final : public GroupSchedule {
public:
  explicit TwoLevelRings(const GroupSpec& spec)
      : op_(spec.op), rails_(spec.ranks, spec.group_size), blocks_(spec), parts_(spec.elements, rails_.size()) {}
  [[nodiscard]] int ranks() const override { return rails_.ranks(); }
  [[nodiscard]] std::int64_t steps(int, int member) const override {
    const NodeRails::Seat seat = rails_.seat(member);
    return before(seat) + across(seat) + (op_ == Operation::reduce_scatter ? 0 : seat.size - 1);
  }
  [[nodiscard]] LaneStep step(int, int member, std::int64_t index) const override {
    const Move move = find(member, static_cast<int>(index));
    Step step;
    step.to = move.to;
    step.from = move.from;
    step.combine = move.combine;
    step.out = {0, count(move, move.sent)};
    step.in = {0, count(move, move.received)};
    return {step};
  }
  void contents(int, int member, std::int64_t index, std::vector<Piece>& pieces) const override {
    const Move move = find(member, static_cast<int>(index));
    for_each_piece(move, move.sent, [&](const Piece& piece) { pieces.push_back(piece); });
  }

private:
  /// A message: on rail `rail` its part number `sent`, which belongs to a node; in the node (rail -1) the rails of
  /// local rank `sent` of `size`.
  struct Move {
    int to, from, rail, size, sent, received;
    Combine combine;
  };
  [[nodiscard]] int before(const NodeRails::Seat& seat) const {
    return op_ == Operation::all_gather ? 0 : seat.size - 1;
  }
  [[nodiscard]] int rounds_of_a_rail() const { return (op_ == Operation::all_reduce ? 2 : 1) * (rails_.nodes() - 1); }
  [[nodiscard]] int across(const NodeRails::Seat& seat) const { return rails_.rails_of(seat) * rounds_of_a_rail(); }

  [[nodiscard]] Move find(int member, int index) const {
    const NodeRails::Seat seat = rails_.seat(member);
    if (index < before(seat)) return in_node(seat, index, Combine::reduce);
    index -= before(seat);
    if (index < across(seat))
      return along_rail(seat, seat.local + index / rounds_of_a_rail() * seat.size, index % rounds_of_a_rail());
    return in_node(seat, index - across(seat), Combine::take);
  }
  /// Like RingOfBlocks: a reduce-scatter ends with the local rank's own block.
  [[nodiscard]] Move in_node(const NodeRails::Seat& seat, int round, Combine combine) const {
    const int s = seat.size, sent = (seat.local + 2 * s - round - (combine == Combine::reduce ? 1 : 0)) % s;
    return {rails_.rank(seat.node, (seat.local + 1) % s),
            rails_.rank(seat.node, (seat.local + s - 1) % s),
            -1,
            s,
            sent,
            (sent + s - 1) % s,
            combine};
  }
  [[nodiscard]] Move along_rail(const NodeRails::Seat& seat, int rail, int round) const {
    const int n = rails_.nodes(), next = (seat.node + 1) % n, last = (seat.node + n - 1) % n;
    const bool reduces = op_ == Operation::reduce_scatter || (op_ == Operation::all_reduce && round < n - 1);
    // All-reduce: the all-gather continues with the part that the reduce-scatter has finished here.
    const int sent = (seat.node + 3 * n - round - (op_ == Operation::all_gather ? 0 : 1)) % n;
    return {rails_.holder(next, rail),
            rails_.holder(last, rail),
            rail,
            0,
            sent,
            (sent + n - 1) % n,
            reduces ? Combine::reduce : Combine::take};
  }

  /// For a rail: in all_reduce a part of the vector, cut again by nodes; else the blocks of its ranks.
  template <class F> void for_each_piece(const Move& move, int number, const F& found) const {
    if (move.rail >= 0) return piece_of_rail(move.rail, number, found);
    for (int rail = number; rail < rails_.size(); rail += move.size) {
      if (op_ == Operation::all_reduce)
        found(Piece{no_rank, no_rank, parts_.range(rail)});
      else
        for (int node = 0; node < rails_.nodes(); ++node) piece_of_rail(rail, node, found);
    }
  }
  template <class F> void piece_of_rail(int rail, int node, const F& found) const {
    if (op_ == Operation::all_reduce) {
      Range part = Blocks(parts_.range(rail).count, rails_.nodes()).range(node);
      part.first += parts_.begin(rail);
      found(Piece{no_rank, no_rank, part});
    } else if (rail < rails_.size_of(node)) {
      found(blocks_.piece(rails_.rank(node, rail)));
    }
  }
  [[nodiscard]] std::int64_t count(const Move& move, int number) const {
    std::int64_t elements = 0;
    for_each_piece(move, number, [&](const Piece& piece) { elements += piece.range.count; });
    return elements;
  }

  Operation op_;
  NodeRails rails_;
  GroupBlocks blocks_;
  Blocks parts_; ///< of an all-reduce, one per rail
};

class TwoLevelAlltoall final : public GroupSchedule {
public:
  explicit TwoLevelAlltoall(const GroupSpec& spec) : rails_(spec.ranks, spec.group_size), blocks_(spec) {}
  [[nodiscard]] int ranks() const override { return rails_.ranks(); }
  [[nodiscard]] std::int64_t steps(int, int member) const override {
    const NodeRails::Seat seat = rails_.seat(member);
    return seat.size - 1 + (rails_.nodes() - 1) * rails_.rails_of(seat);
  }
  [[nodiscard]] LaneStep step(int, int member, std::int64_t index) const override {
    const Move move = find(member, static_cast<int>(index));
    Step step;
    step.to = move.to;
    step.from = move.from;
    // If nodes differ in size, some ranks send more than they receive, or less, in a round.
    step.buffered = !rails_.even();
    if (move.to != no_rank) step.out = {0, count(member, move.to, move.inside)};
    if (move.from != no_rank) step.in = {0, count(move.from, member, move.inside)};
    return {step};
  }
  void contents(int, int member, std::int64_t index, std::vector<Piece>& pieces) const override {
    const Move move = find(member, static_cast<int>(index));
    if (move.to != no_rank)
      for_each_piece(member, move.to, move.inside, [&](const Piece& piece) { pieces.push_back(piece); });
  }

private:
  struct Move {
    int to, from;
    bool inside;
  };
  /// Across nodes, a round has a step for each rail; its first step receives a message.
  [[nodiscard]] Move find(int member, int index) const {
    const NodeRails::Seat seat = rails_.seat(member);
    const int s = seat.size, n = rails_.nodes();
    if (index < s - 1)
      return {rails_.rank(seat.node, (seat.local + index + 1) % s),
              rails_.rank(seat.node, (seat.local + s - index - 1) % s), true};
    index -= s - 1;
    const int held = rails_.rails_of(seat), round = index / held + 1, rail = seat.local + index % held * s;
    const int next = (seat.node + round) % n, last = (seat.node + n - round) % n;
    return {rail < rails_.size_of(next) ? rails_.rank(next, rail) : no_rank,
            index % held == 0 ? rails_.holder(last, seat.local) : no_rank, false};
  }
  /// Inside: the data that `from` has for the rails of `to`. Across: the data that the node of `from` has for `to`.
  template <class F> void for_each_piece(int from, int to, bool inside, const F& found) const {
    const NodeRails::Seat seat = rails_.seat(inside ? to : from);
    if (!inside) {
      for (int local = 0; local < seat.size; ++local) found(blocks_.piece(rails_.rank(seat.node, local), to));
      return;
    }
    for (int rail = seat.local; rail < rails_.size(); rail += seat.size)
      for (int node = 0; node < rails_.nodes(); ++node)
        if (rail < rails_.size_of(node)) found(blocks_.piece(from, rails_.rank(node, rail)));
  }
  [[nodiscard]] std::int64_t count(int from, int to, bool inside) const {
    std::int64_t elements = 0;
    for_each_piece(from, to, inside, [&](const Piece& piece) { elements += piece.range.count; });
    return elements;
  }
  NodeRails rails_;
  PairBlocks blocks_;
};

} // namespace

MadeSchedule group_two_level(const GroupSpec& spec) {
  if (spec.op == Operation::alltoall) return std::make_unique<TwoLevelAlltoall>(spec);
  return std::make_unique<TwoLevelRings>(spec);
}

GroupFormResult group_two_level_form(const GroupSpec& spec, const FormLinks& links) {
  const NodeRails rails(spec.ranks, spec.group_size);
  const double g = rails.size(), nodes = rails.nodes();
  const FormCondition even{"equal_nodes", "all nodes have the same number of ranks", rails.even()};
  const auto cost = [&](double in_node, double in_sum, double rounds, double message, double sums) {
    const double e = links.element_bytes;
    LinkParameters inside = links.inside;
    inside.gamma = links.link.gamma;
    return cost_of(inside, in_node, in_node * in_sum * e, 0) +
           cost_of(links.link, rounds, rounds * message * e, sums * e);
  };
  const std::string source = "two levels, rails";
  if (spec.op == Operation::all_reduce) {
    const double n = static_cast<double>(spec.elements);
    const double sums = (g - 1) * n / g + (nodes - 1) * n / (g * nodes);
    return GroupForm{
        "two_level_all_reduce",
        "2(G-1) (alpha1 + n/G beta1) + 2(N-1) (alpha2 + n/(GN) beta2) + ((GN-1)/(GN)) n gamma, N nodes of G",
        source,
        cost(2 * (g - 1), n / g, 2 * (nodes - 1), n / (g * nodes), sums),
        false,
        {even,
         {"parts_divide", "the number of ranks divides the number of elements", spec.elements % spec.ranks == 0}}};
  }
  if (spec.op == Operation::alltoall) {
    const double block = static_cast<double>(PairBlocks(spec).count(0));
    return GroupForm{"two_level_alltoall",
                     "(G-1) alpha1 + ((G-1)/G) n beta1 + (N-1) alpha2 + ((N-1)/N) n beta2, N nodes of G",
                     source,
                     cost(g - 1, nodes * block, nodes - 1, g * block, 0),
                     false,
                     {even, equal_blocks(spec)}};
  }
  const bool reduces = spec.op == Operation::reduce_scatter;
  const double block = static_cast<double>(GroupBlocks(spec).largest());
  const double sums = reduces ? (g - 1) * nodes * block + (nodes - 1) * block : 0;
  return GroupForm{reduces ? "two_level_reduce_scatter" : "two_level_all_gather",
                   std::string("(G-1) (alpha1 + n/G beta1) + (N-1) (alpha2 + n/(GN) beta2)") +
                       (reduces ? " + ((GN-1)/(GN)) n gamma, N nodes of G" : ", N nodes of G"),
                   source,
                   cost(g - 1, nodes * block, nodes - 1, block, sums),
                   false,
                   {even, equal_blocks(spec)}};
}

} // namespace gradflight
