#include "analysis/evidence/calibration/measurements.hpp"

#include "analysis/evidence/calibration/experiments.hpp"
#include "base/csv.hpp"
#include "base/digest.hpp"
#include "base/input_file.hpp"
#include "base/nearest_name.hpp"
#include "base/parse_number.hpp"
#include "base/percentile.hpp"
#include "base/utf.hpp"
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
    int line = 0;
    for (const auto row : text_lines(text)) {
      ++line;
      if (const std::size_t bad = not_utf8(row); bad != std::string_view::npos)
        fail(line, csv_column(row, bad),
             fmt::format("invalid UTF-8: byte 0x{:02X}", static_cast<unsigned char>(row[bad])));
      else if (line == 1)
        header(row);
      else if (!row.empty() && header_good_)
        data(row, line);
    }
    if (line == 0) fail(1, 1, "the file is empty; expected the header " + header_text());
    if (errors_.empty() && into_.cases.empty()) fail(1, 1, "the file has no measurements below the header");
    std::ranges::stable_sort(errors_, {}, [](const Diagnostic& d) { return std::pair(d.line, d.column); });
    if (!errors_.empty()) throw InputErrors(std::move(errors_));
  }

private:
  static std::string header_text() { return fmt::format("{}", fmt::join(known_columns, ",")); }

  void fail(int line, int column, std::string message) {
    errors_.push_back({path_, line, column, "", std::move(message)});
  }

  std::vector<CsvField> fields_of(std::string_view row, int line) {
    std::vector<CsvField> fields = csv_fields(row);
    if (!fields.back().closed) fail(line, fields.back().column, "this quote is never closed");
    return fields;
  }

  void header(std::string_view row) {
    if (row.find("size_bytes") != std::string_view::npos) { // our own name, which `calibrate --platform` reads
      fail(1, 1, "this is a table of times over sizes: add --platform");
      return;
    }
    if (const std::string_view separator = other_separator(row); !separator.empty()) {
      fail(1, 1, fmt::format("{} separate the columns; expected commas", separator));
      return;
    }
    for (const CsvField& field : fields_of(row, 1)) {
      const std::string& name = field.text;
      if (std::ranges::find(columns_, name) != columns_.end()) {
        fail(1, field.column, fmt::format("column \"{}\" appears twice", name));
      } else if (std::ranges::find(known_columns, name) == known_columns.end() && name.find('.') == std::string::npos) {
        const std::string near = nearest_name(name, known_columns);
        fail(1, field.column,
             fmt::format("unknown column \"{}\"{} Allowed: {}, and paths of a scenario such as "
                         "training.exchange.servers",
                         name, near.empty() ? "." : fmt::format("; did you mean \"{}\"?", near), header_text()));
      }
      columns_.push_back(name);
      header_columns_.push_back(field.column);
    }
    for (const std::string& name : known_columns)
      if (std::ranges::find(columns_, name) == columns_.end())
        fail(1, 1, fmt::format("column \"{}\" is missing; the header should have {}", name, header_text()));
    header_good_ = errors_.empty();
  }

  [[nodiscard]] std::size_t index_of(const char* name) const {
    return static_cast<std::size_t>(std::ranges::find(columns_, name) - columns_.begin());
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

  void data(std::string_view row, int line) {
    const std::size_t before = errors_.size();
    const std::vector<CsvField> fields = fields_of(row, line);
    if (errors_.size() > before) return;
    if (fields.size() != columns_.size()) {
      fail(line, 1, fmt::format("{} fields, but the header has {}", fields.size(), columns_.size()));
      return;
    }
    const auto at = [&](const char* name) -> const CsvField& { return fields[index_of(name)]; };
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
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (columns_[i].find('.') != std::string::npos && !fields[i].text.empty())
        c.sets.push_back({columns_[i], fields[i].text, header_columns_[i], fields[i].column});
    if (errors_.size() > before) return;
    ++into_.rows;
    const auto [found, added] = numbers_.try_emplace(c.name(), into_.cases.size());
    if (added) into_.cases.push_back(std::move(c));
    into_.cases[found->second].seconds.push_back(seconds);
  }

  void check_experiment(const MeasuredCase& c, const CsvField& name, const CsvField& rate, int line) {
    if (!c.experiment.ends_with(".json") && !is_experiment(c.experiment)) {
      const std::string near = nearest_name(c.experiment, experiment_names());
      fail(line, name.column,
           fmt::format("unknown experiment \"{}\"{} Allowed: {}, and scenario files (*.json)", c.experiment,
                       near.empty() ? "." : fmt::format("; did you mean \"{}\"?", near),
                       fmt::join(experiment_names(), ", ")));
    } else if (c.rate_mbit == 0 && c.experiment != "reduce" && parse_number<double>(rate.text) == 0.0) {
      fail(line, rate.column, "rate 0 is allowed only for experiment reduce, which uses no link");
    }
  }

  std::string path_;
  Measurements& into_;
  std::vector<std::string> columns_;
  std::vector<int> header_columns_;            ///< columns of their names
  std::map<std::string, std::size_t> numbers_; ///< name to index of the case
  bool header_good_ = false;
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
