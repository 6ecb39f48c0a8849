#include "analysis/measured/log_reader.hpp"
#include "analysis/measured/nccl_tests_columns.hpp"
#include "models/csv.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace gradflight::measured {

namespace {

class NcclTestsReader : public LogReader {
public:
  using LogReader::LogReader;

  std::vector<MeasuredTable> read(const std::string& text) {
    int number = 0;
    for (const std::string_view line : text_lines(text)) {
      ++number;
      const std::size_t first = line.find_first_not_of(" \t");
      if (first == std::string_view::npos) continue;
      if (line[first] == '#')
        comment(line.substr(first + 1), static_cast<int>(first) + 1, number);
      else if (begins_with_digit(line) && columns_)
        row(line, number);
      else
        other(line, number);
    }
    end_table(number);
    if (tables_.empty() && errors_.empty()) fail(number, 1, "the log ends before its first row");
    return finish(std::move(tables_));
  }

private:
  void comment(std::string_view line, int offset, int number) {
    std::vector<Word> words = words_of(line);
    for (Word& word : words) word.column += offset;
    if (words.empty()) return;
    const auto is = [&](std::size_t i, std::string_view text) { return i < words.size() && words[i].text == text; };
    const std::string first = lowered(words.front().text);
    if (is(0, "nThread") || line.find("Collective test starting") != std::string_view::npos) {
      if (rows_seen_) end_table(number);
      if (const auto colon = line.rfind(':'); !is(0, "nThread") && colon != std::string_view::npos)
        named_ = operation_in(line.substr(colon + 1));
    } else if (is(0, "Rank") && words.size() > 2) {
      rank(words, number);
    } else if (first == "size" || first == "bytes") {
      columns_.emplace(words);
      microseconds_ = false;
      header_line_ = number;
      if (!columns_->good())
        fail(number, 1,
             "this header of a table has no size, time, algbw and busbw: columns of nccl-tests are expected");
    } else if (line.find("(us)") != std::string_view::npos) {
      microseconds_ = true;
    } else if (line.find("Out of bounds values") != std::string_view::npos) {
      closed_ = true;
      if (line.find("FAILED") != std::string_view::npos)
        fail(number, 1, "the benchmark says that values were wrong (\"Out of bounds values ... FAILED\")");
    } else if (line.find("Avg bus bandwidth") != std::string_view::npos) {
      closed_ = true;
    }
  }

  void rank(const std::vector<Word>& words, int number) {
    const auto rank = number_of(words[1].text);
    if (!rank || *rank < 0) {
      fail(number, words[1].column, fmt::format("rank \"{}\" should be a whole number", words[1].text));
      return;
    }
    if (rows_seen_) end_table(number);
    if (!ranks_.insert(static_cast<int>(*rank)).second)
      fail(number, words[1].column, fmt::format("rank {} is there twice: two runs in one log?", words[1].text));
    for (std::size_t i = 2; i + 1 < words.size(); ++i)
      if (words[i].text == "on") hosts_.insert(std::string(words[i + 1].text));
    // Behind the bus address stands the GPU's name.
    for (std::size_t i = 2; i < words.size(); ++i)
      if (words[i].text.starts_with('[') && words[i].text.ends_with(']')) {
        std::string name;
        for (std::size_t k = i + 1; k < words.size(); ++k)
          name += (name.empty() ? "" : " ") + std::string(words[k].text);
        if (!name.empty()) gpu_ = name;
        break;
      }
    if (first_line_ == 0) first_line_ = number;
  }

  void other(std::string_view line, int number) {
    // The summary of 2017 has no "#".
    if (line.find("Out of bounds values") != std::string_view::npos ||
        line.find("Avg bus bandwidth") != std::string_view::npos)
      comment(line, 0, number);
    if (line.find("Test NCCL failure") != std::string_view::npos ||
        line.find("Test CUDA failure") != std::string_view::npos)
      fail(number, 1, "the benchmark failed: its log cannot be used");
    if (line.find("_perf") != std::string_view::npos && !named_ && line.find("NCCL") == std::string_view::npos)
      named_ = operation_in(line);
    if (const std::string algorithm = setting_in(line, "NCCL_ALGO"); !algorithm.empty()) algorithm_ = algorithm;
    if (const std::string protocol = setting_in(line, "NCCL_PROTO"); !protocol.empty()) protocol_ = protocol;
  }

  void row(std::string_view line, int number) {
    if (!columns_->good()) return;
    std::vector<Word> words = words_of(line);
    const std::size_t columns = columns_->names.size();
    // Some releases leave the reduction's name blank where there is none.
    if (words.size() + 1 == columns && columns_->redop > 0) words.insert(words.begin() + columns_->redop, Word{"", 1});
    if (!rows_seen_) {
      current_ = {};
      current_.line = number;
    }
    rows_seen_ = true;
    if (words.size() != columns) {
      fail(number, 1,
           fmt::format("{} entries where the header (line {}) has {} columns: cut off?", words.size(), header_line_,
                       columns));
      return;
    }
    const std::size_t before = errors_.size();
    MeasuredRow row;
    row.line = number;
    const auto at = [&](int column) { return words[static_cast<std::size_t>(column)]; };
    row.size_bytes = bytes(at(columns_->size), number, "size");
    const double unit = microseconds_ ? 1 : 1000; // milliseconds in 2017, when headers had no units
    const auto time = [&](const NcclTestsColumns::Times& times, Rate& rate) {
      rate.time_us = positive(at(times.time), number, "time") * unit;
      rate.line = number;
      rate.size = row.size_bytes;
      rate.algbw = bandwidth(at(times.algbw), number, "algbw");
      rate.busbw = bandwidth(at(times.busbw), number, "busbw");
      errors(times, words, number);
      return rate.time_us;
    };
    Rate out, in;
    row.time_us = time(columns_->out, out);
    const NcclTestsColumns::Times& second = columns_->in;
    const bool inplace = second.time >= 0 && second.algbw >= 0 && second.busbw >= 0 && at(second.time).text != "N/A";
    if (inplace) row.inplace_time_us = time(second, in);
    if (columns_->redop >= 0)
      reduces_ = reduces_ || (!at(columns_->redop).text.empty() && at(columns_->redop).text != "none");
    if (columns_->root >= 0) rooted_ = rooted_ || (number_of(at(columns_->root).text).value_or(-1) >= 0);
    if (errors_.size() > before) return;
    current_.rows.push_back(row);
    rates_.push_back(out);
    if (inplace) rates_.push_back(in);
  }

  double bandwidth(const Word& word, int line, std::string_view what) {
    const auto value = number_of(word.text);
    if (value && *value >= 0) return *value;
    fail(line, word.column, fmt::format("{} \"{}\" should be a number of GB/s", what, word.text));
    return 0;
  }

  void errors(const NcclTestsColumns::Times& times, const std::vector<Word>& words, int number) {
    if (times.errors < 0) return;
    const Word word = words[static_cast<std::size_t>(times.errors)];
    if (word.text == "N/A") return; // not checked
    const auto value = number_of(word.text);
    if (!value)
      fail(number, word.column, fmt::format("\"{}\" in the column of errors should be a number or N/A", word.text));
    else if (times.counts_errors && *value != 0)
      fail(number, word.column, fmt::format("{} elements were wrong: such a run measures nothing", word.text));
  }

  void end_table(int number) {
    if (rows_seen_ && !closed_)
      fail(number, 1, "the table ends without its summary (\"# Avg bus bandwidth\"): the log is cut off");
    if (!rows_seen_ && closed_) fail(number, 1, "a summary, and no rows before it");
    if (rows_seen_ && !current_.rows.empty()) {
      current_.file = path_;
      current_.gpu = gpu_;
      current_.algorithm = algorithm_;
      current_.protocol = protocol_;
      current_.ranks = static_cast<int>(ranks_.size());
      current_.nodes = static_cast<int>(hosts_.size());
      if (!ranks_.empty() && *ranks_.rbegin() + 1 != current_.ranks)
        fail(first_line_, 1,
             fmt::format("{} ranks are listed, up to number {}: some are missing", current_.ranks, *ranks_.rbegin()));
      settle(current_, said(), current_.line);
      check_sizes(current_);
      for (const Rate& rate : rates_)
        if (const std::string wrong =
                bandwidth_mistake(current_.op, current_.ranks, rate.size, rate.time_us, rate.algbw, rate.busbw);
            !wrong.empty() && errors_.empty())
          fail(rate.line, 1, wrong);
      tables_.push_back(std::move(current_));
    }
    current_ = {};
    rates_.clear();
    ranks_.clear();
    hosts_.clear();
    columns_.reset();
    named_.reset();
    rows_seen_ = closed_ = reduces_ = rooted_ = false;
    first_line_ = 0;
  }

  /// By name, else as the only operation whose bus bandwidths and columns fit.
  [[nodiscard]] std::optional<Operation> said() const {
    if (named_) return named_;
    if (about_.op) return std::nullopt;
    std::optional<Operation> only;
    for (const Operation op :
         {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::alltoall,
          Operation::broadcast, Operation::reduce, Operation::gather, Operation::scatter, Operation::sendrecv}) {
      const bool sums = op == Operation::all_reduce || op == Operation::reduce_scatter || op == Operation::reduce;
      const bool root =
          op == Operation::broadcast || op == Operation::reduce || op == Operation::gather || op == Operation::scatter;
      if (current_.ranks < 2 || sums != reduces_ || root != rooted_) continue;
      bool fits = true;
      for (const Rate& rate : rates_) fits = fits && fits_factor(op, current_.ranks, rate.algbw, rate.busbw);
      if (!fits) continue;
      if (only) return std::nullopt;
      only = op;
    }
    return only;
  }

  struct Rate {
    double size = 0, time_us = 0, algbw = 0, busbw = 0;
    int line = 0;
  };
  std::vector<MeasuredTable> tables_;
  MeasuredTable current_;
  std::vector<Rate> rates_;
  std::set<int> ranks_;
  std::set<std::string> hosts_;
  std::optional<NcclTestsColumns> columns_;
  std::optional<Operation> named_;
  std::string gpu_, algorithm_, protocol_;
  bool microseconds_ = false, rows_seen_ = false, closed_ = false, reduces_ = false, rooted_ = false;
  int header_line_ = 0, first_line_ = 0;
};

} // namespace

std::vector<MeasuredTable> read_nccl_tests(const std::string& text, const std::string& path, const AboutLog& about) {
  return NcclTestsReader(path, about).read(text);
}

} // namespace gradflight::measured
