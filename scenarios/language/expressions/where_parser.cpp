// Recursive descent over the grammars in where.hpp and expression.hpp. No library in Debian 12 parses quantities with
// units and dotted names and reports the positions of mistakes.
#include "base/nearest_name.hpp"
#include "scenarios/language/expressions/where_term.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace gradflight {
namespace {

using Term = Condition::Term;
using TermKind = Term::Kind;

constexpr int max_depth = 100;

bool word_begin(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool word_part(char c) { return word_begin(c) || digit(c); }

struct Function {
  std::string_view name;
  TermKind kind;
  int arguments; ///< 0: any number
};
constexpr std::array<Function, 9> functions{{{"min", TermKind::least, 0},
                                             {"max", TermKind::greatest, 0},
                                             {"pow", TermKind::power, 2},
                                             {"log2", TermKind::log2, 1},
                                             {"ln", TermKind::natural_log, 1},
                                             {"sqrt", TermKind::square_root, 1},
                                             {"ceil", TermKind::round_up, 1},
                                             {"floor", TermKind::round_down, 1},
                                             {"abs", TermKind::absolute, 1}}};

class Parser {
public:
  Parser(const std::string& text, const NameMeaning& meaning, std::vector<Reading>* readings)
      : text_(text), meaning_(meaning), readings_(readings) {}

  WhereTerm whole() {
    auto term = condition();
    skip_blanks();
    if (at_ < text_.size()) fail(at_, fmt::format("expected an operator or the end, got \"{}\"", rest()));
    return term;
  }

private:
  struct Operator {
    std::string_view spelling;
    TermKind kind;
  };

  [[noreturn]] static void fail(std::size_t offset, std::string message) {
    throw WhereError{offset, std::move(message)};
  }
  [[nodiscard]] std::string rest() const { return text_.substr(at_, 12) + (text_.size() > at_ + 12 ? "..." : ""); }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  /// A spelling of letters must not be the prefix of a longer name.
  bool take(std::string_view spelling) {
    skip_blanks();
    if (std::string_view(text_).substr(at_, spelling.size()) != spelling) return false;
    const auto end = at_ + spelling.size();
    if (word_begin(spelling[0]) && end < text_.size() && (word_part(text_[end]) || text_[end] == '.')) return false;
    at_ = end;
    return true;
  }

  template <std::size_t N> const Operator* any_of(const std::array<Operator, N>& operators) {
    for (const auto& op : operators)
      if (take(op.spelling)) return &op;
    return nullptr;
  }

  static WhereTerm join(TermKind kind, std::size_t offset, WhereTerm left, WhereTerm right) {
    auto term = std::make_unique<Term>();
    term->kind = kind;
    term->offset = offset;
    term->left = std::move(left);
    term->right = std::move(right);
    return term;
  }

  template <std::size_t N, class Next> WhereTerm chain(const std::array<Operator, N>& operators, Next next) {
    auto left = next();
    for (;;) {
      skip_blanks();
      const auto offset = at_;
      const auto* op = any_of(operators);
      if (op == nullptr) return left;
      left = join(op->kind, offset, std::move(left), next());
    }
  }

  WhereTerm condition() {
    if (++depth_ > max_depth) fail(at_, "too deeply nested");
    constexpr std::array<Operator, 2> ors{{{"or", TermKind::one}, {"||", TermKind::one}}};
    constexpr std::array<Operator, 2> ands{{{"and", TermKind::both}, {"&&", TermKind::both}}};
    auto term = chain(ors, [&] { return chain(ands, [&] { return negation(); }); });
    --depth_;
    return term;
  }

  WhereTerm negation() {
    skip_blanks();
    const auto offset = at_;
    const bool sign = std::string_view(text_).substr(at_, 2) != "!=" && take("!");
    if (!sign && !take("not")) return comparison();
    if (++depth_ > max_depth) fail(at_, "too deeply nested");
    auto term = join(TermKind::negate, offset, negation(), nullptr);
    --depth_;
    return term;
  }

  WhereTerm comparison() {
    constexpr std::array<Operator, 6> comparisons{{{"==", TermKind::equal},
                                                   {"!=", TermKind::unequal},
                                                   {"<=", TermKind::less_equal},
                                                   {">=", TermKind::greater_equal},
                                                   {"<", TermKind::less},
                                                   {">", TermKind::greater}}};
    auto left = sum();
    skip_blanks();
    const auto offset = at_;
    const auto* op = any_of(comparisons);
    if (op == nullptr && at_ < text_.size() && text_[at_] == '=') fail(at_, "\"=\" is not an operator; write ==");
    return op == nullptr ? std::move(left) : join(op->kind, offset, std::move(left), sum());
  }

  WhereTerm sum() {
    constexpr std::array<Operator, 2> sums{{{"+", TermKind::add}, {"-", TermKind::subtract}}};
    constexpr std::array<Operator, 3> products{
        {{"*", TermKind::multiply}, {"/", TermKind::divide}, {"%", TermKind::remainder}}};
    return chain(sums, [&] { return chain(products, [&] { return factor(); }); });
  }

  WhereTerm factor() {
    skip_blanks();
    const auto offset = at_;
    if (at_ == text_.size()) fail(at_, "expected a value, got the end");
    if (take("-")) {
      if (++depth_ > max_depth) fail(at_, "too deeply nested");
      auto term = join(TermKind::minus, offset, factor(), nullptr);
      --depth_;
      return term;
    }
    if (take("(")) {
      auto inner = condition();
      if (!take(")")) fail(at_, "expected \")\"");
      return inner;
    }
    if (take("true")) return literal(offset, true);
    if (take("false")) return literal(offset, false);
    const char c = text_[at_];
    if (c == '"' || c == '\'') return quoted(c);
    if (digit(c)) return number();
    if (word_begin(c)) return name();
    fail(at_, fmt::format("expected a value, got \"{}\"", rest()));
  }

  static WhereTerm literal(std::size_t offset, WhereValue value) {
    auto term = std::make_unique<Term>();
    term->offset = offset;
    term->literal = std::move(value);
    return term;
  }

  WhereTerm quoted(char quote) {
    const auto end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) fail(at_, "the quoted text is not closed");
    const auto begin = std::exchange(at_, end + 1);
    return literal(begin, text_.substr(begin + 1, end - begin - 1));
  }

  /// Parses "64", "64MB", "1.2GB/s": uses the longest unit that gives a quantity.
  WhereTerm number() {
    const auto begin = at_;
    double plain = 0;
    const auto [after, error] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), plain);
    const auto number_end = static_cast<std::size_t>(after - text_.data());
    auto end = number_end;
    // The micro sign is not ASCII.
    const auto unit_part = [](char c) { return word_part(c) || c == '/' || static_cast<unsigned char>(c) >= 0x80U; };
    while (end < text_.size() && unit_part(text_[end])) ++end;
    for (auto last = end; last > number_end; --last) {
      if (last < end && word_part(text_[last]) && word_part(text_[last - 1])) continue;
      if (const auto amount = amount_of(text_.substr(begin, last - begin))) {
        at_ = last;
        return literal(begin, *amount);
      }
    }
    if (number_end < text_.size() && word_begin(text_[number_end]))
      fail(begin, fmt::format("\"{}\" is neither a number nor a quantity", text_.substr(begin, end - begin)));
    if (error == std::errc::result_out_of_range)
      fail(begin, fmt::format("{} is too large or too small for a number", text_.substr(begin, number_end - begin)));
    at_ = number_end;
    return literal(begin, Amount{plain, {}});
  }

  WhereTerm name() {
    const auto begin = at_;
    const auto dot = [&](std::size_t i) { return text_[i] == '.' && i + 1 < text_.size() && word_part(text_[i + 1]); };
    while (at_ < text_.size() && (word_part(text_[at_]) || dot(at_))) ++at_;
    const auto written = text_.substr(begin, at_ - begin);
    const bool called = take("(");
    if (called)
      if (const auto* function = std::ranges::find(functions, written, &Function::name); function != functions.end())
        return call(begin, *function);
    if (readings_ != nullptr) return reading(begin, written, called);
    if (called) {
      std::vector<std::string> known;
      for (const auto& function : functions) known.emplace_back(function.name);
      fail(begin, fmt::format("unknown function \"{}\"{}", written, did_you_mean(written, known)));
    }
    auto term = std::make_unique<Term>();
    term->kind = TermKind::axis;
    term->offset = begin;
    term->axis = meaning_(written, begin);
    return term;
  }

  /// Parses min(a, b, ...), pow(a, b) and so on, after the "(".
  WhereTerm call(std::size_t offset, const Function& function) {
    auto term = condition();
    if (function.arguments == 1) term = join(function.kind, offset, std::move(term), nullptr);
    if (function.arguments == 2) {
      if (!take(",")) fail(at_, fmt::format("expected \",\": {} has two arguments", function.name));
      term = join(function.kind, offset, std::move(term), condition());
    }
    while (function.arguments == 0 && take(",")) term = join(function.kind, offset, std::move(term), condition());
    if (!take(")")) fail(at_, function.arguments == 0 ? "expected \",\" or \")\"" : "expected \")\"");
    return term;
  }

  /// Parses QUANTITY(EXPERIMENT): the experiment is the text up to the ")".
  WhereTerm reading(std::size_t offset, const std::string& quantity, bool called) {
    if (!called) fail(offset, fmt::format("\"{0}\" needs an experiment: write {0}(EXPERIMENT)", quantity));
    skip_blanks();
    const auto end = text_.find_first_of("()", at_);
    if (end == std::string::npos || text_[end] != ')') fail(at_, "expected an experiment's name and \")\"");
    const auto begin = std::exchange(at_, end + 1);
    const auto last = text_.find_last_not_of(" \t", end - 1);
    Reading read{quantity, text_.substr(begin, last + 1 - std::min(begin, last + 1)), offset, begin};
    if (read.experiment.empty()) fail(begin, "expected an experiment's name");
    auto term = std::make_unique<Term>();
    term->kind = TermKind::axis;
    term->offset = offset;
    term->axis = static_cast<std::size_t>(std::ranges::find(*readings_, read) - readings_->begin());
    if (term->axis == readings_->size()) readings_->push_back(std::move(read));
    return term;
  }

  const std::string& text_;
  const NameMeaning& meaning_;
  std::vector<Reading>* readings_; ///< null: `meaning_` defines the names
  std::size_t at_ = 0;
  int depth_ = 0;
};

} // namespace

std::size_t index_of_path(const std::vector<std::string>& paths, const std::string& written, std::size_t offset,
                          const std::string& noun) {
  std::vector<std::size_t> meant;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i] == written) return i;
    if (paths[i].ends_with("." + written)) meant.push_back(i);
  }
  if (meant.size() == 1) return meant.front();
  std::vector<std::string> names;
  if (meant.empty()) {
    for (const auto& path : paths)
      if (const auto last = path.substr(path.rfind('.') + 1); std::ranges::find(names, last) == names.end())
        names.push_back(last);
    throw WhereError{offset, fmt::format("\"{}\" is not a known {}{}", written, noun, did_you_mean(written, names))};
  }
  for (const auto i : meant) names.push_back(paths[i]);
  throw WhereError{offset,
                   fmt::format("\"{}\" is ambiguous: it may be {}; write more of the path", written, joined(names))};
}

WhereTerm parse_terms(const std::string& text, const NameMeaning& meaning) {
  return Parser(text, meaning, nullptr).whole();
}

WhereTerm parse_condition(const std::string& text, const std::vector<std::string>& paths) {
  return parse_terms(
      text, [&](const std::string& name, std::size_t offset) { return index_of_path(paths, name, offset, "axis"); });
}

WhereTerm parse_expression(const std::string& text, std::vector<Reading>& readings) {
  const NameMeaning none;
  return Parser(text, none, &readings).whole();
}

} // namespace gradflight
