#include "analysis/evidence/measured/nccl_tests_log.hpp"

#include "base/letters.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

namespace gradflight::measured {

namespace {

bool has(std::string_view line, std::string_view part) { return line.find(part) != std::string_view::npos; }

constexpr double most_bytes = 1e15;

} // namespace

bool NcclTestsTables::line(std::string_view line, int number) {
  if (has(line, "\t")) { // an editor or a terminal has put tabs in place of blanks
    without_tabs_ = line;
    std::ranges::replace(without_tabs_, '\t', ' ');
    line = without_tabs_;
  }
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  const char c = line[first];
  if (is_digit(c) ? !columns_ || !closed_ : !pending_.empty() && c != '#') {
    split(line);
    if (is_digit(c) ? columns_ || guess_columns(number) : continues_row()) {
      part_of_row(number);
      return true;
    }
  }
  if (c == '#') return comment(line.substr(first + 1), number);
  // Headers of 2017, and copied headers, lack the "#".
  if ((c == 's' || c == 'b' || c == 'n' || c == 'R' || c == 'U' || c == 'C' || c == 'O' || c == 'A' || c == '(') &&
      comment(line, number))
    return true;
  if (columns_ && !closed_ && rows_in_table_ == 0 && pending_.empty() && more_columns(line)) return true;
  other(line, number);
  return false;
}

bool NcclTestsTables::comment(std::string_view line, int number) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const auto starts = [&](std::string_view text) { return line.substr(begin).starts_with(text); };
  if (starts("nThread ") || has(line, "Collective test starting")) {
    begin_run(number);
    if (const auto colon = line.rfind(':'); !starts("nThread") && colon != std::string_view::npos) {
      named_ = {operation_in(line.substr(colon + 1)), {}};
      if (!named_.op)
        if (const auto program = program_in(line.substr(colon))) named_ = *program;
    }
  } else if (starts("Rank ") && (has(line, " on ") || has(line, "device"))) {
    words_of(line, words_);
    rank(words_, number);
  } else if ((starts("size ") || starts("bytes ")) && has(line, "time") && has(line, "algbw")) {
    end_pending();
    if (rows_in_table_ > 0) end_table(number);
    words_of(line, words_);
    closed_ = aborted_ = false;
    columns_.emplace(words_);
    current_.table.line = current_.header_line = number;
    if (has(line, "closed form"))
      tables_.fail(number, 1, "this is a table of `gradflight collective`: its times are simulated, not measured");
    header_told_ = false;
    if (columns_->cpu_time)
      tables_.left_out.add("cpu time", number, 1, [] {
        return std::string("a table of the processor's time (-C) is skipped: it is not the time of the operation");
      });
    if (columns_->beside)
      tables_.left_out.add("beside", number, 1, [] {
        return std::string("a second table in the same lines, right of the first, is left out");
      });
  } else if (has(line, "Out of bounds values")) {
    end_pending();
    closed_ = true;
    wrong_ = wrong_ || (has(line, "FAILED") && wrong_rows_ == 0);
    if (has(line, "FAILED"))
      tables_.left_out.add("failed", number, 1, [&] {
        return fmt::format("the benchmark says that values were wrong (\"Out of bounds values ... FAILED\"){}",
                           wrong_ ? ": the table is left out" : ": rows with wrong elements are left out");
      });
  } else if (has(line, "Avg bus bandwidth")) {
    end_pending();
    closed_ = true;
  } else if (columns_ && rows_in_table_ == 0 && pending_.empty() && more_columns(line)) {
    recognised_ = true;
  } else if (starts("(B)") || starts("out-of-place") || starts("Using devices") || has(line, "nccl-tests version") ||
             has(line, "Collective test concluded")) {
    if (starts("Using devices") && rows_in_table_ > 0) begin_run(number);
  } else {
    return false;
  }
  recognised_ = true;
  return true;
}

bool NcclTestsTables::more_columns(std::string_view line) {
  words_of(line, words_);
  return columns_->take_more(words_);
}

void NcclTestsTables::begin_run(int number) {
  end_pending();
  if (rows_in_table_ > 0 || closed_ || aborted_) end_table(number);
  ranks_.clear();
  hosts_.clear();
  devices_.clear();
  host_of_several_.clear();
  ranks_unsure_ = false;
}

void NcclTestsTables::rank(const std::vector<Word>& words, int number) {
  const std::size_t name = words.front().text == "#" ? 1 : 0;
  if (name + 1 >= words.size()) return;
  const auto rank = number_of(words[name + 1].text);
  if (rows_in_table_ > 0) begin_run(number);
  // The previous run ended before its rows.
  if (rank == 0.0 && ranks_.contains(0) && ranks_.size() > 1) begin_run(number);
  if (!rank || *rank < 0 || *rank > 1e7 || !ranks_.insert(static_cast<int>(*rank)).second) ranks_unsure_ = true;
  if (rank_line_ == 0 || ranks_.size() == 1) rank_line_ = number;
  std::string host, device;
  for (std::size_t i = name + 2; i + 1 < words.size(); ++i)
    if (words[i].text == "on") {
      host = printable(words[i + 1].text);
      hosts_.insert(host);
      // The rank of a launcher may see its own GPU only, as device 0; the bus address distinguishes those.
      for (std::size_t k = i + 2; k < std::min(i + 5, words.size()); ++k) device += " " + std::string(words[k].text);
      break;
    }
  if (!device.empty() && !devices_.insert(host + device).second) host_of_several_ = host;
  // The GPU's name follows the bus address.
  for (std::size_t i = name + 2; i < words.size(); ++i)
    if (words[i].text.starts_with('[') && words[i].text.ends_with(']')) {
      std::string gpu;
      for (std::size_t k = i + 1; k < words.size(); ++k) gpu += (gpu.empty() ? "" : " ") + std::string(words[k].text);
      if (!gpu.empty()) gpu_ = printable(gpu);
      break;
    }
}

void NcclTestsTables::other(std::string_view line, int number) {
  if (!aborted_ && has(line, "Test ") && (has(line, " failure") || has(line, "Test timeout"))) {
    aborted_ = recognised_ = true;
    tables_.left_out.add(columns_ ? "aborted" : "no table", number, 1, [&] {
      return fmt::format("the benchmark failed here{}", columns_ ? "; the rows before it count" : ", before any row");
    });
  }
  if (has(line, "_perf") && !has(line, "NCCL INFO") && (rows_in_table_ == 0 || closed_))
    if (const auto program = program_in(line)) {
      if (closed_) end_table(number);
      named_ = *program;
    }
  if (!has(line, "NCCL_")) return;
  const std::string algorithm = setting_in(line, "NCCL_ALGO"), protocol = setting_in(line, "NCCL_PROTO");
  if (closed_ && (!algorithm.empty() || !protocol.empty())) end_table(number); // the setting belongs to the next table
  if (!algorithm.empty()) algorithm_ = printable(algorithm);
  if (!protocol.empty()) protocol_ = printable(protocol);
}

const Word* NcclTestsTables::at(int column) const {
  const auto index = static_cast<std::size_t>(column);
  return column >= 0 && index < words_.size() ? &words_[index] : nullptr;
}

/// Reads half a row, out of place or in place; returns false if it is incomplete.
bool NcclTestsTables::take_half(const NcclTestsColumns::Times& times, int number, MeasuredRow& row, Rate& rate) {
  const Word *time = at(times.time), *algbw = at(times.algbw), *busbw = at(times.busbw);
  if (time == nullptr || algbw == nullptr || busbw == nullptr) return false;
  const auto t = printed_number(time->text), a = printed_number(algbw->text), b = printed_number(busbw->text);
  if (!t || !a || !b || t->value <= 0 || a->value < 0 || b->value < 0) return false;
  const double unit = columns_->milliseconds ? 1000 : 1;
  rate = {row.size_bytes, {t->value * unit, t->half_unit * unit}, *a, *b, number};
  return true;
}

void NcclTestsTables::row(int number) {
  const NcclTestsColumns& columns = *columns_;
  const auto leave = [&](const char* kind, int column, auto message) {
    tables_.left_out.add(kind, number, column, message);
  };
  const auto size = number_of(words_[0].text);
  if (!size || *size < 0 || *size > most_bytes || std::floor(*size) != *size) {
    leave("no row", 1,
          [&] { return fmt::format("\"{}\" is not a size: the line is left out", printable(words_[0].text)); });
    return;
  }
  if (*size == 0) {
    leave("zero", 1, [] { return std::string("a row of size 0 is left out"); });
    return;
  }
  MeasuredRow row;
  row.size_bytes = *size;
  row.line = number;
  RawTable::Rates rates;
  // Without the next word, a rate may have lost its last digits.
  const bool cut = columns.out.errors >= 0 && at(columns.out.errors) == nullptr;
  if (cut || !take_half(columns.out, number, row, rates.out)) {
    const Word* bad = nullptr;
    for (const int column : {columns.out.time, columns.out.algbw, columns.out.busbw})
      if (bad == nullptr && at(column) != nullptr &&
          !(number_of(at(column)->text) && *number_of(at(column)->text) >= 0))
        bad = at(column);
    leave(bad != nullptr ? "no number" : "cut", bad != nullptr ? bad->column : 1, [&] {
      if (bad != nullptr)
        return fmt::format("\"{}\" is not a time or rate above 0: the row is left out", printable(bad->text));
      return !breaks_off_at_.empty() ? fmt::format("a row that breaks off at \"{}\" is left out", breaks_off_at_)
                                     : short_row_text(words_.size(), columns.names.size());
    });
    return;
  }
  row.time_us = rates.out.time_us.value;
  if (!rates.out.consistent()) {
    leave("algbw", 1, [&] {
      return fmt::format("algbw {} GB/s contradicts {} B in {} us: the row is left out", rates.out.algbw.value,
                         row.size_bytes, row.time_us);
    });
    return;
  }
  const std::string_view type = at(columns.type) != nullptr ? at(columns.type)->text : std::string_view();
  const Word* const counted = at(columns.count);
  if (std::string why = count_mistake(counted != nullptr ? counted->text : "", type, row.size_bytes); !why.empty()) {
    leave("elements", counted->column, [&] { return why; });
    return;
  }
  if (rates.out.busbw.value == 0 && rates.out.algbw.value > 2 * rates.out.busbw.half_unit + rates.out.algbw.half_unit) {
    leave("one rank", 1, [&] {
      return fmt::format("busbw is 0 where algbw is {} GB/s: the row is of one rank alone and is left out. To measure "
                         "several ranks, build nccl-tests with MPI=1",
                         rates.out.algbw.value);
    });
    return;
  }
  const auto wrong = [&](const NcclTestsColumns::Times& times) {
    const Word* errors = at(times.errors);
    return times.counts_errors && errors != nullptr && number_of(errors->text).value_or(0) != 0;
  };
  if (wrong(columns.out)) {
    ++wrong_rows_;
    leave("wrong", at(columns.out.errors)->column, [&] {
      return fmt::format("{} elements were wrong: the row is left out, because such a run measures nothing",
                         at(columns.out.errors)->text);
    });
    return;
  }
  Rate in;
  const Word* second = at(columns.in.time);
  if (second != nullptr && second->text != "N/A") {
    if (take_half(columns.in, number, row, in) && in.consistent() && !wrong(columns.in)) {
      row.inplace_time_us = in.time_us.value;
      rates.in = in;
    } else {
      leave(wrong(columns.in) ? "wrong in place" : "in place", second->column, [&] {
        return std::string(wrong(columns.in) ? "elements were wrong in place: that half of the row is left out"
                                             : "the in-place half of a row is incomplete and is left out");
      });
    }
  }
  if (!current_.table.rows.empty() && row.size_bytes <= current_.table.rows.back().size_bytes) end_cycle();
  const std::string_view redop = at(columns.redop) != nullptr ? at(columns.redop)->text : std::string_view();
  if (!current_.table.rows.empty() && (type != current_.table.type || redop != redop_)) end_cycle();
  if (current_.table.rows.empty()) {
    current_.table.line = number;
    current_.table.type = printable(type);
    redop_ = printable(redop);
  }
  if (rows_in_table_++ == 0) first_row_ = number;
  reduces_ = reduces_ || (!redop.empty() && redop != "none");
  if (const Word* root = at(columns.root)) rooted_ = rooted_ || number_of(root->text).value_or(-1) >= 0;
  current_.factors.narrow(rates.out);
  if (rates.in) current_.factors.narrow(*rates.in);
  current_.table.rows.push_back(row);
  current_.rates.push_back(rates);
}

std::vector<Operation> NcclTestsTables::possible_operations() const {
  std::vector<Operation> possible;
  // The user chose the columns, so a missing one gives no information.
  if (columns_ && columns_->type < 0) return possible;
  for (const Operation op :
       {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::alltoall,
        Operation::broadcast, Operation::reduce, Operation::gather, Operation::scatter, Operation::sendrecv})
    if (is_reduction(op) == reduces_ && has_root(op) == rooted_) possible.push_back(op);
  return possible;
}

/// Adds the rows since the sizes last decreased: nccl-tests starts again from the smallest size for each type and
/// cycle.
void NcclTestsTables::end_cycle() {
  RawTable raw = current_;
  current_.table.rows.clear();
  current_.rates.clear();
  if (raw.table.rows.empty()) return;
  raw.table.gpu = gpu_;
  raw.table.algorithm = algorithm_;
  raw.table.protocol = protocol_;
  if (!redop_.empty() && redop_ != "none") raw.table.labels.emplace_back("redop", redop_);
  raw.said = named_.op;
  if (!named_.unknown.empty()) {
    tables_.left_out.add("benchmark", raw.table.line, 1, [&] {
      return fmt::format("a table of {}_perf is left out: {} is not simulated", named_.unknown, named_.unknown);
    });
    return;
  }
  raw.possible = possible_operations();
  const auto listed = static_cast<int>(ranks_.size());
  if (listed > 0 && (ranks_unsure_ || *ranks_.rbegin() + 1 != listed))
    tables_.left_out.add("ranks", rank_line_, 1, [&] {
      return fmt::format(
          "{} ranks are listed, up to number {}: some are missing or listed twice, so the list is left out", listed,
          *ranks_.rbegin());
    });
  else
    raw.table.ranks = listed;
  if (raw.table.ranks > 0 && host_of_several_.empty()) raw.table.nodes = static_cast<int>(hosts_.size());
  if (raw.table.ranks > 0 && !host_of_several_.empty())
    tables_.left_out.add("hosts", rank_line_, 1, [&] {
      return fmt::format("a device of \"{}\" is listed twice: several hosts have this name, so the number of nodes is "
                         "left out; --nodes sets it",
                         host_of_several_);
    });
  tables_.add(std::move(raw));
}

void NcclTestsTables::end_table(int number) {
  end_pending();
  if (rows_in_table_ > 0 && !closed_ && !aborted_)
    tables_.left_out.add("summary", number, 1, [&] {
      return fmt::format(
          "the table from line {} ends without its summary (\"# Avg bus bandwidth\"); only complete rows are used",
          first_row_);
    });
  if (!wrong_) end_cycle();
  current_ = {};
  columns_.reset();
  if (rows_in_table_ > 0) named_ = {};
  closed_ = reduces_ = rooted_ = aborted_ = wrong_ = false;
  rows_in_table_ = wrong_rows_ = 0;
}

void NcclTestsTables::end(int number) {
  if (columns_ && rows_in_table_ == 0 && closed_ && tables_.left_out.empty())
    tables_.left_out.add("no rows", number, 1, [] { return std::string("the summary follows no complete row"); });
  end_table(number);
}

} // namespace gradflight::measured
