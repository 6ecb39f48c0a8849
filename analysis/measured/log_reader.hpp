// What the readers of logs share: mistakes with their places, numbers, and what rows must agree in.
#pragma once

#include "analysis/measured/measured_table.hpp"
#include "analysis/measured/read_measured.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight::measured {

struct Word {
  std::string_view text;
  int column = 1;
};

/// Apart by blanks.
std::vector<Word> words_of(std::string_view line);
std::optional<double> number_of(std::string_view text);
bool begins_with_digit(std::string_view line);
std::string lowered(std::string_view text);

/// "all_reduce", "allreduce", "AllReduce", "bcast", ...; with "_perf" too.
std::optional<Operation> operation_of(std::string_view name);
std::string known_operations();

/// The first operation that a text names as a program: all_reduce_perf, osu_allreduce, h100-allreduce.csv.
std::optional<Operation> operation_in(std::string_view text);

/// The word behind "NCCL_ALGO=", or "NCCL_ALGO set by environment to "; empty where there is none.
std::string setting_in(std::string_view text, std::string_view name);

class LogReader {
public:
  LogReader(std::string path, const AboutLog& about) : path_(std::move(path)), about_(about) {}

protected:
  void fail(int line, int column, std::string message) {
    errors_.push_back({path_, line, column, "", std::move(message)});
  }
  /// A time: above 0 and finite, or said to be wrong.
  double positive(const Word& word, int line, std::string_view what);
  /// A size: a whole number of bytes; 0 is one.
  double bytes(const Word& word, int line, std::string_view what);

  /// Operation, ranks and nodes: what the log and the user say must agree.
  void settle(MeasuredTable& table, std::optional<Operation> said, int line);
  /// Sizes must grow within a table, each once.
  void check_sizes(const MeasuredTable& table);
  /// Throws what was found wrong, in order; else gives the tables.
  std::vector<MeasuredTable> finish(std::vector<MeasuredTable> tables);

  std::string path_;
  AboutLog about_;
  std::vector<Diagnostic> errors_;
};

/// Bus bandwidth must be algorithm bandwidth times the operation's factor, and size over time the latter.
/// Empty where they agree, within the digits that are printed.
std::string bandwidth_mistake(Operation op, int ranks, double size, double time_us, double algbw, double busbw);
/// The operations whose factor the bus bandwidth fits.
bool fits_factor(Operation op, int ranks, double algbw, double busbw);

std::vector<MeasuredTable> read_nccl_tests(const std::string& text, const std::string& path, const AboutLog& about);
std::vector<MeasuredTable> read_osu(const std::string& text, const std::string& path, const AboutLog& about);
std::vector<MeasuredTable> read_csv(const std::string& text, const std::string& path, const AboutLog& about);

} // namespace gradflight::measured
