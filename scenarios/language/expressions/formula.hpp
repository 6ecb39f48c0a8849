// Arithmetic over named values, with the grammar of a sweep's condition (where.hpp). The caller defines the names.
#pragma once

#include "scenarios/language/expressions/where_term.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gradflight {

class Formula {
public:
  /// Throws WhereError, and everything that `meaning` throws.
  Formula(const std::string& text, const NameMeaning& meaning) : root_(parse_terms(text, meaning)) {}

  /// `values` has the indices that `meaning` returned. Throws WhereError if kinds or dimensions do not match. With
  /// `finite`, also throws if an intermediate number is not finite.
  [[nodiscard]] WhereValue value(const std::vector<WhereValue>& values, bool finite) const {
    return evaluate(*root_, values, finite);
  }

private:
  std::shared_ptr<const Condition::Term> root_;
};

} // namespace gradflight
