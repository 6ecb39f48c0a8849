#include "analysis/evidence/calibration/measurements.hpp"

#include "analysis/evidence/calibration/experiments.hpp"
#include "base/digest.hpp"
#include "base/input_file.hpp"
#include "base/nearest_name.hpp"
#include "base/parse_number.hpp"
#include "base/percentile.hpp"
#include "base/sheet.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
namespace gradflight {

double MeasuredCase::median() const { return percentile(seconds, 0.5); }

std::string MeasuredCase::name() const {
  std::string text = experiment;
  if (rate_mbit > 0) text += fmt::format(" {} Mbit/s p={}", rate_mbit, p);
  text += fmt::format(" {} B", bytes);
  if (!algorithm.empty()) text += ' ' + algorithm;
  for (const CaseSetting& set : sets) text += fmt::format(" {}={}", set.path, set.value);
  return text;
}

namespace {

const std::vector<std::string> known_columns = {"experiment", "rate_mbit", "p", "bytes", "algorithm", "rep", "seconds"};

// Limits beyond all measurements; the last one is the largest number of workers in a scenario.
constexpr double least_rate_mbit = 1e-6, least_seconds = 1e-12, most_measured = 1e9;
constexpr int max_workers = 1'000'000;
constexpr std::int64_t max_repetition = 1'000'000'000, max_bytes = 1'000'000'000'000'000;

class Reader {
public:
  Reader(std::string path, Measurements& into) : path_(std::move(path)), into_(into) {}

  void read(std::string_view text) {
    if (text.substr(0, text.find('\n')).find("size_bytes") != std::string_view::npos) // `calibrate --platform` reads it
      throw InputErrors({{path_, 1, 1, "", "this is a table of times over sizes: add --platform"}});
    sheet_ = read_sheet(text);
    for (SheetMistake& mistake : sheet_.mistakes) fail(mistake.line, mistake.column, std::move(mistake.message));
    if (!sheet_.header.fields.empty() && header())
      for (const SheetRow& row : sheet_.rows) data(row);
    if (errors_.empty() && into_.cases.empty()) fail(1, 1, "the file has no measurements below the header");
    std::ranges::stable_sort(errors_, {}, [](const Diagnostic& d) { return std::pair(d.line, d.column); });
    if (!errors_.empty()) throw InputErrors(std::move(errors_));
  }

private:
  void fail(int line, int column, std::string message) {
    errors_.push_back({path_, line, column, "", std::move(message)});
  }

  /// Returns whether the rows can be read: no known column is missing.
  bool header() {
    const int line = sheet_.header.line;
    for (const CsvField& field : sheet_.header.fields) {
      const std::string& name = field.text;
      if (std::ranges::find(known_columns, name) != known_columns.end() || name.find('.') != std::string::npos)
        continue;
      fail(line, field.column,
           fmt::format("unknown column \"{}\"{}, and paths of a scenario such as training.exchange.servers", name,
                       did_you_mean(name, known_columns)));
    }
    bool complete = true;
    for (const std::string& name : known_columns)
      if (sheet_.index_of(name) == sheet_.header.fields.size()) {
        fail(line, 1,
             fmt::format("column \"{}\" is missing; the header should have {}", name, fmt::join(known_columns, ",")));
        complete = false;
      }
    return complete;
  }

  template <class T> T whole(const CsvField& field, int line, const char* what, T least, T most) {
    const auto got = parse_number<T>(field.text);
    if (got && *got >= least && *got <= most) return *got;
    fail(line, field.column,
         fmt::format("{} \"{}\" should be a whole number from {} to {}", what, field.text, least, most));
    return least;
  }
  double zero_or_from(double least, const CsvField& field, int line, const char* what) {
    const auto got = parse_number<double>(field.text);
    if (got && (*got == 0 || (*got >= least && *got <= most_measured))) return *got;
    fail(line, field.column,
         fmt::format("{} \"{}\" should be 0, or a number from {} to {}", what, field.text, least, most_measured));
    return 0;
  }

  void data(const SheetRow& row) {
    const std::size_t before = errors_.size();
    const int line = row.line;
    const auto at = [&](const char* name) -> const CsvField& { return row.fields[sheet_.index_of(name)]; };
    MeasuredCase c;
    c.line = line;
    c.experiment = at("experiment").text;
    c.algorithm = at("algorithm").text;
    c.columns = {at("experiment").column, at("rate_mbit").column, at("p").column, at("bytes").column};
    c.rate_mbit = zero_or_from(least_rate_mbit, at("rate_mbit"), line, "rate");
    c.p = whole<int>(at("p"), line, "p", 1, max_workers);
    c.bytes = whole<std::int64_t>(at("bytes"), line, "size", 1, max_bytes);
    whole<std::int64_t>(at("rep"), line, "repetition", 0, max_repetition);
    const double seconds = zero_or_from(least_seconds, at("seconds"), line, "time");
    check_experiment(c, at("experiment"), at("rate_mbit"), line);
    for (std::size_t i = 0; i < row.fields.size(); ++i)
      if (const auto& column = sheet_.header.fields[i], &value = row.fields[i];
          column.text.find('.') != std::string::npos && !value.text.empty())
        c.sets.push_back({column.text, value.text, column.column, value.column});
    if (errors_.size() > before) return;
    ++into_.rows;
    const auto [found, added] = numbers_.try_emplace(c.name(), into_.cases.size());
    if (added) into_.cases.push_back(std::move(c));
    into_.cases[found->second].seconds.push_back(seconds);
  }

  void check_experiment(const MeasuredCase& c, const CsvField& name, const CsvField& rate, int line) {
    if (!c.experiment.ends_with(".json") && !is_experiment(c.experiment)) {
      fail(line, name.column,
           fmt::format("unknown experiment \"{}\"{}, and scenario files (*.json)", c.experiment,
                       did_you_mean(c.experiment, experiment_names())));
    } else if (c.rate_mbit == 0 && c.experiment != "reduce" && parse_number<double>(rate.text) == 0.0) {
      fail(line, rate.column, "rate 0 is allowed only for experiment reduce, which uses no link");
    }
  }

  std::string path_;
  Measurements& into_;
  Sheet sheet_;
  std::map<std::string, std::size_t> numbers_; ///< name to index of the case
  std::vector<Diagnostic> errors_;
};

} // namespace

Measurements parse_measurements(const std::string& text, const std::string& path) {
  Measurements measurements;
  measurements.path = path;
  measurements.file = std::filesystem::path(path).filename().string();
  measurements.hash = digest(text);
  Reader(path, measurements).read(text);
  return measurements;
}

Measurements load_measurements(const std::string& path) {
  const FileText content = read_file(path, std::numeric_limits<std::size_t>::max());
  if (!content.error.empty()) throw InputErrors({{path, 0, 0, "", content.error}});
  return parse_measurements(content.text, path);
}

} // namespace gradflight
