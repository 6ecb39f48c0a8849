#include "analysis/evidence/measured/csv_headers.hpp"

#include "base/letters.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gradflight::measured {

namespace {

/// Columns that are measured, or equal for all rows of an operation; all other columns distinguish tables.
constexpr std::array<std::string_view, 24> measured_columns = {"size_bytes",
                                                               "count",
                                                               "time_us",
                                                               "algbw_GBps",
                                                               "busbw_GBps",
                                                               "avg_us",
                                                               "min_us",
                                                               "max_us",
                                                               "inplace_time_us",
                                                               "inplace_algbw_GBps",
                                                               "inplace_busbw_GBps",
                                                               "mean_us",
                                                               "value",
                                                               "iterations",
                                                               "messages_per_s",
                                                               "unit",
                                                               "measure",
                                                               "type",
                                                               "wrong",
                                                               "inplace_wrong",
                                                               "numcycle",
                                                               "inplace",
                                                               repeat_column,
                                                               other_time_column};

constexpr std::array<std::string_view, 17> setup_columns = {
    "run",      "collective", "ranks",         "nodes",          "type",      "redop",
    "gpu",      "gpu_node",   "gpus",          "pairs",          "algorithm", "algo",
    "protocol", "proto",      "gpus_per_rank", "ranks_per_node", "buffers"};

/// Names in rccl-tests and common names by people, in lower case and without "_", blanks and brackets.
constexpr std::array<std::pair<std::string_view, std::string_view>, 26> other_names = {
    {{"size", "size_bytes"},        {"msgsize", "size_bytes"},
     {"messagesize", "size_bytes"}, {"messagesizebytes", "size_bytes"},
     {"bytes", "size_bytes"},       {"sizeb", "size_bytes"},
     {"time", "time_us"},           {"algbw", "algbw_GBps"},
     {"algbwgb/s", "algbw_GBps"},   {"busbw", "busbw_GBps"},
     {"busbwgb/s", "busbw_GBps"},   {"name", "collective"},
     {"operation", "collective"},   {"op", "collective"},
     {"coll", "collective"},        {"nranks", "ranks"},
     {"numranks", "ranks"},         {"np", "ranks"},
     {"worldsize", "ranks"},        {"nnodes", "nodes"},
     {"numnodes", "nodes"},         {"dtype", "type"},
     {"datatype", "type"},          {"nwrong", "wrong"},
     {"#wrong", "wrong"},           {"latencyus", "avg_us"}}};

/// Columns with numbers or times of repetitions, which do not distinguish tables. The index of a spreadsheet has no
/// name.
constexpr std::array<std::string_view, 12> repeat_names = {
    "", "index", "iteration", "iter", "trial", "rep", "repeat", "repetition", "sample", "timestamp", "date", "#"};

/// The part of a title that says in or out of place, and the prefix of our names for this half.
struct Half {
  std::string_view in_names, in_title;
};
constexpr std::array<Half, 4> halves = {{{"", "outofplace"}, {"", "oop"}, {"inplace_", "inplace"}, {"inplace_", "ip"}}};

/// Returns the text in lower case, without "_", blanks and brackets.
std::string letters_of(std::string_view text) {
  std::string letters = lower_case(text);
  std::erase_if(letters, [](char c) { return c == '_' || c == ' ' || c == '(' || c == ')' || c == '[' || c == ']'; });
  return letters;
}

/// Whether the line is the header of a table by nccl-tests, possibly with tabs in place of blanks.
bool is_log_header(std::string_view line) {
  const std::size_t hash = line.find('#');
  if (hash == std::string_view::npos || line.find("algbw") == std::string_view::npos) return false;
  const std::size_t name = line.find_first_not_of(" \t", hash + 1);
  return name != std::string_view::npos && (line.substr(name, 5) == "size " || line.substr(name, 5) == "size\t");
}

} // namespace

bool is_setup_column(std::string_view name) { return std::ranges::find(setup_columns, name) != setup_columns.end(); }

bool is_measured_column(std::string_view name) {
  return std::ranges::find(measured_columns, name) != measured_columns.end();
}

std::optional<double> microseconds_of(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 13> units = {{{"ns", 1e-3},
                                                                          {"nsec", 1e-3},
                                                                          {"us", 1},
                                                                          {"usec", 1},
                                                                          {"\xc2\xb5s", 1},
                                                                          {"\xce\xbcs", 1},
                                                                          {"microseconds", 1},
                                                                          {"ms", 1e3},
                                                                          {"msec", 1e3},
                                                                          {"milliseconds", 1e3},
                                                                          {"s", 1e6},
                                                                          {"sec", 1e6},
                                                                          {"seconds", 1e6}}};
  const auto* const found = std::ranges::find(units, unit, &std::pair<std::string_view, double>::first);
  return found != units.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<double> microseconds_in(std::string_view title) {
  const std::string letters = letters_of(title);
  return letters.starts_with("time") ? microseconds_of(std::string_view(letters).substr(4)) : std::nullopt;
}

std::string column_name(std::string_view text) {
  const std::string letters = letters_of(text);
  std::string trimmed(text.substr(std::min(text.find_first_not_of(' '), text.size())));
  if (is_measured_column(trimmed)) return trimmed;
  if (letters.starts_with("time") && microseconds_of(std::string_view(letters).substr(4))) return "time_us";
  if (std::ranges::find(repeat_names, letters) != repeat_names.end()) return std::string(repeat_column);
  const auto known = [](std::string_view title) {
    const auto* const found = std::ranges::find(other_names, title, [](const auto& n) { return n.first; });
    if (found != other_names.end()) return found->second;
    for (const std::span<const std::string_view> own :
         {std::span<const std::string_view>(measured_columns), {setup_columns}})
      if (const auto name = std::ranges::find(own, title, letters_of); name != own.end()) return *name;
    return std::string_view();
  };
  if (const std::string_view name = known(letters); !name.empty()) return std::string(name);
  for (const Half& half : halves) {
    std::string_view title = letters;
    if (title.starts_with(half.in_title))
      title.remove_prefix(half.in_title.size());
    else if (title.ends_with(half.in_title))
      title.remove_suffix(half.in_title.size());
    else
      continue;
    const std::string_view name = known(title);
    if (name == "time_us" || name == "algbw_GBps" || name == "busbw_GBps" || name == "wrong")
      return std::string(half.in_names) + std::string(name);
  }
  return trimmed;
}

std::vector<CsvField> fields_of(std::string_view line, char separator) {
  if (separator == ',') return csv_fields(line);
  std::string swapped(line);
  bool quoted = false;
  for (char& c : swapped) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == separator)
      c = ',';
    else if (c == ',')
      c = separator;
  }
  auto fields = csv_fields(swapped);
  for (CsvField& field : fields)
    if (!field.quoted) std::ranges::replace(field.text, separator, ',');
  return fields;
}

bool is_outside_csv(std::string_view line) {
  return line.find_first_not_of(" \t\r,;") == std::string_view::npos || line.starts_with('#') ||
         line.starts_with("```") || line.starts_with("~~~") || line.starts_with("sep=") || line.starts_with("//");
}

char csv_separator(std::string_view header) {
  char best = ',';
  std::ptrdiff_t most = std::ranges::count(header, ',');
  for (const char separator : {';', '\t'})
    if (const auto count = std::ranges::count(header, separator); count > most) {
      best = separator;
      most = count;
    }
  return best;
}

std::string_view without_hash(std::string_view line) {
  return line.starts_with('#') ? line.substr(std::min(line.find_first_not_of(' ', 1), line.size())) : line;
}

int csv_header_line(std::string_view begin) {
  constexpr std::size_t most_bytes = 1U << 16U;
  constexpr int most_lines = 50;
  int number = 0, lines = 0, after_hash = 0;
  for (const std::string_view line : text_lines(begin.substr(0, most_bytes))) {
    ++number;
    if (is_log_header(line)) break;
    const bool outside = is_outside_csv(line);
    if (!outside && is_csv_header(line)) return number;
    if (line.find(" algbw ") != std::string_view::npos) break; // a table of a log: what follows it is its own
    if (after_hash == 0 && line.find("size_bytes") != std::string_view::npos && is_csv_header(without_hash(line)))
      after_hash = number;
    if (!outside && ++lines > most_lines) break;
  }
  return after_hash;
}

std::string why_no_measured_table(std::span<const std::string> names) {
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  if (has("closed_form_us")) return "this is a table of `gradflight collective`: its times are simulated, not measured";
  if (has("experiment") && has("seconds"))
    return "this is a file of single measurements (column seconds): leave out --platform";
  if (!has("size_bytes")) return "the column size_bytes is missing: the file is not a table of times over sizes";
  if (!has("time_us") && !has("avg_us") && !has("mean_us") && !(has("value") && has("unit")))
    return "the file has no column of times; expected time_us (or time_ns, time_ms, time_s), avg_us, mean_us, or value "
           "and unit";
  return {};
}

bool is_csv_header(std::string_view line) {
  const char separator = csv_separator(line);
  if (line.find(separator) == std::string_view::npos) return false;
  bool size = false, time = false;
  for (const CsvField& field : fields_of(line, separator)) {
    const std::string name = column_name(field.text);
    size = size || name == "size_bytes";
    time =
        time || name == "time_us" || name == "avg_us" || name == "mean_us" || name == "value" || name == "busbw_GBps";
  }
  return size && (time || line.find("size_bytes") != std::string_view::npos);
}

} // namespace gradflight::measured
