#include "analysis/measured/log_reader.hpp"
#include "models/csv.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight::measured {

namespace {

/// Names of OSU's columns hold single blanks: "Avg Latency(us)". Apart by two blanks or tabs.
std::vector<std::string> titles_of(std::string_view line) {
  std::vector<std::string> titles;
  std::string title;
  for (const Word& word : words_of(line)) {
    const auto before = static_cast<std::size_t>(word.column) - 1;
    const bool apart = before >= 2 ? line[before - 1] == '\t' || line.substr(before - 2, 2) == "  " : true;
    if (apart && !title.empty()) titles.push_back(std::exchange(title, {}));
    title += (title.empty() ? "" : " ") + std::string(word.text);
  }
  if (!title.empty()) titles.push_back(title);
  return titles;
}

class OsuReader : public LogReader {
public:
  using LogReader::LogReader;

  std::vector<MeasuredTable> read(const std::string& text) {
    int number = 0;
    for (const std::string_view line : text_lines(text)) {
      ++number;
      const std::size_t first = line.find_first_not_of(" \t");
      if (first == std::string_view::npos) continue;
      if (line[first] == '#')
        comment(line.substr(first + 1), number);
      else if (begins_with_digit(line) && !titles_.empty())
        row(line, number);
    }
    end_table(number);
    if (tables_.empty() && errors_.empty()) fail(number, 1, "the log ends before its first row");
    return finish(std::move(tables_));
  }

private:
  void comment(std::string_view line, int number) {
    if (line.find("OSU") != std::string_view::npos && line.find("Test") != std::string_view::npos) {
      if (open_) end_table(number);
      open_ = true;
      begin(line, number);
    } else if (const auto at = line.find("pairs:"); at != std::string_view::npos) {
      const auto pairs = words_of(line.substr(at + 6));
      const auto value = pairs.empty() ? std::nullopt : number_of(pairs.front().text);
      if (!value || *value < 1) {
        fail(number, 1, "the number of pairs should be a whole number above 0");
      } else {
        pairs_ = static_cast<int>(*value);
        current_.ranks = 2 * pairs_;
        current_.labels.emplace_back("pairs", std::string(pairs.front().text));
      }
    } else if (!words_of(line).empty() && words_of(line).front().text == "Size") {
      header(line, number);
    }
  }

  void begin(std::string_view line, int number) {
    current_ = {};
    current_.line = number;
    std::string title(line.substr(line.find("OSU")));
    while (!title.empty() && (title.back() == '\r' || title.back() == ' ')) title.pop_back();
    current_.run = title;
    pairs_ = 1;
    const bool rate = title.find("Bandwidth") != std::string::npos;
    const bool multiple = title.find("Multi") != std::string::npos;
    const bool point = title.find("Collective") == std::string::npos && (rate || multiple || plain_latency(title));
    if (title.find("Bi-Directional") != std::string::npos)
      fail(number, 1,
           "bandwidth of both directions at once is not read; known are osu_latency, osu_multi_lat, osu_bw, "
           "osu_mbw_mr and the collectives");
    current_.benchmark = rate ? Benchmark::bandwidth : point ? Benchmark::latency : Benchmark::collective;
    if (point) {
      said_ = Operation::sendrecv;
      if (!multiple) current_.ranks = 2;
      return;
    }
    // "OSU MPI-CUDA Allreduce Latency Test v5.7": the word before Latency.
    std::string before;
    said_.reset();
    for (const Word& word : words_of(title)) {
      if (word.text == "Latency" || word.text == "Test") break;
      before = std::string(word.text);
      if (const auto op = operation_of(before)) said_ = op;
    }
    if (lowered(before) == "personalized") said_ = Operation::alltoall;
    if (title.find("All-to-All") != std::string::npos || title.find("Alltoall") != std::string::npos)
      said_ = Operation::alltoall;
    if (!said_) fail(number, 1, fmt::format("\"{}\" is of none of {}", title, known_operations()));
  }

  /// "OSU MPI Latency Test", "OSU MPI-CUDA Latency Test".
  static bool plain_latency(const std::string& title) {
    const std::vector<Word> words = words_of(title);
    return words.size() > 2 && words[2].text == "Latency";
  }

  void header(std::string_view line, int number) {
    titles_ = titles_of(line);
    header_line_ = number;
    time_ = min_ = max_ = -1;
    for (std::size_t i = 1; i < titles_.size(); ++i) {
      const std::string title = lowered(titles_[i]);
      const auto at = static_cast<int>(i);
      const bool latency = title.find("latency") != std::string::npos;
      if (latency && title.starts_with("min")) min_ = at;
      if (latency && title.starts_with("max")) max_ = at;
      if (latency && (title.starts_with("avg") || title.starts_with("latency"))) time_ = at;
      if (title.starts_with("mb/s") || title.starts_with("bandwidth")) time_ = at;
    }
    if (time_ < 0) fail(number, 1, "this header has neither \"Avg Latency(us)\", \"Latency (us)\" nor \"MB/s\"");
    if (!open_) fail(number, 1, "the first line, \"# OSU ... Test\", is missing: which operation is this?");
  }

  void row(std::string_view line, int number) {
    if (time_ < 0) return;
    const std::vector<Word> words = words_of(line);
    if (words.size() != titles_.size()) {
      fail(number, 1,
           fmt::format("{} entries where the header (line {}) has {} columns: cut off?", words.size(), header_line_,
                       titles_.size()));
      return;
    }
    const std::size_t before = errors_.size();
    MeasuredRow row;
    row.line = number;
    row.size_bytes = bytes(words[0], number, "size");
    const double value = positive(words[static_cast<std::size_t>(time_)], number,
                                  current_.benchmark == Benchmark::bandwidth ? "bandwidth" : "time");
    row.time_us = current_.benchmark == Benchmark::bandwidth ? pairs_ * row.size_bytes / value : value;
    if (min_ >= 0) row.min_us = positive(words[static_cast<std::size_t>(min_)], number, "shortest time");
    if (max_ >= 0) row.max_us = positive(words[static_cast<std::size_t>(max_)], number, "longest time");
    if (errors_.size() == before) current_.rows.push_back(row);
    rows_seen_ = true;
  }

  void end_table(int number) {
    if (open_ && !rows_seen_) fail(number, 1, "the table has no rows: the log is cut off");
    if (!current_.rows.empty()) {
      current_.file = path_;
      settle(current_, said_, current_.line);
      current_.size_of_a_rank = current_.benchmark == Benchmark::collective && counts_blocks(current_.op);
      check_sizes(current_);
      tables_.push_back(current_);
    }
    current_ = {};
    titles_.clear();
    open_ = rows_seen_ = false;
  }

  std::vector<MeasuredTable> tables_;
  MeasuredTable current_;
  std::optional<Operation> said_;
  std::vector<std::string> titles_;
  int time_ = -1, min_ = -1, max_ = -1, pairs_ = 1, header_line_ = 0;
  bool open_ = false, rows_seen_ = false;
};

} // namespace

std::vector<MeasuredTable> read_osu(const std::string& text, const std::string& path, const AboutLog& about) {
  return OsuReader(path, about).read(text);
}

} // namespace gradflight::measured
