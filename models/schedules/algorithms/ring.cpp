#include "models/schedules/algorithms/ring.hpp"

#include "models/forms/form_collectives.hpp"
#include "models/forms/form_overlap.hpp"

#include <stdexcept>

namespace gradflight {

namespace {

Range piece_of(Range block, int pieces, int piece) {
  Range part = Blocks(block.count, pieces).range(piece);
  part.first += block.first;
  return part;
}

FormTexts ring_texts(const ExchangeSpec& exchange, int) {
  if (exchange.pieces > 1)
    return {"ring_allreduce_pipelined",
            "2(p-1)C steps of x = alpha + m beta, m = n/(pC), g = m gamma: s_k = max(s_{k-1} + x, r_{k-C}), "
            "r_j = max(r_{j-1}, s_j + x) + g; 2(p-1)C x for g <= x",
            "Pipe-SGD Fig. 3 (a)"};
  return {"ring_allreduce", "2(p-1) alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma",
          "Thakur et al. 2005; INCEPTIONN Sec. VIII-D; Pipe-SGD Eq. 5; GradientFlow Sec. 2.4"};
}

/// The largest block, once around and once more.
std::vector<PathMessages> ring_path(int p, std::int64_t elements) {
  const std::int64_t block = (elements + p - 1) / p;
  return {{p - 1.0, block, Received::both}};
}

Moment ring_cost(const ExchangeSpec& exchange, int p, std::int64_t elements, const LinkParameters& link) {
  const double block = dense_bytes((elements + p - 1) / p);
  if (exchange.pieces > 1) return allreduce_ring_pieces(p, exchange.pieces, block / exchange.pieces, link);
  return Moment::exchanging(allreduce_ring_blocks(p, block, link));
}

} // namespace

const StepsForm ring_form{ring_texts, ring_path, ring_cost, Cut::blocks, true};

RingAllReduce::RingAllReduce(int workers, int pieces) : workers_(workers), pieces_(pieces) {
  if (workers < 1) throw std::invalid_argument("a ring needs at least one worker");
  if (pieces < 1) throw std::invalid_argument("a ring needs at least one piece per block");
}

int RingAllReduce::steps(int) const { return 2 * (workers_ - 1) * pieces_; }

std::optional<RingPart> RingAllReduce::ring() const {
  if (pieces_ > 1 || workers_ < 2) return std::nullopt;
  return RingPart{0, 1, workers_};
}

Step RingAllReduce::step(std::int64_t n, int participant, int index) const {
  const int round = pieces_ == 1 ? index : index / pieces_;
  const Combine combine = round < workers_ - 1 ? Combine::reduce : Combine::take;
  Step step = ring_round(Blocks(n, workers_), workers_, participant, round, combine);
  if (pieces_ > 1) {
    const int piece = index % pieces_;
    step.out = piece_of(step.out, pieces_, piece);
    step.in = piece_of(step.in, pieces_, piece);
  }
  return step;
}

} // namespace gradflight
