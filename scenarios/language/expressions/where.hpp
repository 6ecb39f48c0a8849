// The condition of a sweep: which combinations of axis values are points.
//
//   condition  = conjunction { "or" conjunction }
//   conjunction = negation { "and" negation }
//   negation   = "not" negation | comparison
//   comparison = sum [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) sum ]
//   sum        = product { ( "+" | "-" ) product }
//   product    = factor { ( "*" | "/" | "%" ) factor }
//   factor     = "-" factor | number [unit] | text | "true" | "false" | name | "(" condition ")"
//              | function "(" condition { "," condition } ")"
//   function   = "min" | "max" | "pow" | "log2" | "ln" | "sqrt" | "ceil" | "floor" | "abs"
//
// A name is an axis path or the end of one ("nodes", "tensors.0.bytes"). A text is in double or single quotes. A unit
// follows its number without a blank ("64MB", "10Gbps"). Quantities have dimensions: sizes can be compared only with
// sizes, and a size over a rate is a time. Both sides of "and" and "or" are always evaluated.
#pragma once

#include "models/units/unit_text.hpp"
#include "scenarios/language/json/node.hpp"

#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gradflight {

/// A mistake, and the offset of its character in the condition (from 0).
struct WhereError : std::exception {
  WhereError(std::size_t at, std::string text) : offset(at), message(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return message.c_str(); }
  std::size_t offset;
  std::string message;
};

/// Exponents of seconds, bytes and operations.
using Powers = std::array<int, 3>;

struct Amount {
  double value = 0; ///< in base units
  Powers powers{};
  friend bool operator==(const Amount&, const Amount&) = default;
};
using WhereValue = std::variant<bool, Amount, std::string>;

Powers powers_of(Dimension dimension);
/// Returns nothing for a plain number, and for powers without a unit.
std::optional<Dimension> dimension_of(const Powers& powers);
/// Returns "a time", "a plain number", "the text \"ring\"".
std::string kind_text(const WhereValue& value);

/// Returns "64MB" as an amount with the dimension of its unit; nothing if the text is not a quantity.
std::optional<Amount> amount_of(const std::string& text);

/// Converts a JSON value for a condition: text with a quantity becomes an amount; lists and objects become JSON text.
WhereValue where_value(const Node& node);

class Condition {
public:
  /// `paths` are the paths of the axes; a name stands for the index of one of them. Throws WhereError.
  Condition(const std::string& text, const std::vector<std::string>& paths);
  ~Condition();
  Condition(Condition&&) noexcept;
  Condition& operator=(Condition&&) noexcept;

  /// `values` are in the order of `paths`. Throws WhereError if the values do not match the condition, or if an
  /// intermediate number is not finite. So a condition never depends on 1 / 0 unnoticed.
  [[nodiscard]] bool holds(const std::vector<WhereValue>& values) const;

  struct Term;

private:
  std::unique_ptr<const Term> root_;
};

} // namespace gradflight
