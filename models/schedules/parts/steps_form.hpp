// The closed form of a collective in which the ranks take the same steps with equal messages: what it is made of.
//
// Who sends to whom comes from the schedule (rounds.hpp); only what that costs is said here, apart from it, as the
// papers count it. analysis/run/forms puts in links, codecs and host costs, and checks what has to hold.
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

/// What becomes of a message: the receiver adds it to its own, or takes it; `both`: one that is added, one that is
/// taken.
enum class Received : std::uint8_t { added, taken, both };

/// Equal messages, one after another, on the path that all ranks wait for.
struct PathMessages {
  double times = 0;
  std::int64_t elements = 0; ///< of each
  Received received = Received::taken;

  /// What they take, from what one takes: `taken` as it is, `added` with its reduction.
  [[nodiscard]] Moment time(const Moment& taken, const Moment& added) const {
    return times * (received == Received::both ? added + taken : received == Received::added ? added : taken);
  }
};

/// What a message carries: the whole vector; a block of p (or p times the pieces); a run of the blocks of 2^floor(lg
/// p).
enum class Cut : std::uint8_t { whole, blocks, runs };

/// The cost of an exchange of lists: what a reduction costs elsewhere, a merge costs here, which is other work.
inline Moment merging(const CollectiveCost& cost) {
  Moment moment = Moment::exchanging(cost);
  std::swap(moment.gamma, moment.other);
  return moment;
}

struct StepsForm {
  FormTexts (*texts)(const ExchangeSpec& exchange, int p) = nullptr;
  /// Of p >= 2 ranks. Null for lists, which no codec works on.
  std::vector<PathMessages> (*path)(int p, std::int64_t elements) = nullptr;
  /// The same as a paper sums it up, with gamma a reduced byte (of lists: a merged one, counted in `other`). Null: the
  /// sum of the path.
  Moment (*cost)(const ExchangeSpec& exchange, int p, std::int64_t elements, const LinkParameters& link) = nullptr;
  Cut cut = Cut::whole;
  bool keeps_step = false; ///< no rank runs ahead of others, whatever p; else only where p is a power of two
  /// A second path, where either may be the longer one; null or empty: there is none.
  std::vector<PathMessages> (*other_path)(int p, std::int64_t elements) = nullptr;

  /// The longest path, from what one message of so many elements takes, taken and added.
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
  /// Seconds among p ranks of a vector of so many elements.
  [[nodiscard]] Moment time(const ExchangeSpec& exchange, int p, std::int64_t elements,
                            const LinkParameters& link) const;
};

} // namespace gradflight
