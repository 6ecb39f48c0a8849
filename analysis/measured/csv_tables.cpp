#include "analysis/measured/log_reader.hpp"
#include "models/csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace gradflight::measured {

namespace {

/// What is measured, or is the same operation's count; all other columns tell tables apart.
constexpr std::array measured_columns = {"size_bytes",
                                         "count",
                                         "type",
                                         "redop",
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
                                         "iterations",
                                         "value",
                                         "unit",
                                         "messages_per_s",
                                         "measure"};

class CsvReader : public LogReader {
public:
  using LogReader::LogReader;

  std::vector<MeasuredTable> read(const std::string& text) {
    int number = 0;
    for (const std::string_view line : text_lines(text)) {
      ++number;
      if (number == 1)
        header(line);
      else if (!line.empty() && good_)
        row(line, number);
    }
    std::vector<MeasuredTable> tables;
    if (errors_.empty())
      for (Group& group : groups_) tables.push_back(settled(group));
    if (tables.empty() && errors_.empty()) fail(1, 1, "there are no rows below the header");
    return finish(std::move(tables));
  }

private:
  struct Rate {
    double size = 0, time_us = 0, algbw = 0, busbw = 0;
    int line = 0;
  };
  struct Group {
    MeasuredTable table;
    std::optional<Operation> said{};
    std::vector<Rate> rates{};
  };

  [[nodiscard]] int column(std::string_view name) const {
    const auto at = std::ranges::find(names_, name);
    return at == names_.end() ? -1 : static_cast<int>(at - names_.begin());
  }
  [[nodiscard]] bool has(std::string_view name) const { return column(name) >= 0; }

  void header(std::string_view line) {
    for (const CsvField& field : csv_fields(line)) {
      if (has(field.text)) fail(1, field.column, fmt::format("column \"{}\" is there twice", field.text));
      names_.push_back(field.text);
    }
    if (!has("size_bytes"))
      fail(1, 1, "no column size_bytes: this is no table of an operation over sizes");
    else if (!has("time_us") && !has("avg_us") && !has("mean_us") && !(has("value") && has("unit")))
      fail(1, 1, "no column of times: one of time_us, avg_us, mean_us, or value with unit");
    good_ = errors_.empty();
  }

  void row(std::string_view line, int number) {
    const std::vector<CsvField> fields = csv_fields(line);
    if (!fields.back().closed) {
      fail(number, fields.back().column, "this quote is never closed");
      return;
    }
    if (fields.size() != names_.size()) {
      fail(number, 1, fmt::format("{} fields where the header has {}: cut off?", fields.size(), names_.size()));
      return;
    }
    const std::size_t before = errors_.size();
    const auto word = [&](std::string_view name) {
      const CsvField& field = fields[static_cast<std::size_t>(column(name))];
      return Word{field.text, field.column};
    };
    MeasuredRow row;
    row.line = number;
    row.size_bytes = bytes(word("size_bytes"), number, "size_bytes");
    const Benchmark benchmark = times(word, row, number);
    Group& group = group_of(fields, benchmark, number);
    if (errors_.size() > before) return;
    group.table.rows.push_back(row);
    if (has("busbw_GBps")) {
      rate(group, word, "", row.size_bytes, row.time_us, number);
      if (row.inplace_time_us && has("inplace_busbw_GBps"))
        rate(group, word, "inplace_", row.size_bytes, *row.inplace_time_us, number);
    }
  }

  template <class WordOf> Benchmark times(const WordOf& word, MeasuredRow& row, int number) {
    if (has("unit")) {
      const std::string unit(word("unit").text);
      const double value = positive(word("value"), number, "value");
      if (unit == "MB/s") {
        const double pairs = has("pairs") ? positive(word("pairs"), number, "pairs") : 1;
        row.time_us = value > 0 ? pairs * row.size_bytes / value : 0;
        return Benchmark::bandwidth;
      }
      if (unit != "us") fail(number, word("unit").column, fmt::format("unit \"{}\" should be us or MB/s", unit));
      row.time_us = value;
      return Benchmark::latency;
    }
    for (const char* name : {"time_us", "avg_us", "mean_us"})
      if (has(name)) {
        row.time_us = positive(word(name), number, name);
        break;
      }
    if (has("min_us")) row.min_us = positive(word("min_us"), number, "min_us");
    if (has("max_us")) row.max_us = positive(word("max_us"), number, "max_us");
    if (has("inplace_time_us") && !word("inplace_time_us").text.empty() && word("inplace_time_us").text != "N/A")
      row.inplace_time_us = positive(word("inplace_time_us"), number, "inplace_time_us");
    return Benchmark::collective;
  }

  template <class WordOf>
  void rate(Group& group, const WordOf& word, const std::string& prefix, double size, double time_us, int number) {
    Rate rate{size, time_us, size / time_us / 1000, 0, number};
    const auto read = [&](const std::string& name, double& value) {
      if (const auto got = number_of(word(name).text); got && *got >= 0)
        value = *got;
      else
        fail(number, word(name).column, fmt::format("{} \"{}\" should be a number of GB/s", name, word(name).text));
    };
    if (has(prefix + "algbw_GBps")) read(prefix + "algbw_GBps", rate.algbw);
    read(prefix + "busbw_GBps", rate.busbw);
    group.rates.push_back(rate);
  }

  Group& group_of(const std::vector<CsvField>& fields, Benchmark benchmark, int number) {
    std::string key;
    MeasuredTable table;
    table.file = path_;
    table.line = number;
    table.benchmark = benchmark;
    std::optional<Operation> said;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string &name = names_[i], &value = fields[i].text;
      if (std::ranges::find(measured_columns, name) != measured_columns.end()) continue;
      key += value + '\n';
      if (name == "run")
        table.run = value;
      else if (name == "collective") {
        said = operation_of(value);
        if (!said)
          fail(number, fields[i].column,
               fmt::format("unknown collective \"{}\"; known are {}", value, known_operations()));
      } else if (name == "ranks" || name == "nodes") {
        const auto count = number_of(value);
        if (!count || *count < 1 || *count > 1e7 || std::floor(*count) != *count)
          fail(number, fields[i].column, fmt::format("{} \"{}\" should be a whole number above 0", name, value));
        else
          (name == "ranks" ? table.ranks : table.nodes) = static_cast<int>(*count);
      } else {
        if (name == "gpu" || name == "gpu_node") table.gpu = value;
        table.labels.emplace_back(name, value);
      }
      if (const std::string algorithm = setting_in(value, "NCCL_ALGO"); !algorithm.empty()) table.algorithm = algorithm;
      if (const std::string protocol = setting_in(value, "NCCL_PROTO"); !protocol.empty()) table.protocol = protocol;
    }
    key += std::to_string(static_cast<int>(benchmark));
    if (benchmark != Benchmark::collective) {
      said = Operation::sendrecv;
      table.nodes = table.nodes != 0 ? table.nodes : 2;
      if (const std::string* pairs = table.label("pairs"))
        table.ranks = 2 * static_cast<int>(number_of(*pairs).value_or(0));
    }
    const auto [found, added] = by_key_.try_emplace(key, groups_.size());
    if (added) groups_.push_back({std::move(table), said, {}});
    return groups_[found->second];
  }

  /// The operation by its column; else the only one that the bus bandwidths of the file fit; else by the file's name.
  std::optional<Operation> said_of(const Group& group) const {
    if (group.said) return group.said;
    if (about_.op) return std::nullopt;
    std::optional<Operation> only;
    bool several = false, any = false;
    for (const Operation op : {Operation::all_reduce, Operation::all_gather, Operation::broadcast}) {
      bool fits = true;
      for (const Group& each : groups_)
        for (const Rate& rate : each.rates) {
          any = any || each.table.ranks > 2;
          fits = fits && each.table.ranks > 1 && fits_factor(op, each.table.ranks, rate.algbw, rate.busbw);
        }
      if (!fits) continue;
      several = several || only;
      only = op;
    }
    // The factor of all-reduce is its own; that of all-gather is reduce-scatter's too, broadcast's that of others.
    if (any && !several && only == Operation::all_reduce) return only;
    return operation_in(std::filesystem::path(path_).stem().string());
  }

  MeasuredTable settled(Group& group) {
    settle(group.table, said_of(group), group.table.line);
    check_sizes(group.table);
    for (const Rate& rate : group.rates)
      if (const std::string wrong =
              bandwidth_mistake(group.table.op, group.table.ranks, rate.size, rate.time_us, rate.algbw, rate.busbw);
          !wrong.empty() && errors_.empty())
        fail(rate.line, 1, wrong);
    // OSU's tables have averages.
    group.table.size_of_a_rank =
        has("avg_us") && group.table.benchmark == Benchmark::collective && counts_blocks(group.table.op);
    return std::move(group.table);
  }

  std::vector<std::string> names_;
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> by_key_;
  bool good_ = false;
};

} // namespace

std::vector<MeasuredTable> read_csv(const std::string& text, const std::string& path, const AboutLog& about) {
  return CsvReader(path, about).read(text);
}

} // namespace gradflight::measured
