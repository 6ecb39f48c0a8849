// Reads tables of nccl-tests and rccl-tests of all releases from the lines of a log.
#pragma once

#include "analysis/evidence/measured/log_reader.hpp"

#include <set>

namespace gradflight::measured {

/// The header of a table: indices of the required columns; -1: missing.
struct NcclTestsColumns {
  std::vector<std::string> names;
  int size = -1, count = -1, type = -1, redop = -1, root = -1;
  bool milliseconds = false, cpu_time = false;
  bool beside = false; ///< another table is on the same lines
  struct Times {
    int time = -1, algbw = -1, busbw = -1, errors = -1;
    bool counts_errors = false; ///< "#wrong" counts elements; otherwise the column is the largest deviation
    [[nodiscard]] bool whole() const { return time >= 0 && algbw >= 0 && busbw >= 0; }
  } out, in;

  explicit NcclTestsColumns(const std::vector<Word>& header);
  [[nodiscard]] bool good() const { return size >= 0 && out.whole(); }
  /// How many words a row has at least: those of its first half.
  [[nodiscard]] std::size_t least_words() const {
    return static_cast<std::size_t>(out.errors > out.busbw ? out.errors : out.busbw) + 1;
  }
  /// Takes words off the end from the first that does not fit its column; of "-1node01:227602" the number stays.
  /// Inserts a blank reduction where a release leaves its name out.
  /// Returns the first word that does not fit; empty: all do.
  std::string_view fit(std::vector<Word>& words) const;
  /// Appends the titles of a second line, where a mail has wrapped the header; false if they are no titles.
  bool take_more(const std::vector<Word>& header);
};

/// The benchmark named in a header or a command.
struct NamedBenchmark {
  std::optional<Operation> op{};
  std::string unknown{}; ///< its name if the operation is not simulated
};

/// Returns the benchmark in a command line, such as "./build/all_gather_perf"; nothing if it names several.
std::optional<NamedBenchmark> program_in(std::string_view line);

/// The header that nccl-tests prints above a row of this shape; none if the words are no row. Its time and rate agree.
std::optional<NcclTestsColumns> columns_of_row(const std::vector<Word>& row);

class NcclTestsTables {
public:
  explicit NcclTestsTables(TableCollector& tables) : tables_(tables) {}

  /// Processes a line as the benchmark wrote it; returns whether it belongs to the benchmark.
  bool line(std::string_view line, int number);
  void end(int number);
  [[nodiscard]] bool open() const { return columns_.has_value() && !closed_ && !aborted_; }
  [[nodiscard]] bool recognised() const { return recognised_; }

private:
  bool comment(std::string_view line, int number);
  /// Whether the line goes on with the header.
  bool more_columns(std::string_view line);
  void begin_run(int number);
  void rank(const std::vector<Word>& words, int number);
  void other(std::string_view line, int number);
  /// A line of a table, which may be a whole row, or the beginning or the end of one.
  void part_of_row(int number);
  void split(std::string_view line);
  [[nodiscard]] std::vector<Word> with_pending() const;
  [[nodiscard]] bool continues_row() const;
  bool guess_columns(int number);
  /// What is pending is all that there is of its row.
  void end_pending();
  void row(int number);
  bool take_half(const NcclTestsColumns::Times& times, int number, MeasuredRow& row, Rate& rate);
  void end_table(int number);
  void end_cycle();
  [[nodiscard]] std::vector<Operation> possible_operations() const;
  [[nodiscard]] const Word* at(int column) const;

  TableCollector& tables_;
  RawTable current_;
  std::vector<Word> words_;
  struct KeptWord {
    std::string text;
    int column = 1;
  };
  std::vector<KeptWord> pending_; ///< a row, or its beginning, whose end may stand in a later line
  std::string plain_numbers_, without_tabs_;
  std::string breaks_off_at_; ///< the word of the row at which its columns end; empty: none
  std::set<int> ranks_;
  std::set<std::string> hosts_, devices_; ///< devices: host, number and bus address
  std::string host_of_several_;           ///< a name that several hosts seem to have; empty: none
  bool ranks_unsure_ = false;
  std::optional<NcclTestsColumns> columns_;
  NamedBenchmark named_;
  std::string gpu_, algorithm_, protocol_, redop_;
  bool closed_ = false, reduces_ = false, rooted_ = false, recognised_ = false, aborted_ = false, wrong_ = false,
       header_told_ = false;
  int pending_line_ = 0, rank_line_ = 0, rows_in_table_ = 0, first_row_ = 0, wrong_rows_ = 0;
};

} // namespace gradflight::measured
