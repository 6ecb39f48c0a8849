#include "analysis/evidence/measured/nccl_tests_log.hpp"
#include "base/letters.hpp"
#include "models/collectives/element_type.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gradflight::measured {

namespace {

/// Converts a name without its "_perf". Of the benchmarks in nccl-tests, only hypercube is not a simulated operation.
NamedBenchmark benchmark_named(std::string_view name) {
  if (const auto op = operation_of(name)) return {op, {}};
  return {std::nullopt, name == "hypercube" ? std::string(name) : std::string()};
}

constexpr std::array<std::string_view, 7> reductions = {"sum", "prod", "max", "min", "avg", "mulsum", "none"};

/// The part of a word that is a number, also one without a value ("nan"), or "N/A": "-1node01:227602" begins with one.
std::string_view number_in_front(std::string_view word) {
  // Most words are digits with at most one point; reading them as numbers here, too, would take a third of a table's
  // time.
  if (std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '.'; }) && std::ranges::count(word, '.') < 2)
    return word;
  if (word.starts_with("N/A")) return word.substr(0, 3);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument) return {};
  return word.substr(0, static_cast<std::size_t>(end - word.data()));
}

/// Returns the type or reduction at the front of a word. Another program's line, which has colons or brackets, may
/// follow without a blank.
std::string_view name_in_front(std::string_view word) {
  if (number_of(word)) return {};
  if (word.find_first_of(":[]()") == std::string_view::npos) return word;
  for (std::size_t length = word.size(); length > 0; --length) {
    const std::string_view name = word.substr(0, length);
    if (element_type_named(std::string(name)) || std::ranges::find(reductions, name) != reductions.end()) return name;
  }
  return {};
}

} // namespace

std::optional<NamedBenchmark> program_in(std::string_view line) {
  std::optional<NamedBenchmark> found;
  for (std::size_t at = line.find("_perf"); at != std::string_view::npos; at = line.find("_perf", at + 1)) {
    const auto begin = line.find_last_of(" /\t\"'=", at);
    const NamedBenchmark named = benchmark_named(line.substr(begin + 1, at - begin - 1));
    if (named.op && found && named.op != found->op) return std::nullopt;
    if (named.op || !named.unknown.empty()) found = named;
  }
  return found;
}

NcclTestsColumns::NcclTestsColumns(const std::vector<Word>& header) {
  for (const Word& word : header) {
    const std::string name = lower_case(word.text);
    if (name == "#" || name == "|" || name == "timestamp" || name == "date" || name.starts_with('(')) continue;
    if (name == "size" && size >= 0) {
      beside = true;
      break;
    }
    const auto at = static_cast<int>(names.size());
    const bool is_time = name == "time" || name == "cputime";
    Times& times = out.time >= 0 && (is_time || in.time >= 0) ? in : out;
    if (name == "size" || name == "bytes") size = at;
    if (name == "bytes") milliseconds = true; // releases of 2017
    if (name == "count") count = at;
    if (name == "type") type = at;
    if (name == "redop" || name == "op") redop = at;
    if (name == "root") root = at;
    if (is_time) times.time = at;
    if (name == "cputime") cpu_time = true;
    if (name == "algbw") times.algbw = at;
    if (name == "busbw") times.busbw = at;
    if (name == "error" || name == "#wrong" || name == "wrong" || name == "res") {
      times.errors = at;
      times.counts_errors = name.ends_with("wrong");
    }
    names.push_back(name);
  }
}

std::string_view NcclTestsColumns::fit(std::vector<Word>& words) const {
  const auto reduction = static_cast<std::size_t>(std::max(redop, 0));
  if (redop >= 0 && reduction < words.size() && number_of(words[reduction].text))
    words.insert(words.begin() + redop, Word{"", words[reduction].column});
  for (std::size_t i = 0; i < std::min(words.size(), names.size()); ++i) {
    const auto column = static_cast<int>(i);
    Word& word = words[i];
    if (column == redop && word.text.empty()) continue;
    const std::string_view good =
        column == type || column == redop ? name_in_front(word.text) : number_in_front(word.text);
    if (good.size() == word.text.size()) continue;
    const std::string_view bad = word.text;
    word.text = good;
    words.resize(good.empty() ? i : i + 1);
    return bad;
  }
  return {};
}

bool NcclTestsColumns::take_more(const std::vector<Word>& header) {
  constexpr std::array<std::string_view, 7> known = {"redop", "root", "time", "algbw", "busbw", "#wrong", "error"};
  if (header.empty() || (in.time >= 0 && in.errors >= 0)) return false;
  std::vector<std::string> all = names;
  for (const Word& word : header) {
    all.push_back(lower_case(word.text) == "wrong" ? "#wrong" : lower_case(word.text));
    if (std::ranges::find(known, all.back()) == known.end()) return false;
  }
  std::vector<Word> words;
  for (const std::string& name : all) words.push_back({name, 1});
  *this = NcclTestsColumns(words);
  return true;
}

std::optional<NcclTestsColumns> columns_of_row(const std::vector<Word>& row) {
  if (row.size() < 7 || row.size() > 13 || !number_of(row[0].text) || !number_of(row[1].text)) return std::nullopt;
  const auto element = element_type_named(std::string(row[2].text));
  if (!element) return std::nullopt;
  std::vector<Word> header = {{"size"}, {"count"}, {"type"}};
  if (std::ranges::find(reductions, row[3].text) != reductions.end()) header.push_back({"redop"});
  // Four columns for each half, and one for the root.
  const std::size_t left = row.size() - header.size();
  if (left == 5 || left == 9) header.push_back({"root"});
  if ((row.size() - header.size()) % 4 != 0) return std::nullopt;
  const std::size_t time = header.size();
  const char* const errors = row[time + 3].text.find('e') == std::string_view::npos ? "#wrong" : "error";
  while (header.size() < row.size())
    for (const char* name : {"time", "algbw", "busbw", errors}) header.push_back({name});
  NcclTestsColumns columns(header);
  const auto printed = [&](std::size_t i) { return printed_number(row[i].text); };
  const auto size = number_of(row[0].text), count = number_of(row[1].text);
  const auto t = printed(time), algbw = printed(time + 1), busbw = printed(time + 2);
  if (!t || !algbw || !busbw || !(t->value > 0)) return std::nullopt;
  const bool whole_elements = *count > 0 && std::fmod(*size, *count * element->bytes) == 0;
  if (!whole_elements || !Rate{*size, *t, *algbw, *busbw, 0}.consistent()) return std::nullopt;
  return columns;
}

} // namespace gradflight::measured
