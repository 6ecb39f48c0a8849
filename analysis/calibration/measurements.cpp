#include "analysis/calibration/measurements.hpp"

#include "analysis/calibration/experiments.hpp"
#include "models/nearest_name.hpp"
#include "scenarios/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gradflight {

double MeasuredCase::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

std::string MeasuredCase::name() const {
  std::string text = experiment;
  if (rate_mbit > 0) text += fmt::format(" {:g} Mbit/s p={}", rate_mbit, p);
  text += fmt::format(" {} B", bytes);
  if (!algorithm.empty()) text += ' ' + algorithm;
  for (const auto& [path, value] : sets) text += fmt::format(" {}={}", path, value);
  return text;
}

namespace {

const std::vector<std::string> known_columns = {"experiment", "rate_mbit", "p", "bytes", "algorithm", "rep", "seconds"};

struct Field {
  std::string_view text;
  int column; ///< counts from 1
};

std::vector<Field> split(std::string_view line) {
  std::vector<Field> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    const std::size_t end = comma == std::string_view::npos ? line.size() : comma;
    fields.push_back({line.substr(begin, end - begin), static_cast<int>(begin) + 1});
    if (comma == std::string_view::npos) return fields;
    begin = comma + 1;
  }
}

template <class T> std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Reader {
public:
  Reader(std::string path, Measurements& into) : path_(std::move(path)), into_(into) {}

  void read(std::string_view text) {
    int line = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view row = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (row.ends_with('\r')) row.remove_suffix(1);
      ++line;
      if (line == 1)
        header(row);
      else if (!row.empty() && header_good_)
        data(row, line);
    }
    if (line == 0) fail(1, 1, "the file is empty; its first line should be " + header_text());
    if (errors_.empty() && into_.cases.empty()) fail(1, 1, "there are no measurements below the header");
    std::ranges::stable_sort(errors_, {}, [](const Diagnostic& d) { return std::pair(d.line, d.column); });
    if (!errors_.empty()) throw InputErrors(std::move(errors_));
  }

private:
  static std::string header_text() { return fmt::format("{}", fmt::join(known_columns, ",")); }

  void fail(int line, int column, std::string message) {
    errors_.push_back({path_, line, column, "", std::move(message)});
  }

  void header(std::string_view row) {
    for (const Field& field : split(row)) {
      std::string name(field.text);
      if (std::ranges::find(columns_, name) != columns_.end()) {
        fail(1, field.column, fmt::format("column \"{}\" is there twice", name));
      } else if (std::ranges::find(known_columns, name) == known_columns.end() && name.find('.') == std::string::npos) {
        const std::string near = nearest_name(name, known_columns);
        fail(1, field.column,
             fmt::format("unknown column \"{}\"{}; columns are {}, and paths of a scenario such as "
                         "training.exchange.servers",
                         name, near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near), header_text()));
      }
      columns_.push_back(std::move(name));
    }
    for (const std::string& name : known_columns)
      if (std::ranges::find(columns_, name) == columns_.end())
        fail(1, 1, fmt::format("column \"{}\" is missing; the header should have {}", name, header_text()));
    header_good_ = errors_.empty();
  }

  [[nodiscard]] std::size_t index_of(const char* name) const {
    return static_cast<std::size_t>(std::ranges::find(columns_, name) - columns_.begin());
  }

  template <class T> T value(const Field& field, int line, const char* what, T least) {
    const auto got = number<T>(field.text);
    bool good = got && *got >= least;
    if constexpr (std::is_floating_point_v<T>) good = good && std::isfinite(*got);
    if (!good) fail(line, field.column, fmt::format("{} \"{}\" should be {}", what, field.text, wanted<T>(least)));
    return good ? *got : least;
  }
  template <class T> static std::string wanted(T least) {
    return fmt::format("{} of at least {}", std::is_floating_point_v<T> ? "a number" : "a whole number", least);
  }

  void data(std::string_view row, int line) {
    const std::vector<Field> fields = split(row);
    if (fields.size() != columns_.size()) {
      fail(line, 1, fmt::format("{} fields where the header has {}", fields.size(), columns_.size()));
      return;
    }
    const std::size_t before = errors_.size();
    const auto at = [&](const char* name) -> const Field& { return fields[index_of(name)]; };
    MeasuredCase c;
    c.line = line;
    c.experiment = at("experiment").text;
    c.algorithm = at("algorithm").text;
    c.rate_mbit = value<double>(at("rate_mbit"), line, "rate", 0);
    c.p = value<int>(at("p"), line, "p", 1);
    c.bytes = value<std::int64_t>(at("bytes"), line, "size", 1);
    value<std::int64_t>(at("rep"), line, "repetition", 0);
    const double seconds = value<double>(at("seconds"), line, "time", 0);
    check_experiment(c, at("experiment"), at("rate_mbit"), line);
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (columns_[i].find('.') != std::string::npos && !fields[i].text.empty())
        c.sets.emplace_back(columns_[i], fields[i].text);
    if (errors_.size() > before) return;
    ++into_.rows;
    const auto [found, added] = numbers_.try_emplace(c.name(), into_.cases.size());
    if (added) into_.cases.push_back(std::move(c));
    into_.cases[found->second].seconds.push_back(seconds);
  }

  void check_experiment(const MeasuredCase& c, const Field& name, const Field& rate, int line) {
    if (!c.experiment.ends_with(".json") && !is_experiment(c.experiment)) {
      const std::string near = nearest_name(c.experiment, experiment_names());
      fail(line, name.column,
           fmt::format("unknown experiment \"{}\"{}; known are {}, and scenario files (*.json)", c.experiment,
                       near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near),
                       fmt::join(experiment_names(), ", ")));
    } else if (c.rate_mbit == 0 && c.experiment != "reduce" && number<double>(rate.text) == 0.0) {
      fail(line, rate.column, "rate 0: only experiment reduce does without a link");
    }
  }

  std::string path_;
  Measurements& into_;
  std::vector<std::string> columns_;
  std::map<std::string, std::size_t> numbers_; ///< cases by name
  bool header_good_ = false;
  std::vector<Diagnostic> errors_;
};

} // namespace

Measurements parse_measurements(const std::string& text, const std::string& path) {
  Measurements measurements;
  measurements.file = std::filesystem::path(path).filename().string();
  measurements.hash = fmt::format("{:016x}", XXH64(text.data(), text.size(), 0));
  Reader(path, measurements).read(text);
  return measurements;
}

Measurements load_measurements(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputErrors({{path, 0, 0, "", "the file cannot be read"}});
  std::ostringstream text;
  text << in.rdbuf();
  return parse_measurements(text.str(), path);
}

} // namespace gradflight
