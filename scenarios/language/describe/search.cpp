#include "base/letters.hpp"
#include "scenarios/language/describe/describe.hpp"
#include "scenarios/language/packs/pack_tables.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"
#include "scenarios/language/tables/tables.hpp"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <set>
#include <string_view>
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
  [[nodiscard]] bool mentions(const std::string& text) const {
    return lower_case(text).find(word_) != std::string::npos;
  }
  [[nodiscard]] bool has_value(const Shape& shape) const {
    if (shape.kind == Shape::Kind::object) return false;
    return std::ranges::any_of(shape.choices, [&](const std::string& c) { return mentions(c); }) ||
           std::ranges::any_of(shape.parts, [&](const Shape& part) { return has_value(part); });
  }
  void look(const TableInfo& table, const std::string& path) {
    if (!seen_.insert(&table).second) return;
    for (const FieldInfo& field : table.fields) {
      const std::string at = path.empty() ? field.key : path + "." + field.key;
      names_.push_back(field.key);
      if (mentions(field.key))
        hits_.push_back({0, at, field.doc});
      else if (has_value(field.shape))
        hits_.push_back({1, at, field.doc});
      else if (mentions(field.doc))
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

/// Returns the path without "[]" and ".*", as users write it.
std::string plain_path(std::string path) {
  for (const std::string_view mark : {"[]", ".*"})
    for (auto at = path.find(mark); at != std::string::npos; at = path.find(mark)) path.erase(at, mark.size());
  return path;
}

bool ends_in(const std::string& path, const std::string& word) {
  return ("." + lower_case(plain_path(path))).ends_with("." + lower_case(plain_path(word)));
}

/// Returns the paths and descriptions of all keys that end in `word`, also those of other kinds of files.
std::vector<Hit> hits_ending_in(const std::string& word, const TableInfo* written) {
  const std::string last = word.substr(word.rfind('.') == std::string::npos ? 0 : word.rfind('.') + 1);
  if (last.empty()) return {};
  std::vector<Hit> hits = searched(last, written).take();
  for (const FileForm* form : {&sweep_file(), &pack_file(), &fits_file(), &published_file(), &measured_pack_file()}) {
    KeySearch search(last);
    search.search(form->shape, form->kind);
    for (Hit& hit : search.take())
      if (std::ranges::none_of(hits, [&](const Hit& other) { return other.doc == hit.doc; }))
        hits.push_back(std::move(hit));
  }
  std::erase_if(hits, [&](const Hit& hit) { return hit.rank != 0 || !ends_in(hit.path, word); });
  return hits;
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
  auto hits = searched(word, written).take();
  std::erase_if(hits, [&](const Hit& hit) { return ends_in(hit.path, word); }); // named_keys_text has them
  std::string text;
  for (std::size_t i = 0; i < std::min(most, hits.size()); ++i)
    text += fmt::format("  {}\n      {}\n", hits[i].path, excerpt(hits[i].doc, word));
  if (hits.size() > most)
    text += fmt::format("  and {} more that mention it in their documentation\n", hits.size() - most);
  return text;
}

std::string named_keys_text(const std::string& word, const TableInfo* written) {
  std::string text;
  for (const Hit& hit : hits_ending_in(word, written))
    text += fmt::format("  {}\n      {}\n", hit.path, shortened(hit.doc));
  return text;
}

std::vector<std::string> named_keys(const std::string& word, const TableInfo* written) {
  std::vector<std::string> paths;
  for (const Hit& hit : hits_ending_in(word, written)) paths.push_back(hit.path);
  return paths;
}

std::vector<std::string> searched_names(const TableInfo* written) { return searched("", written).take_names(); }

} // namespace gradflight
