#include "analysis/evidence/measured/osu_log.hpp"

#include "analysis/evidence/measured/csv_headers.hpp"
#include "base/letters.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace gradflight::measured {

namespace {

/// Names of OSU's columns contain single blanks: "Avg Latency(us)". Two blanks or tabs separate columns.
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

/// The same if a page has left single blanks only: a title ends with a unit, or is one word.
std::vector<std::string> titles_of_words(std::string_view line) {
  std::vector<std::string> titles;
  std::string title;
  for (const Word& word : words_of(line)) {
    title += (title.empty() ? "" : " ") + std::string(word.text);
    const bool begins = word.text == "Avg" || word.text == "Min" || word.text == "Max" || word.text == "Latency" ||
                        word.text == "Bandwidth" || word.text == "Tail" || word.text.starts_with('P');
    if (!begins) titles.push_back(std::exchange(title, {}));
  }
  return titles;
}

/// Accepts "OSU MPI Latency Test" and "OSU MPI-CUDA Latency Test".
bool plain_latency(const std::string& title) {
  const std::vector<Word> words = words_of(title);
  return words.size() > 2 && words[2].text == "Latency";
}

/// Returns the microseconds of the unit in a title, "avg latency(ms)"; 1 if it names none.
std::optional<double> microseconds_of_latency(std::string_view title) {
  const std::size_t open = title.find('(');
  if (open == std::string_view::npos) return 1;
  return microseconds_of(title.substr(open + 1, std::min(title.find(')', open), title.size()) - open - 1));
}

std::optional<Operation> operation_of_title(const std::string& title) {
  // In "OSU MPI-CUDA Allreduce Latency Test v5.7", it is the word before Latency.
  if (title.find("All-to-All") != std::string::npos || title.find("Alltoall") != std::string::npos ||
      title.find("Personalized") != std::string::npos)
    return Operation::alltoall;
  std::optional<Operation> said;
  for (const Word& word : words_of(title)) {
    if (word.text == "Latency" || word.text == "Test") break;
    std::string_view name = word.text;
    // The variants for unequal counts are measured with equal ones.
    if (name == "Allgatherv" || name == "Gatherv" || name == "Scatterv") name.remove_suffix(1);
    if (name == "Reduce_scatter_block") name = "Reduce_scatter";
    if (const auto op = operation_of(name)) said = op;
  }
  return said;
}

} // namespace

bool OsuTables::line(std::string_view line, int number) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  if (time_ >= 0 && std::isdigit(static_cast<unsigned char>(line[first])) != 0) {
    row(line, number);
    return true;
  }
  if (line[first] == '#') return comment(line.substr(first + 1), number);
  const std::string_view rest = line.substr(first);
  return (rest.starts_with("OSU MPI") || rest.starts_with("Size")) && comment(line, number);
}

bool OsuTables::comment(std::string_view line, int number) {
  const auto has = [&](std::string_view part) { return line.find(part) != std::string_view::npos; };
  const std::size_t begin_at = std::min(line.find_first_not_of(" \t"), line.size());
  if (has("OSU") && has("Test")) {
    end_table(number);
    begin(line, number);
  } else if (has("pairs:") && open_) {
    const auto pairs = words_of(line.substr(line.find("pairs:") + 6));
    const auto value = pairs.empty() ? std::nullopt : number_of(pairs.front().text);
    if (value && *value >= 1 && *value <= 1e6) {
      pairs_ = static_cast<int>(*value);
      current_.table.ranks = 2 * pairs_;
      current_.table.ranks_from.clear();
      current_.table.labels.emplace_back("pairs", std::string(pairs.front().text));
    }
  } else if (line.substr(begin_at).starts_with("Datatype:") && open_) {
    const auto words = words_of(line.substr(begin_at + 9));
    if (!words.empty()) {
      std::string_view type = words.front().text;
      while (type.ends_with('.')) type.remove_suffix(1);
      current_.table.type = printable(type);
    }
  } else if (line.substr(begin_at).starts_with("Size") && (has("atency") || has("MB/s") || has("andwidth"))) {
    if (rows_seen_ > 0) {
      const RawTable before = current_;
      end_table(number);
      current_ = before;
      current_.table.rows.clear();
    }
    header(line, number);
  } else {
    return false;
  }
  recognised_ = true;
  return true;
}

void OsuTables::begin(std::string_view line, int number) {
  MeasuredTable& table = current_.table;
  table.line = number;
  std::string title = printable(line.substr(line.find("OSU")));
  while (!title.empty() && title.back() == ' ') title.pop_back();
  table.run = title;
  open_ = true;
  const bool rate = title.find("Bandwidth") != std::string::npos;
  const bool multiple = title.find("Multi") != std::string::npos;
  const bool point = title.find("Collective") == std::string::npos && (rate || multiple || plain_latency(title));
  // A put or a get is one-sided, without an answer. So its time is not half a round trip.
  const bool one_sided = title.find("MPI_") != std::string::npos || title.find("SHMEM") != std::string::npos ||
                         title.find("UPC") != std::string::npos;
  unknown_ = title.find("Bi-Directional") != std::string::npos || one_sided;
  if (const auto run = commands_.take()) {
    table.ranks = run->ranks;
    table.nodes = run->nodes;
    table.ranks_from = run->text;
  }
  table.benchmark = rate ? Benchmark::bandwidth : point ? Benchmark::latency : Benchmark::collective;
  if (point) {
    current_.said = Operation::sendrecv;
    if (!multiple) {
      table.ranks = 2;
      table.ranks_from.clear();
    }
  } else {
    current_.said = operation_of_title(title);
    unknown_ = unknown_ || !current_.said || current_.said == Operation::barrier ||
               title.find("Non-blocking") != std::string::npos || title.find("Neighbo") != std::string::npos;
  }
  if (unknown_)
    tables_.left_out.add("osu title", number, 1, [&] {
      return fmt::format("a table of \"{}\" is left out; known are osu_latency, osu_multi_lat, osu_bw, osu_mbw_mr and "
                         "blocking collectives: {}",
                         title, fmt::join(sized_operations(), ", "));
    });
}

void OsuTables::header(std::string_view line, int number) {
  current_.header_line = number;
  titles_ = titles_of(line);
  if (titles_.size() == 1) titles_ = titles_of_words(line);
  time_ = min_ = max_ = valid_ = -1;
  megabytes_ = microseconds_ = 1;
  bool rate = false;
  for (std::size_t i = 1; i < titles_.size(); ++i) {
    const std::string title = lower_case(titles_[i]);
    const auto at = static_cast<int>(i);
    const bool latency = title.find("latency") != std::string::npos;
    if (title.starts_with("valid")) valid_ = at;
    if (latency && title.starts_with("min")) min_ = at;
    if (latency && title.starts_with("max")) max_ = at;
    if (latency && (title.starts_with("avg") || title.starts_with("latency")))
      if (const auto unit = microseconds_of_latency(title)) {
        time_ = at;
        microseconds_ = *unit;
      }
    if (title.starts_with("mb/s") || title.starts_with("bandwidth")) {
      time_ = at;
      rate = true;
      if (title.find("gb/s") != std::string::npos) megabytes_ = 1000;
    }
  }
  if (time_ < 0)
    tables_.left_out.add("osu header", number, 1, [] {
      return std::string("a table with neither \"Avg Latency(us)\", \"Latency (us)\" nor \"MB/s\" is left out");
    });
  // Without a title, a rate comes from a bandwidth test; a latency may come from any test.
  if (!open_ && rate) {
    current_.table.benchmark = Benchmark::bandwidth;
    current_.table.ranks = 2;
    current_.said = Operation::sendrecv;
  }
}

void OsuTables::row(std::string_view line, int number) {
  words_of(line, words_);
  if (unknown_) return;
  const auto leave = [&](const char* kind, int column, auto message) {
    tables_.left_out.add(kind, number, column, message);
  };
  if (words_.size() < titles_.size()) {
    leave("cut", 1, [&] { return short_row_text(words_.size(), titles_.size()); });
    return;
  }
  DecimalMarks shown;
  shown.add_whole(words_[0].text);
  for (const int column : {time_, min_, max_})
    if (column > 0) shown.add(words_[static_cast<std::size_t>(column)].text);
  const DecimalMark mark = shown.found().value_or(DecimalMark::dot);
  const auto value_at = [&](int column) {
    const auto value = number_of(plain_number(words_[static_cast<std::size_t>(column)].text, mark));
    return value && *value > 0 ? std::optional(*value * microseconds_) : std::nullopt;
  };
  const auto size = number_of(plain_number(words_[0].text, mark));
  const auto value = value_at(time_);
  if (!size || *size < 0 || *size > 1e15 || std::floor(*size) != *size || !value) {
    const Word& bad = !value ? words_[static_cast<std::size_t>(time_)] : words_[0];
    leave("no number", bad.column, [&] {
      return fmt::format("\"{}\" is no {}: the row is left out", printable(bad.text),
                         !value ? "time or rate above 0" : "size");
    });
    return;
  }
  if (valid_ >= 0 && lower_case(words_[static_cast<std::size_t>(valid_)].text) == "fail") {
    leave("wrong", words_[static_cast<std::size_t>(valid_)].column, [] {
      return std::string("the benchmark's validation failed: the row is left out, because such a run measures nothing");
    });
    return;
  }
  const bool rate = current_.table.benchmark == Benchmark::bandwidth;
  MeasuredRow row;
  row.line = number;
  row.size_bytes = *size;
  row.time_us = rate ? pairs_ * *size / (*value * megabytes_) : *value;
  if (!(row.time_us > 0)) {
    leave("zero", 1, [] { return std::string("a row of size 0 is left out"); });
    return;
  }
  MeasuredTable& table = current_.table;
  if (!table.rows.empty() && row.size_bytes <= table.rows.back().size_bytes) end_cycle();
  if (table.line == 0 || !open_) table.line = table.rows.empty() ? number : table.line;
  table.rows.push_back(row);
  last_decimals_.add(plain_number(words_.back().text, mark));
  ++rows_seen_;
}

void OsuTables::leave_out_cut_row(int number) {
  std::vector<MeasuredRow>& rows = current_.table.rows;
  if (rows.empty() || rows.back().line != number || !last_decimals_.may_be_cut()) return;
  rows.pop_back();
  tables_.left_out.add("cut value", number, words_.back().column,
                       [&] { return cut_value_text(printable(words_.back().text)); });
}

void OsuTables::end_cycle() {
  RawTable raw = current_;
  current_.table.rows.clear();
  // For reduce-scatter, OSU prints the size of the whole vector. For other operations on blocks, it prints the size of
  // one block.
  raw.table.size_of_a_rank = raw.table.benchmark == Benchmark::collective && raw.said != Operation::reduce_scatter;
  tables_.add(std::move(raw));
}

void OsuTables::end_table(int number) {
  if (open_ && rows_seen_ == 0 && !unknown_)
    tables_.left_out.add("osu rows", number, 1,
                         [] { return std::string("a table has no complete row: the log is cut off"); });
  end_cycle();
  current_ = {};
  titles_.clear();
  last_decimals_ = {};
  time_ = min_ = max_ = valid_ = -1;
  rows_seen_ = 0;
  pairs_ = 1;
  open_ = unknown_ = false;
}

void OsuTables::end(int number) { end_table(number); }

} // namespace gradflight::measured
