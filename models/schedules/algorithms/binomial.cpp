#include "models/schedules/algorithms/binomial.hpp"

#include "models/codecs/selection/topk_entries.hpp"
#include "models/forms/form_collectives.hpp"
#include "models/schedules/parts/steps.hpp"

#include <stdexcept>

namespace gradflight {

namespace {

FormTexts tree_texts(const ExchangeSpec&, int) {
  return {"binomial_tree_allreduce", "2 ceil(lg p) (alpha + n beta) + ceil(lg p) n gamma", "Thakur et al. 2005"};
}

std::vector<PathMessages> tree_path(int p, std::int64_t elements) {
  return {{1.0 * ceil_lg(p), elements, Received::both}};
}

Moment tree_cost(const ExchangeSpec&, int p, std::int64_t elements, const LinkParameters& link) {
  return Moment::exchanging(allreduce_binomial_tree(p, dense_bytes(elements), link));
}

FormTexts gtopk_texts(const ExchangeSpec&, int) {
  return {"gtopk_allreduce", "2 ceil(lg p) (alpha + 8k beta)", "gTop-k Table I, Eq. 7"};
}

Moment gtopk_cost(const ExchangeSpec& exchange, int p, std::int64_t elements, const LinkParameters& link) {
  return merging(gtopk_allreduce(p, topk_list_bytes(topk_entries(exchange.density, elements)), link));
}

} // namespace

const StepsForm binomial_tree_form{tree_texts, tree_path, tree_cost, Cut::whole, false};
const StepsForm gtopk_form{gtopk_texts, nullptr, gtopk_cost, Cut::whole, false};

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
