// Compares the ring's steps in vector registers with the recurrence for one rank at a time, bit for bit, with every
// instruction set.
#include "sim/engine/ring/ring_step.hpp"
#include "tests/support/every_target.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

namespace gradflight {
namespace {

struct Ring {
  Ring(std::size_t p, bool gammas, double slowing, unsigned seed) : slowed(p, 0), slowed_alone(p, 0) {
    std::mt19937 random(seed);
    // Few values, so that neighbours often tie.
    const auto draw = [&](std::vector<double>& out, double unit) {
      out.resize(p);
      for (double& x : out) x = unit * static_cast<double>(1 + random() % 5) / 3;
    };
    draw(alpha, 1e-6);
    draw(beta, 1e-4);
    draw(gamma, 1e-5);
    draw(until, 1e-3);
    for (auto* lanes : {&ranks, &messages, &ranks_alone, &messages_alone}) lanes->resize(p + 1);
    std::vector<double> times;
    draw(times, 3e-4);
    for (std::size_t i = 0; i < p; ++i) {
      ranks.time[i] = times[i];
      ranks.origin[i] = static_cast<std::int64_t>(i);
    }
    ranks.copy(0, p);
    ranks_alone = ranks_timed = ranks;
    messages_timed = messages;
    step = {p, alpha.data(), beta.data(), gammas ? gamma.data() : nullptr, until.data(), slowing};
  }

  /// The recurrence of ring_shortcut.hpp.
  RingExtent alone() {
    const std::size_t p = step.ranks;
    RingExtent extent{1e9, 0, 1e9, 0};
    for (std::size_t i = 0; i < p; ++i) {
      const std::size_t from = ranks_alone.time[i + 1] > ranks_alone.time[i] ? i + 1 : i;
      copy(ranks_alone, from, messages_alone, i + 1);
      const double sent = ranks_alone.time[from];
      double& there = messages_alone.time[i + 1];
      if (step.slowing > 1 && sent < until[i]) {
        there = sent + alpha[i] * step.slowing + beta[i] * step.slowing;
        messages_alone.interference[i + 1] += (step.slowing - 1) * (alpha[i] + beta[i]);
        slowed_alone[i] += (step.slowing - 1) * beta[i];
      } else {
        there = sent + alpha[i] + beta[i];
      }
      messages_alone.alpha[i + 1] += alpha[i];
      extent = {std::min(extent.earliest_sent, sent), std::max(extent.latest_sent, sent),
                std::min(extent.earliest_there, there), std::max(extent.latest_there, there)};
    }
    messages_alone.copy(p, 0);
    for (std::size_t i = 0; i < p; ++i) {
      const double reduction = step.gamma != nullptr ? gamma[i] : 0;
      const bool waits_to_send = messages_alone.time[i + 1] > messages_alone.time[i] + reduction;
      copy(messages_alone, waits_to_send ? i + 1 : i, ranks_alone, i);
      if (!waits_to_send) {
        ranks_alone.time[i] += reduction;
        ranks_alone.gamma[i] += reduction;
      }
    }
    ranks_alone.copy(0, p);
    return extent;
  }

  RingExtent together() {
    const RingExtent extent = send_ring(step, ranks, messages, slowed.data());
    receive_ring(step, messages, ranks);
    return extent;
  }

  static void copy(const RingLanes& from, std::size_t i, RingLanes& to, std::size_t k) {
    to.time[k] = from.time[i];
    to.alpha[k] = from.alpha[i];
    to.gamma[k] = from.gamma[i];
    to.interference[k] = from.interference[i];
    to.origin[k] = from.origin[i];
  }

  RingStep step;
  std::vector<double> alpha, beta, gamma, until, slowed, slowed_alone;
  RingLanes ranks, messages, ranks_alone, messages_alone, ranks_timed, messages_timed;
};

void require_same(const RingLanes& a, const RingLanes& b) {
  REQUIRE(a.time == b.time);
  REQUIRE(a.alpha == b.alpha);
  REQUIRE(a.gamma == b.gamma);
  REQUIRE(a.interference == b.interference);
  REQUIRE(a.origin == b.origin);
}

} // namespace

TEST_CASE("ring steps in vectors are those of one rank at a time") {
  test::on_every_target([] {
    for (const std::size_t p : {2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 64u, 101u})
      for (const bool gammas : {false, true})
        for (const double slowing : {1.0, 1.7}) {
          Ring ring(p, gammas, slowing, static_cast<unsigned>(p));
          INFO(p << " ranks, gammas " << gammas << ", slowing " << slowing);
          for (int s = 0; s < 12; ++s) {
            const RingExtent wanted = ring.alone(), found = ring.together();
            REQUIRE(found.earliest_sent == wanted.earliest_sent);
            REQUIRE(found.latest_sent == wanted.latest_sent);
            REQUIRE(found.earliest_there == wanted.earliest_there);
            REQUIRE(found.latest_there == wanted.latest_there);
            require_same(ring.messages, ring.messages_alone);
            require_same(ring.ranks, ring.ranks_alone);
            REQUIRE(ring.slowed == ring.slowed_alone);
            time_ring(ring.step, ring.ranks_timed, ring.messages_timed);
            REQUIRE(ring.ranks_timed.time == ring.ranks_alone.time);
            REQUIRE(ring.messages_timed.time == ring.messages_alone.time);
          }
        }
  });
}

} // namespace gradflight
