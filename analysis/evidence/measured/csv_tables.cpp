// Tables of times as CSV: with our own columns, or in rccl-tests' format (-Z csv).
#include "analysis/evidence/measured/csv_tables.hpp"

#include "analysis/evidence/measured/csv_columns.hpp"
#include "analysis/evidence/measured/csv_headers.hpp"
#include "analysis/evidence/measured/log_reader.hpp"
#include "base/csv.hpp"
#include "base/letters.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace gradflight::measured {

namespace {

class CsvTables {
public:
  CsvTables(const std::string& path, const AboutLog& about, TableCollector& tables)
      : path_(path), about_(about), tables_(tables) {}

  void read(std::string_view text) {
    int number = 0;
    const int header_line = csv_header_line(text);
    std::vector<SheetRow> rows;
    for (const std::string_view line : text_lines(text)) {
      ++number;
      if (number != header_line && is_outside_csv(line)) continue;
      if (number < header_line) {
        leave("above header", number, 1, [] { return std::string("a line above the table's header is left out"); });
      } else if (names_.empty()) {
        header(without_hash(line), number);
      } else if (good_) {
        Fields& fields = rows.emplace_back(SheetRow{number, fields_of(line, separator_)}).fields;
        while (fields.size() > names_.size() && fields.back().text.empty()) fields.pop_back();
      }
    }
    if (!good_) return;
    analyse_columns({names_, rows});
    const bool ended = text.ends_with('\n') || text.ends_with(separator_);
    if (!ended && !rows.empty() && rows.back().line == number && last_value_is_cut(rows)) cut_line_ = number;
    for (const auto& [line, fields] : rows) row(fields, line);
    const auto by_bandwidth = by_bandwidths();
    for (Group& group : groups_) hand_on(group, by_bandwidth);
    if (groups_.empty() && tables_.left_out.empty()) tables_.fail(1, 1, "the file has no rows below the header");
  }

private:
  struct Group {
    RawTable raw;
    std::string key;
  };
  using Fields = std::vector<CsvField>;

  [[nodiscard]] int column(std::string_view name) const {
    const auto at = std::ranges::find(names_, name);
    return at == names_.end() ? -1 : static_cast<int>(at - names_.begin());
  }
  [[nodiscard]] bool has(std::string_view name) const { return column(name) >= 0; }
  void header(std::string_view line, int number) {
    separator_ = csv_separator(line);
    for (const CsvField& field : fields_of(line, separator_)) {
      titles_.push_back(printable(trimmed(field.text)));
      std::string name = column_name(titles_.back());
      if (name == "time_us") {
        const auto scale = microseconds_in(field.text);
        if (!has(name)) scale_ = scale;
        if (has(name) && scale && scale_ && *scale != *scale_) name = other_time_column, other_scale_ = *scale;
      }
      // nccl-tests has these columns twice: out of place, then in place.
      if (has(name) && (name == "time_us" || name == "algbw_GBps" || name == "busbw_GBps" || name == "wrong"))
        name = "inplace_" + name;
      if (has(name) && name != repeat_column)
        tables_.fail(number, field.column, fmt::format("column \"{}\" appears twice", name));
      names_.push_back(std::move(name));
    }
    const std::string refusal = why_no_measured_table(names_);
    good_ = refusal.empty();
    if (!good_) tables_.fail(number, 1, refusal);
    if (good_ && has("time_us") && !scale_ && !has("algbw_GBps") && !has("busbw_GBps"))
      tables_.left_out.add("unit of time", number, 1, [] {
        return std::string("the column of times names no unit: microseconds are assumed; name it time_us, time_ms or "
                           "time_s");
      });
  }

  template <class Message> bool leave(const char* kind, int line, int column, Message message) {
    tables_.left_out.add(kind, line, column, message);
    return false;
  }
  void analyse_columns(const CsvRows& csv) {
    const DecimalMarks marks = decimal_marks(csv);
    mark_ = marks.found();
    marks_contradict_ = marks.contradict();
    distinguishes_ = distinguishing_columns(csv);
  }
  [[nodiscard]] bool last_value_is_cut(const std::vector<SheetRow>& rows) const {
    LastDecimals decimals;
    for (const SheetRow& row : rows)
      if (row.fields.size() == names_.size()) decimals.add(number_text(row.fields.back()));
    return decimals.may_be_cut();
  }
  [[nodiscard]] std::string number_text(const CsvField& field) const {
    // Spreadsheets write semicolons where the comma is the decimal mark.
    const bool by_separator = separator_ == ';' && !marks_contradict_;
    return plain_number(trimmed(field.text), mark_.value_or(by_separator ? DecimalMark::either : DecimalMark::unclear));
  }
  const CsvField& field(const Fields& fields, std::string_view name) const {
    return fields[static_cast<std::size_t>(column(name))];
  }
  /// Returns the name of a column as the file has it.
  const std::string& title(std::string_view name) const { return titles_[static_cast<std::size_t>(column(name))]; }

  bool positive(const Fields& fields, std::string_view name, int line, double& to, Printed* printed = nullptr) {
    const CsvField& at = field(fields, name);
    const std::string text = number_text(at);
    const auto value = printed_number(text);
    if (!value && has_open_mark(text))
      return leave("unclear", line, at.column, [&] { return title(name) + unclear_mark_text(text); });
    if (!value || !(value->value > 0))
      return leave("no number", line, at.column, [&] {
        return fmt::format("{} \"{}\" should be a number above 0: the row is left out", title(name),
                           printable(at.text));
      });
    to = value->value;
    if (printed != nullptr) *printed = *value;
    return true;
  }
  /// The same for a time in the unit of the header.
  bool positive_time(const Fields& fields, std::string_view name, int line, double& to, Printed* printed) {
    if (!positive(fields, name, line, to, printed)) return false;
    const double scale = scale_.value_or(1);
    to *= scale;
    *printed = {printed->value * scale, printed->half_unit * scale};
    return true;
  }

  void row(const Fields& fields, int number) {
    if (!fields.back().closed) {
      leave("quote", number, fields.back().column, [] { return std::string("this quote is never closed"); });
      return;
    }
    if (fields.size() != names_.size()) {
      leave("fields", number, 1, [&] {
        return fmt::format("{} fields, but the header has {}: the row is left out{}", fields.size(), names_.size(),
                           fields.size() < names_.size() ? "; is the file cut off?" : "");
      });
      return;
    }
    if (number == cut_line_) {
      leave("cut value", number, fields.back().column, [&] { return cut_value_text(printable(fields.back().text)); });
      return;
    }
    MeasuredRow row;
    row.line = number;
    RawTable::Rates rates;
    Benchmark benchmark = Benchmark::collective;
    const bool sized = size_of(fields, number, row), timed = times(fields, number, row, rates, benchmark);
    Group* group = group_of(fields, benchmark, number);
    if (group == nullptr || !sized || !timed) return;
    if (row.size_bytes == 0 && benchmark == Benchmark::collective) {
      leave("zero", number, 1, [] { return std::string("a row of size 0 is left out"); });
      return;
    }
    if (has("wrong") && number_of(number_text(field(fields, "wrong"))).value_or(0) != 0) {
      leave("wrong", number, field(fields, "wrong").column, [&] {
        return fmt::format("{} elements were wrong: the row is left out", printable(field(fields, "wrong").text));
      });
      return;
    }
    if (has("count") && has("type")) {
      std::string why = count_mistake(number_text(field(fields, "count")), field(fields, "type").text, row.size_bytes);
      if (!why.empty()) {
        leave("elements", number, field(fields, "count").column, [&] { return why; });
        return;
      }
    }
    const std::string place = has("inplace") ? lower_case(number_text(field(fields, "inplace"))) : "0";
    add(*group, row, rates, place == "1" || place == "true");
  }

  bool size_of(const Fields& fields, int number, MeasuredRow& row) {
    const CsvField& at = field(fields, "size_bytes");
    const auto value = marks_contradict_ && has_open_mark(trimmed(at.text))
                           ? std::nullopt
                           : bytes_in(trimmed(at.text), mark_.value_or(DecimalMark::dot));
    if (!value || !(*value >= 0 && *value <= 1e15) || std::floor(*value) != *value)
      return leave("no size", number, at.column, [&] {
        return fmt::format("{} \"{}\" should be a whole number of bytes, 0 or more, such as 1048576 or 1MiB: the row "
                           "is left out",
                           title("size_bytes"), printable(at.text));
      });
    row.size_bytes = *value;
    return true;
  }

  bool times(const Fields& fields, int number, MeasuredRow& row, RawTable::Rates& rates, Benchmark& benchmark) {
    if (has("unit")) {
      const std::string& unit = field(fields, "unit").text;
      double value = 0, pairs = 1;
      if (!positive(fields, "value", number, value)) return false;
      const auto op = has("collective") ? operation_of(field(fields, "collective").text) : std::nullopt;
      benchmark = unit == "MB/s"                     ? Benchmark::bandwidth
                  : op && *op != Operation::sendrecv ? Benchmark::collective
                                                     : Benchmark::latency;
      if (unit == "MB/s") {
        if (has("pairs") && !positive(fields, "pairs", number, pairs)) return false;
        row.time_us = pairs * row.size_bytes / value;
        return true;
      }
      const auto scale = microseconds_of(unit);
      row.time_us = value * scale.value_or(1);
      return scale || leave("unit", number, field(fields, "unit").column, [&] {
               return fmt::format("unit \"{}\" should be ns, us, ms, s or MB/s: the row is left out", printable(unit));
             });
    }
    Printed time;
    for (const char* name : {"time_us", "avg_us", "mean_us"})
      if (has(name)) {
        if (!positive_time(fields, name, number, row.time_us, &time)) return false;
        break;
      }
    check_other_time(fields, number, time);
    Printed in_place;
    if (has("inplace_time_us") && !field(fields, "inplace_time_us").text.empty() &&
        field(fields, "inplace_time_us").text != "N/A") {
      double value = 0;
      if (!positive_time(fields, "inplace_time_us", number, value, &in_place)) return false;
      row.inplace_time_us = value;
    }
    if (!has("busbw_GBps") && !has("algbw_GBps")) return true;
    rates.out = rate(fields, "", row.size_bytes, time, number);
    if (row.inplace_time_us && has("inplace_busbw_GBps"))
      rates.in = rate(fields, "inplace_", row.size_bytes, in_place, number);
    return row.size_bytes == 0 || rates.out.consistent() || leave("algbw", number, 1, [&] {
             return fmt::format("algbw {} GB/s contradicts {} B in {} us: the row is left out", rates.out.algbw.value,
                                row.size_bytes, row.time_us);
           });
  }

  void check_other_time(const Fields& fields, int number, const Printed& time) {
    if (!has(other_time_column)) return;
    const CsvField& at = field(fields, other_time_column);
    const auto other = printed_number(number_text(at));
    if (contradicts_ || !other ||
        std::abs(other->value * other_scale_ - time.value) <=
            1e-3 * time.value + time.half_unit + other->half_unit * other_scale_)
      return;
    contradicts_ = true; // one row is enough
    tables_.fail(number, at.column,
                 fmt::format("{} is {}, but {} is {}: the columns contradict each other; keep one of them",
                             title(other_time_column), at.text, title("time_us"), field(fields, "time_us").text));
  }

  /// Without a column of algorithm bandwidth, computes it from size and time.
  Rate rate(const Fields& fields, const std::string& prefix, double size, Printed time, int number) const {
    const auto read = [&](const std::string& name) {
      return has(name) ? printed_number(number_text(field(fields, name))) : std::nullopt;
    };
    Rate rate{size, time, {}, {}, number};
    const double algbw = size / time.value / 1000;
    rate.algbw = read(prefix + "algbw_GBps").value_or(Printed{algbw, algbw * time.half_unit / time.value});
    rate.busbw = read(prefix + "busbw_GBps").value_or(Printed{0, 1e30});
    return rate;
  }

  static void add(Group& group, const MeasuredRow& row, const RawTable::Rates& rates, bool in_place) {
    RawTable& raw = group.raw;
    if (in_place) { // the previous row has the same size out of place
      if (!raw.table.rows.empty() && raw.table.rows.back().size_bytes == row.size_bytes &&
          !raw.table.rows.back().inplace_time_us) {
        raw.table.rows.back().inplace_time_us = row.time_us;
        raw.rates.back().in = rates.out;
      }
      return;
    }
    raw.table.rows.push_back(row);
    raw.rates.push_back(rates);
    if (rates.out.size > 0) raw.factors.narrow(rates.out);
    if (rates.in) raw.factors.narrow(*rates.in);
  }

  Group* group_of(const Fields& fields, Benchmark benchmark, int number) {
    std::string key = std::to_string(static_cast<int>(benchmark));
    RawTable raw;
    MeasuredTable& table = raw.table;
    table.line = number;
    table.benchmark = benchmark;
    bool good = true;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string& name = names_[i];
      const std::string value = printable(fields[i].text);
      if (name == "type") table.type = value;
      if (!distinguishes_[i]) continue;
      key += '\n' + value;
      if (name == "run") {
        table.run = value;
      } else if (value.empty() && (name == "collective" || name == "ranks" || name == "nodes")) {
        continue; // not given
      } else if (name == "collective") {
        raw.said = operation_of(value);
        if (!raw.said)
          good = leave("collective", number, fields[i].column, [&] {
            return fmt::format("unknown collective \"{}\": the row is left out. Allowed: {}", value,
                               fmt::join(sized_operations(), ", "));
          });
      } else if (name == "ranks" || name == "nodes") {
        const auto count = number_of(number_text(fields[i]));
        if (!count || *count < 1 || *count > 1e7 || std::floor(*count) != *count)
          good = leave(name == "ranks" ? "ranks" : "nodes", number, fields[i].column, [&] {
            return fmt::format("{} \"{}\" should be a whole number above 0: the row is left out", titles_[i], value);
          });
        else
          (name == "ranks" ? table.ranks : table.nodes) = static_cast<int>(*count);
      } else if (name != "type") {
        if (name == "gpu" || name == "gpu_node") table.gpu = value;
        table.labels.emplace_back(name, value);
      }
      if (const std::string algorithm = setting_in(value, "NCCL_ALGO"); !algorithm.empty()) table.algorithm = algorithm;
      if (const std::string protocol = setting_in(value, "NCCL_PROTO"); !protocol.empty()) table.protocol = protocol;
    }
    if (!good) return nullptr;
    if (benchmark != Benchmark::collective) {
      raw.said = Operation::sendrecv;
      table.nodes = table.nodes != 0 ? table.nodes : 2;
      if (const std::string* pairs = table.label("pairs"))
        table.ranks = 2 * static_cast<int>(number_of(*pairs).value_or(0));
    }
    // Rows of a table are usually together.
    if (!groups_.empty() && groups_.back().key == key) return &groups_.back();
    const auto [found, added] = by_key_.try_emplace(key, groups_.size());
    if (added) groups_.push_back({std::move(raw), key});
    return &groups_[found->second];
  }

  void hand_on(Group& group, std::optional<Operation> by_bandwidth) {
    RawTable& raw = group.raw;
    // rccl-tests without MPI uses the GPUs of one node.
    if (raw.table.ranks == 0 && has("gpus") && has("numcycle")) {
      if (const std::string* gpus = raw.table.label("gpus"))
        raw.table.ranks = static_cast<int>(number_of(*gpus).value_or(0));
      raw.table.nodes = 1;
    }
    // Use the bandwidths of the whole file; otherwise the name of the file.
    if (!raw.said && !about_.op) {
      raw.said = by_bandwidth;
      if (!raw.said) raw.said = operation_in(std::filesystem::path(path_).stem().string());
    }
    // OSU's tables contain averages, and sizes of one block.
    raw.table.size_of_a_rank = has("avg_us") && raw.table.benchmark == Benchmark::collective;
    if (!has("busbw_GBps")) raw.rates.clear();
    tables_.add(std::move(raw));
  }

  /// Only all-reduce has its factor. All-gather and reduce-scatter share a factor, and so do broadcast and others.
  [[nodiscard]] std::optional<Operation> by_bandwidths() const {
    bool any = false;
    for (const Group& group : groups_) {
      if (group.raw.table.ranks < 2 || !group.raw.factors.known()) return std::nullopt;
      if (!group.raw.factors.holds(Operation::all_reduce, group.raw.table.ranks)) return std::nullopt;
      any = any || group.raw.table.ranks > 2;
    }
    return any ? std::optional(Operation::all_reduce) : std::nullopt;
  }

  const std::string& path_;
  const AboutLog& about_;
  TableCollector& tables_;
  std::vector<std::string> names_, titles_; ///< of the columns: ours, and those of the file
  std::vector<bool> distinguishes_;         ///< whether the values of a column distinguish tables
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> by_key_;
  std::optional<double> scale_; ///< microseconds of the unit in the title of the time column
  double other_scale_ = 1;      ///< the same for other_time_column
  char separator_ = ',';
  std::optional<DecimalMark> mark_;
  int cut_line_ = 0; ///< the last line, if its last value may be cut off
  bool good_ = false, marks_contradict_ = false, contradicts_ = false;
};

} // namespace

void read_csv(std::string_view text, const std::string& path, const AboutLog& about, TableCollector& tables) {
  CsvTables(path, about, tables).read(text);
}

} // namespace gradflight::measured
