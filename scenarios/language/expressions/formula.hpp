// Arithmetic over named values, with the grammar of a sweep's condition (where.hpp); what a name stands for is the
// caller's to say.
#pragma once

#include "scenarios/language/expressions/where_term.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gradflight {

class Formula {
public:
  /// Throws WhereError, also what `meaning` throws.
  Formula(const std::string& text, const NameMeaning& meaning) : root_(parse_terms(text, meaning)) {}

  /// `values`: at the places that `meaning` gave. Throws WhereError where the parts do not fit together; `finite`:
  /// also where a number on the way is none.
  [[nodiscard]] WhereValue value(const std::vector<WhereValue>& values, bool finite) const {
    return evaluate(*root_, values, finite);
  }

private:
  std::shared_ptr<const Condition::Term> root_;
};

} // namespace gradflight
