#include "base/letters.hpp"
#include "scenarios/language/describe/describe.hpp"
#include "scenarios/language/tables/tables.hpp"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

namespace gradflight {
namespace {

struct Hit {
  int rank = 0; ///< 0: the key's name, 1: a value, 2: its documentation
  std::string path, doc;
};

/// Searches every key of a table and its nested tables. Each table counts once, at its first path.
class KeySearch {
public:
  explicit KeySearch(const std::string& word) : word_(lower_case(word)) {}

  /// Looks at `shape` and at everything below it, level by level.
  void search(const Shape& shape, const std::string& path) {
    look(shape, path);
    while (!later_.empty()) {
      const auto [table, at] = later_.front();
      later_.pop_front();
      look(*table, at);
    }
  }
  std::vector<Hit> take() {
    std::ranges::stable_sort(hits_, {}, &Hit::rank);
    return std::move(hits_);
  }
  std::vector<std::string> take_names() { return std::move(names_); }

private:
  void look(const Shape& shape, const std::string& path) {
    names_.insert(names_.end(), shape.choices.begin(), shape.choices.end());
    if (shape.table != nullptr) later_.emplace_back(shape.table, path);
    for (const Shape& part : shape.parts)
      look(part, shape.kind == Shape::Kind::list ? path + "[]" : shape.kind == Shape::Kind::map ? path + ".*" : path);
  }
  [[nodiscard]] bool speaks_of(const std::string& text) const {
    return lower_case(text).find(word_) != std::string::npos;
  }
  [[nodiscard]] bool has_value(const Shape& shape) const {
    if (shape.kind == Shape::Kind::object) return false;
    return std::ranges::any_of(shape.choices, [&](const std::string& c) { return speaks_of(c); }) ||
           std::ranges::any_of(shape.parts, [&](const Shape& part) { return has_value(part); });
  }
  void look(const TableInfo& table, const std::string& path) {
    if (!seen_.insert(&table).second) return;
    for (const FieldInfo& field : table.fields) {
      const std::string at = path.empty() ? field.key : path + "." + field.key;
      names_.push_back(field.key);
      if (speaks_of(field.key))
        hits_.push_back({0, at, field.doc});
      else if (has_value(field.shape))
        hits_.push_back({1, at, field.doc});
      else if (speaks_of(field.doc))
        hits_.push_back({2, at, field.doc});
    }
    for (const FieldInfo& field : table.fields) look(field.shape, path.empty() ? field.key : path + "." + field.key);
  }

  std::string word_;
  std::deque<std::pair<const TableInfo*, std::string>> later_; ///< tables to look at, with their paths
  std::set<const TableInfo*> seen_;
  std::vector<Hit> hits_;
  std::vector<std::string> names_; ///< names of keys and their possible values
};

KeySearch searched(const std::string& word, const TableInfo* written) {
  KeySearch search(word);
  search.search(object(scenario_table()).shape, "");
  if (written != nullptr) search.search({.kind = Shape::Kind::object, .table = written}, written->name);
  return search;
}

constexpr std::size_t excerpt_length = 90;

std::string shortened(const std::string& doc) {
  if (doc.size() <= excerpt_length) return doc;
  const auto space = doc.rfind(' ', excerpt_length);
  return doc.substr(0, space == std::string::npos ? excerpt_length : space) + " ...";
}

/// Returns the beginning of `doc`, or its sentence with the word if the beginning lacks the word.
std::string excerpt(const std::string& doc, const std::string& word) {
  const auto at = lower_case(doc).find(lower_case(word));
  if (at == std::string::npos || at + word.size() <= excerpt_length) return shortened(doc);
  const auto stop = doc.rfind(". ", at);
  auto begin = stop == std::string::npos ? 0 : stop + 2;
  if (at - begin > excerpt_length / 2) begin = doc.find(' ', at - excerpt_length / 2) + 1;
  return "... " + shortened(doc.substr(std::min(begin, at)));
}

} // namespace

std::string search_text(const std::string& word, const TableInfo* written) {
  constexpr std::size_t most = 20;
  const auto hits = searched(word, written).take();
  std::string text;
  for (std::size_t i = 0; i < std::min(most, hits.size()); ++i)
    text += fmt::format("  {}\n      {}\n", hits[i].path, excerpt(hits[i].doc, word));
  if (hits.size() > most)
    text += fmt::format("  and {} more that mention it in their documentation\n", hits.size() - most);
  return text;
}

std::vector<std::string> searched_names(const TableInfo* written) { return searched("", written).take_names(); }

} // namespace gradflight
