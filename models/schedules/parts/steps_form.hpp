// The closed form of a collective in which the ranks take the same steps with equal messages, and its parts.
//
// The schedule decides who sends to whom (rounds.hpp). This form gives only the cost, independently, as the papers
// count it. analysis/run/forms inserts links, codecs and host costs, and checks the conditions.
#pragma once

#include "models/forms/critical_path.hpp"
#include "models/schedules/parts/exchange.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace gradflight {

struct FormTexts {
  const char *name, *formula, *source; ///< "ring_allreduce", "2(p-1) alpha + ...", paper and equation
};

/// Use of a message: the receiver adds it to its own, or takes it; `both`: one message of each kind.
enum class Received : std::uint8_t { added, taken, both };

/// Equal messages, one after another, on the critical path of all ranks.
struct PathMessages {
  double times = 0;
  std::int64_t elements = 0; ///< of each
  Received received = Received::taken;

  /// Returns their time, from that of one message: `taken` without, `added` with its reduction.
  [[nodiscard]] Moment time(const Moment& taken, const Moment& added) const {
    return times * (received == Received::both ? added + taken : received == Received::added ? added : taken);
  }
};

/// Content of a message: the whole vector; a block of p (or p times the pieces); a run of the blocks of 2^floor(lg p).
enum class Cut : std::uint8_t { whole, blocks, runs };

/// The cost of an exchange of lists: merges take the place of reductions, and count as other work.
inline Moment merging(const CollectiveCost& cost) {
  Moment moment = Moment::exchanging(cost);
  std::swap(moment.gamma, moment.other);
  return moment;
}

struct StepsForm {
  FormTexts (*texts)(const ExchangeSpec& exchange, int p) = nullptr;
  /// For p >= 2 ranks. Null for lists, which have no codec.
  std::vector<PathMessages> (*path)(int p, std::int64_t elements) = nullptr;
  /// The same as a paper's formula, with gamma per reduced byte (lists: per merged byte, counted in `other`). Null: the
  /// sum of the path.
  Moment (*cost)(const ExchangeSpec& exchange, int p, std::int64_t elements, const LinkParameters& link) = nullptr;
  Cut cut = Cut::whole;
  bool keeps_step = false; ///< no rank runs ahead of others, for any p; otherwise only if p is a power of two
  /// A second path, if either may be the longer one; null or empty: none.
  std::vector<PathMessages> (*other_path)(int p, std::int64_t elements) = nullptr;
  /// Whether the path holds for blocks that differ by an element, if nothing follows: each of its messages is a largest
  /// block.
  bool path_of_largest = true;

  /// Returns the longest path, from the time of one message of given elements, taken and added.
  template <class Taken, class Added>
  [[nodiscard]] Moment longest(int p, std::int64_t elements, const Taken& taken, const Added& added) const {
    const auto sum = [&](const std::vector<PathMessages>& all) {
      Moment total;
      for (const PathMessages& m : all) total = total + m.time(taken(m.elements), added(m.elements));
      return total;
    };
    const Moment one = sum(path(p, elements));
    const Moment other = other_path == nullptr ? Moment{} : sum(other_path(p, elements));
    return other.time > one.time ? other : one;
  }
  /// Returns the seconds among p ranks for a vector of `elements`.
  [[nodiscard]] Moment time(const ExchangeSpec& exchange, int p, std::int64_t elements,
                            const LinkParameters& link) const;
};

} // namespace gradflight
