#include "scenarios/language/expressions/where.hpp"

#include "models/units/unit_text.hpp"
#include "scenarios/language/expressions/where_term.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace gradflight {

Powers powers_of(Dimension dimension) {
  switch (dimension) {
  case Dimension::time: return {1, 0, 0};
  case Dimension::bytes: return {0, 1, 0};
  case Dimension::byte_rate: return {-1, 1, 0};
  case Dimension::flops: return {0, 0, 1};
  case Dimension::flop_rate: return {-1, 0, 1};
  case Dimension::time_per_byte: return {1, -1, 0};
  }
  return {};
}

std::string kind_text(const WhereValue& value) {
  if (std::holds_alternative<bool>(value)) return "true or false";
  if (std::holds_alternative<std::string>(value)) return fmt::format("the text \"{}\"", std::get<std::string>(value));
  const auto& powers = std::get<Amount>(value).powers;
  if (powers == Powers{}) return "a plain number";
  if (const auto dimension = dimension_of(powers)) return fmt::format("a {}", dimension_name(*dimension));
  return fmt::format("a quantity in s^{} B^{} FLOP^{}", powers[0], powers[1], powers[2]);
}

std::optional<Dimension> dimension_of(const Powers& powers) {
  const auto found = std::ranges::find(dimensions, powers, powers_of);
  return found == dimensions.end() ? std::nullopt : std::optional(*found);
}

namespace {

using TermKind = Condition::Term::Kind;

class Evaluation {
public:
  Evaluation(const std::vector<WhereValue>& values, bool finite) : values_(values), finite_(finite) {}

  [[nodiscard]] WhereValue value_of(const Condition::Term& term) const {
    switch (term.kind) {
    case TermKind::literal: return term.literal;
    case TermKind::axis: return values_[term.axis];
    case TermKind::negate: return !truth(*term.left);
    case TermKind::minus: {
      const auto amount = number(*term.left);
      return Amount{-amount.value, amount.powers};
    }
    case TermKind::both:
    case TermKind::one: {
      const bool left = truth(*term.left), right = truth(*term.right);
      return term.kind == TermKind::both ? left && right : left || right;
    }
    case TermKind::add:
    case TermKind::subtract:
    case TermKind::multiply:
    case TermKind::divide:
    case TermKind::remainder:
    case TermKind::least:
    case TermKind::greatest:
    case TermKind::power:
    case TermKind::log2:
    case TermKind::natural_log:
    case TermKind::square_root:
    case TermKind::round_up:
    case TermKind::round_down:
    case TermKind::absolute: return arithmetic(term);
    default: return comparison(term);
    }
  }

  [[nodiscard]] bool truth(const Condition::Term& term) const {
    const auto value = value_of(term);
    if (const auto* answer = std::get_if<bool>(&value)) return *answer;
    throw WhereError{term.offset, "expected true or false here, got " + kind_text(value)};
  }

private:
  [[nodiscard]] Amount number(const Condition::Term& term) const {
    const auto value = value_of(term);
    if (const auto* amount = std::get_if<Amount>(&value)) return *amount;
    throw WhereError{term.offset, "expected a number or a quantity here, got " + kind_text(value)};
  }

  static void same(const Condition::Term& term, const WhereValue& left, const WhereValue& right) {
    const auto* a = std::get_if<Amount>(&left);
    const auto* b = std::get_if<Amount>(&right);
    if (left.index() == right.index() && (a == nullptr || a->powers == b->powers)) return;
    throw WhereError{term.offset, fmt::format("{} and {} cannot be combined", kind_text(left), kind_text(right))};
  }

  [[nodiscard]] Amount arithmetic(const Condition::Term& term) const {
    const auto a = number(*term.left), b = term.right ? number(*term.right) : Amount{};
    const auto result = term.right ? combined(term, a, b) : function_of(term, a);
    if (!finite_ || std::isfinite(result.value)) return result;
    const bool by_zero = (term.kind == TermKind::divide || term.kind == TermKind::remainder) && b.value == 0;
    const bool unknown = std::isnan(a.value) || std::isnan(b.value);
    if (unknown && !by_zero) return result;
    throw WhereError{term.offset, by_zero                    ? "division by zero"
                                  : std::isnan(result.value) ? "the result is not a number"
                                                             : "the result is too large for a number"};
  }

  static void plain(const Condition::Term& term, const Amount& amount) {
    if (amount.powers != Powers{})
      throw WhereError{term.offset, fmt::format("expected a plain number here, got {}", kind_text(amount))};
  }

  [[nodiscard]] static Amount function_of(const Condition::Term& term, Amount a) {
    if (term.kind == TermKind::absolute) {
      a.value = std::abs(a.value);
      return a;
    }
    if (term.kind == TermKind::square_root) {
      for (auto& power : a.powers) {
        if (power % 2 != 0) plain(term, a);
        power /= 2;
      }
      a.value = std::sqrt(a.value);
      return a;
    }
    plain(term, a);
    switch (term.kind) {
    case TermKind::log2: a.value = std::log2(a.value); break;
    case TermKind::natural_log: a.value = std::log(a.value); break;
    case TermKind::round_up: a.value = std::ceil(a.value); break;
    default: a.value = std::floor(a.value); break;
    }
    return a;
  }

  [[nodiscard]] static Amount combined(const Condition::Term& term, Amount a, const Amount& b) {
    if (term.kind == TermKind::multiply || term.kind == TermKind::divide) {
      const int sign = term.kind == TermKind::multiply ? 1 : -1;
      for (std::size_t i = 0; i < a.powers.size(); ++i) a.powers[i] += sign * b.powers[i];
      a.value = sign > 0 ? a.value * b.value : a.value / b.value;
      return a;
    }
    if (term.kind == TermKind::power) {
      plain(term, a);
      plain(term, b);
      a.value = std::pow(a.value, b.value);
      return a;
    }
    same(term, a, b);
    switch (term.kind) {
    case TermKind::add: a.value += b.value; break;
    case TermKind::subtract: a.value -= b.value; break;
    case TermKind::least: a.value = std::isnan(b.value) ? b.value : std::min(a.value, b.value); break;
    case TermKind::greatest: a.value = std::isnan(b.value) ? b.value : std::max(a.value, b.value); break;
    default: a.value = std::fmod(a.value, b.value);
    }
    return a;
  }

  [[nodiscard]] bool comparison(const Condition::Term& term) const {
    const auto left = value_of(*term.left), right = value_of(*term.right);
    same(term, left, right);
    const auto* a = std::get_if<Amount>(&left);
    if (a == nullptr) {
      if (term.kind == TermKind::equal) return left == right;
      if (term.kind == TermKind::unequal) return left != right;
      throw WhereError{term.offset, fmt::format("{} can only be compared with == or !=", kind_text(left))};
    }
    const auto x = a->value, y = std::get<Amount>(right).value;
    switch (term.kind) {
    case TermKind::equal: return x == y;
    case TermKind::unequal: return x != y;
    case TermKind::less: return x < y;
    case TermKind::less_equal: return x <= y;
    case TermKind::greater: return x > y;
    default: return x >= y;
    }
  }

  const std::vector<WhereValue>& values_;
  bool finite_;
};

} // namespace

std::optional<Amount> amount_of(const std::string& text) {
  const auto dimension = dimension_of(text);
  if (!dimension) return std::nullopt;
  return Amount{parse_quantity(text, *dimension), powers_of(*dimension)};
}

WhereValue where_value(const Node& node) {
  switch (node.kind) {
  case Node::Kind::boolean: return node.boolean;
  case Node::Kind::integer:
  case Node::Kind::number: return Amount{node.number, {}};
  case Node::Kind::text:
    if (const auto amount = amount_of(node.text)) return *amount;
    return node.text;
  default: return brief_text(node, 1000);
  }
}

Condition::Condition(const std::string& text, const std::vector<std::string>& paths)
    : root_(parse_condition(text, paths)) {}
Condition::~Condition() = default;
Condition::Condition(Condition&&) noexcept = default;
Condition& Condition::operator=(Condition&&) noexcept = default;

WhereValue evaluate(const Condition::Term& term, const std::vector<WhereValue>& values, bool finite) {
  return Evaluation(values, finite).value_of(term);
}

bool Condition::holds(const std::vector<WhereValue>& values) const { return Evaluation(values, true).truth(*root_); }

} // namespace gradflight
