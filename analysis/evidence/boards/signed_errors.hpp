// Medians of simulated / measured - 1 by size, operation and choice. A correct model shows no trend in any of them.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"

#include <cstddef>

namespace gradflight {

/// A group of cases, with the median of their signed errors; absent without cases.
struct SignedGroup {
  std::string name;
  std::size_t count = 0;
  std::optional<double> median{};
};

/// Signed errors of all scored cases of collectives.
struct SignedErrors {
  std::vector<SignedGroup> sizes;      ///< always all five classes
  std::vector<SignedGroup> operations; ///< in the order of their first occurrence
  std::vector<SignedGroup> choices;    ///< algorithm and protocol of the simulation, such as "nccl:ring LL", sorted
};
SignedErrors signed_errors(const std::vector<BoardPack>& packs);

/// The same group for both ways of scoring.
struct SignedPair {
  SignedGroup left_out, in_place;
};
/// Returns the groups of both, matched by name: those of `left_out` in order, then those only in `in_place`.
std::vector<SignedPair> signed_pairs(const std::vector<SignedGroup>& left_out,
                                     const std::vector<SignedGroup>& in_place);

} // namespace gradflight
