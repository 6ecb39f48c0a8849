#include "sim/schedules/binomial.hpp"

#include "sim/schedules/steps.hpp"

#include <stdexcept>

namespace gradflight {

Step BinomialNode::reduce(Range range, int index, Combine combine) const {
  if (index < children()) return receive_step(node + (1 << index), range, combine);
  return send_step(parent(), range);
}

Step BinomialNode::broadcast(Range range, int index) const {
  if (node != 0) {
    if (index == 0) return receive_step(parent(), range);
    --index;
  }
  return send_step(node + (1 << (children() - 1 - index)), range);
}

BinomialTree::BinomialTree(int workers) : workers_(workers) {
  if (workers < 1) throw std::invalid_argument("a binomial tree needs at least one worker");
}

int BinomialTree::steps(int participant) const { return 2 * BinomialNode{participant, workers_}.steps(); }

Step BinomialTree::step(std::int64_t n, int participant, int index) const {
  const BinomialNode tree{participant, workers_};
  const int reductions = tree.steps();
  if (index < reductions) return tree.reduce({0, n}, index, Combine::reduce);
  return tree.broadcast({0, n}, index - reductions);
}

GTopK::GTopK(int workers) : workers_(workers) {
  if (workers < 1) throw std::invalid_argument("gTop-k needs at least one worker");
}

int GTopK::steps(int participant) const { return 2 * BinomialNode{participant, workers_}.steps(); }

Step GTopK::step(std::int64_t, int participant, int index) const {
  const BinomialNode tree{participant, workers_};
  const int merges = tree.steps();
  if (index < merges) return tree.reduce({0, 1}, index, Combine::merge);
  return tree.broadcast({0, 1}, index - merges);
}

} // namespace gradflight
