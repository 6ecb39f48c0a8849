// Medians of simulated / measured - 1 by size, operation and choice: a model that is right has no trend in any of them.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"

#include <cstddef>

namespace gradflight {

/// Cases that have something in common, with the median of their signed errors; of no cases none.
struct SignedGroup {
  std::string name;
  std::size_t count = 0;
  std::optional<double> median{};
};

/// Of all scored cases of collectives.
struct SignedErrors {
  std::vector<SignedGroup> sizes;      ///< five classes, always all of them
  std::vector<SignedGroup> operations; ///< in the order in which they first occur
  std::vector<SignedGroup> choices;    ///< algorithm and protocol of the simulation, "nccl:ring LL", sorted
};
SignedErrors signed_errors(const std::vector<BoardPack>& packs);

/// The same group under two ways of scoring.
struct SignedPair {
  SignedGroup left_out, in_place;
};
/// Returns the groups of both by name: those of `left_out` in their order, then those that only `in_place` has.
std::vector<SignedPair> signed_pairs(const std::vector<SignedGroup>& left_out,
                                     const std::vector<SignedGroup>& in_place);

} // namespace gradflight
