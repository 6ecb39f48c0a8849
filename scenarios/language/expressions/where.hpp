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
// A name is an axis path or the end of one ("nodes", "tensors.0.bytes"). A text stands in double or single quotes. A
// unit follows its number without a blank ("64MB", "10Gbps"). Quantities carry their dimension: sizes compare with
// sizes, and a size over a rate is a time. Both sides of "and" and "or" are always looked at.
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

/// What is wrong, and with which character of the condition (from 0).
struct WhereError : std::exception {
  WhereError(std::size_t at, std::string text) : offset(at), message(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return message.c_str(); }
  std::size_t offset;
  std::string message;
};

/// Powers of seconds, bytes and operations.
using Powers = std::array<int, 3>;

struct Amount {
  double value = 0; ///< in base units
  Powers powers{};
  friend bool operator==(const Amount&, const Amount&) = default;
};
using WhereValue = std::variant<bool, Amount, std::string>;

Powers powers_of(Dimension dimension);
/// Nothing for a plain number, and where no unit has it.
std::optional<Dimension> dimension_of(const Powers& powers);
/// "a time", "a plain number", "the text \"ring\"".
std::string kind_text(const WhereValue& value);

/// "64MB" as an amount of whatever dimension its unit has; nothing if it is no quantity.
std::optional<Amount> amount_of(const std::string& text);

/// A JSON value as a condition sees it: a text that is a quantity is an amount; lists and objects are their JSON.
WhereValue where_value(const Node& node);

class Condition {
public:
  /// `paths`: of the axes; a name stands for the index of one of them. Throws WhereError.
  Condition(const std::string& text, const std::vector<std::string>& paths);
  ~Condition();
  Condition(Condition&&) noexcept;
  Condition& operator=(Condition&&) noexcept;

  /// `values`: in the order of `paths`. Throws WhereError where they do not fit the condition, and where a number on
  /// the way is not finite: a condition does not hold, or fail, over 1 / 0 in silence.
  [[nodiscard]] bool holds(const std::vector<WhereValue>& values) const;

  struct Term;

private:
  std::unique_ptr<const Term> root_;
};

} // namespace gradflight
