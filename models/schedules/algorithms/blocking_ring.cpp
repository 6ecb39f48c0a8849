#include "models/schedules/algorithms/blocking_ring.hpp"

#include "models/schedules/algorithms/ring.hpp"
#include "models/schedules/parts/steps.hpp"

#include <stdexcept>

namespace gradflight {

namespace {

FormTexts blocking_ring_texts(const ExchangeSpec&, int p) {
  return {"blocking_ring_allreduce",
          p % 2 == 0 ? "4(p-1) alpha + 4((p-1)/p) n beta + 2((p-1)/p) n gamma"
                     : "x = alpha + (n/p) beta, g = (n/p) gamma: max(4p x + ((p-3)/2) g, (4p-3) x + (2p-3) g)",
          "the ring of INCEPTIONN Alg. 1, sent and received in turn"};
}

std::int64_t largest_block(int p, std::int64_t elements) { return (elements + p - 1) / p; }

std::vector<PathMessages> blocking_ring_path(int p, std::int64_t elements) {
  const std::int64_t block = largest_block(p, elements);
  if (p % 2 == 0) return {{2 * (p - 1.0), block, Received::both}};
  const double added = 2.0 * p - 3;
  return {{added, block, Received::added}, {4.0 * p - 3 - added, block, Received::taken}};
}

/// The wait of two even neighbours, which goes once around every (p-1)/2 rounds.
std::vector<PathMessages> waiting_path(int p, std::int64_t elements) {
  if (p % 2 == 0) return {};
  const double added = (p - 3) / 2.0;
  const std::int64_t block = largest_block(p, elements);
  return {{added, block, Received::added}, {4.0 * p - added, block, Received::taken}};
}

} // namespace

const StepsForm blocking_ring_form{
    blocking_ring_texts, blocking_ring_path, nullptr, Cut::blocks, false, waiting_path, false};

BlockingRing::BlockingRing(int workers) : workers_(workers) {
  if (workers < 1) throw std::invalid_argument("a ring needs at least one worker");
}

Step BlockingRing::step(std::int64_t n, int participant, int index) const {
  const int round = index / 2;
  const Combine combine = round < workers_ - 1 ? Combine::reduce : Combine::take;
  const Step both = ring_round(Blocks(n, workers_), workers_, participant, round, combine);
  const bool sends = (participant + index) % 2 == 0;
  return sends ? send_step(both.to, both.out) : receive_step(both.from, both.in, combine);
}

} // namespace gradflight
