#include "scenarios/language/decode/edit_expectations.hpp"

#include "scenarios/language/json/edit_text.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr const char* space = " \t\r\n";

/// The layout of the file: line ends, and one step of indentation.
struct Layout {
  std::string newline, step;
};

Layout layout_of(const std::string& text, const Node& root) {
  Layout layout{text.find("\r\n") != std::string::npos ? "\r\n" : "\n", "  "};
  if (root.members.empty()) return layout;
  const auto first = offset_of(text, root.members.front().position);
  const std::string indent = indent_at(text, first);
  const bool begins_line = text.find_last_not_of(" \t", first - 1) != std::string::npos &&
                           text[text.find_last_not_of(" \t", first - 1)] == '\n';
  if (begins_line && !indent.empty()) layout.step = indent;
  return layout;
}

std::string entry_text(const Expectation& e) {
  std::string text = fmt::format("{{ \"quantity\": {}, \"value\": {}", json_string(e.quantity), number_text(e.value));
  if (e.tolerance != 0) text += fmt::format(", \"tolerance\": {}", number_text(e.tolerance));
  if (!e.why.empty()) text += fmt::format(", \"why\": {}", json_string(e.why));
  return text + " }";
}

std::string list_text(const std::vector<Expectation>& expectations, const std::string& indent, const Layout& layout) {
  std::string text = "[";
  for (const Expectation& e : expectations)
    text += (text.size() > 1 ? "," : "") + layout.newline + indent + layout.step + entry_text(e);
  return text + (expectations.empty() ? "" : layout.newline + indent) + "]";
}

bool same_quantities(const Node& list, const std::vector<Expectation>& expectations) {
  if (list.kind != Node::Kind::list || list.items.size() != expectations.size()) return false;
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    const Node* quantity = list.items[i].find("quantity");
    const Node* value = list.items[i].find("value");
    if (quantity == nullptr || quantity->text != expectations[i].quantity) return false;
    if (value == nullptr || (value->kind != Node::Kind::integer && value->kind != Node::Kind::number)) return false;
  }
  return true;
}

std::string with_values(const std::string& text, const Node& list, const std::vector<Expectation>& expectations) {
  std::vector<ScalarEdit> edits;
  for (std::size_t i = 0; i < expectations.size(); ++i)
    if (list.items[i].find("value")->number != expectations[i].value)
      edits.push_back({fmt::format("/expect/{}/value", i), number_text(expectations[i].value)});
  return with_scalars(text, edits);
}

/// Adds the list after the last member, on a separate line if the file has several lines.
std::string with_member(std::string text, const Node& root, const std::vector<Expectation>& expectations) {
  const Layout layout = layout_of(text, root);
  const auto closing = text.find_last_not_of(space);
  const auto last = text.find_last_not_of(space, closing - 1);
  const bool lines = text.find('\n') < closing;
  const std::string indent = indent_at(text, closing) + (lines ? layout.step : "");
  std::string member = root.members.empty() ? "" : ",";
  member += lines ? layout.newline + indent : " ";
  member += "\"expect\": " + list_text(expectations, indent, layout);
  // Keep the text between the last member and the brace, unless the brace would follow the list on its line.
  if (lines && text.find('\n', last) > closing) member += layout.newline;
  return text.insert(last + 1, member);
}

} // namespace

std::string number_text(double value) { return Node::of(value).text; }

OwnExpect own_expect(const Document& scenario) {
  const Node* expect = scenario.root.find("expect");
  if (expect == nullptr || expect->kind != Node::Kind::list || expect->position.file != Document::itself)
    return OwnExpect::none;
  return expect->items.empty() ? OwnExpect::empty : OwnExpect::filled;
}

std::string with_expectations(const std::string& text, const std::vector<Expectation>& expectations) {
  const Node root = parse_for_edit(text);
  const Node* own = root.find("expect");
  if (own == nullptr) return with_member(text, root, expectations);
  if (own->kind == Node::Kind::list && own->items.empty()) {
    const auto begin = offset_of(text, own->position);
    const auto end = text.find(']', begin) + 1;
    return std::string(text).replace(begin, end - begin,
                                     list_text(expectations, indent_at(text, begin), layout_of(text, root)));
  }
  if (!same_quantities(*own, expectations)) throw ChangedMeanwhile("it now expects other quantities");
  return with_values(text, *own, expectations);
}

} // namespace gradflight
