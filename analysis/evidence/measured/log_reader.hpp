// Shared code of the log readers: words and names, and the conversion of raw tables.
#pragma once

#include "analysis/evidence/measured/bus_factor_range.hpp"
#include "analysis/evidence/measured/left_out.hpp"
#include "analysis/evidence/measured/measured_table.hpp"
#include "analysis/evidence/measured/read_measured.hpp"
#include "models/collectives/operation_spelling.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight::measured {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

struct Word {
  std::string_view text;
  int column = 1;
};

/// Splits at blanks.
std::vector<Word> words_of(std::string_view line);
/// The same, into a reused vector.
void words_of(std::string_view line, std::vector<Word>& words);
std::optional<double> number_of(std::string_view text);
/// What a lone comma or dot before three digits is, as in "1,234" and "1.234". After `dot`, commas separate thousands;
/// after `comma`, dots do. `either`: both stand before decimals. `unclear`: a dot does, a comma may be either.
enum class DecimalMark : std::uint8_t { dot, comma, either, unclear };
/// Finds the decimal mark of a row or of a file from its numbers: "1,048,576", "1,234.5" and "12.93" show the dot,
/// "1.048.576" and "79,5" the comma, and "1,234" neither.
class DecimalMarks {
public:
  void add(std::string_view word);
  /// The same for a number without decimals. "1,024" shows the dot, unless other numbers say more.
  void add_whole(std::string_view word);
  /// Returns the dot or the comma; nothing if no number shows it, or if they contradict each other.
  [[nodiscard]] std::optional<DecimalMark> found() const;
  [[nodiscard]] bool contradict() const { return clear_.dot && clear_.comma; }

private:
  struct Seen {
    bool dot = false, comma = false;
  };
  Seen clear_, likely_;
};
/// Whether the number is a lone comma or dot before three digits, as in "1,234" and "12.500".
bool has_open_mark(std::string_view word);
/// A number as people and spreadsheets write it, "1,048,576", "1.234,56", "1'024", becomes one that number_of() reads.
/// Other words, and a comma that is unclear, stay.
std::string plain_number(std::string_view word, DecimalMark mark);
/// The note about a number with such a mark, behind the name of its column.
std::string unclear_mark_text(std::string_view word);
/// The note about a row with fewer entries than the header has columns.
std::string short_row_text(std::size_t entries, std::size_t columns);

/// Returns why a row is left out, if so many elements of a type do not make its size; empty if they do, or if either is
/// unknown.
std::string count_mistake(std::string_view count, std::string_view type, double size_bytes);

/// Counts the decimals of the last value in each row. A file that ends in the midst of a value shows by them.
class LastDecimals {
public:
  /// `plain`: as plain_number() returns it.
  void add(std::string_view plain);
  /// Whether the last value has fewer decimals than every other one of at least two.
  [[nodiscard]] bool may_be_cut() const;

private:
  std::size_t least_before_ = 0, last_ = 0;
  std::int64_t values_ = 0;
};
/// The note about a row whose last value may be cut off.
std::string cut_value_text(std::string_view value);

bool begins_with_digit(std::string_view line);
/// Replaces each byte that is not valid UTF-8, and each control character, by "?".
std::string printable(std::string_view text);

/// Returns the word after "NCCL_ALGO=", or after "NCCL_ALGO set by environment to "; empty if there is none.
std::string setting_in(std::string_view text, std::string_view name);

/// A table as a reader finds it, with the data that may determine its operation and ranks.
struct RawTable {
  MeasuredTable table;             ///< `op` is not set; `ranks` and `nodes` as listed in the log
  std::optional<Operation> said;   ///< from the name of the program or from a column
  std::vector<Operation> possible; ///< from the columns, if `said` is empty; empty: unknown
  FactorRange factors;
  struct Rates {
    Rate out;
    std::optional<Rate> in{};
  };
  std::vector<Rates> rates{}; ///< one for each row, or none at all
  int header_line = 0;        ///< tables under one header are of one operation; 0: unknown
  bool op_assumed = false;    ///< the operation comes from the user, and the log does not show it
};

/// Collects the tables of a file. Rows with the same operation, ranks, type and setting form one table; repeated sizes
/// become their medians.
class TableCollector {
public:
  TableCollector(std::string path, const AboutLog& about) : left_out(path), about_(about), path_(std::move(path)) {}

  /// Determines operation and ranks, leaves out rows that contradict them, and merges the rest.
  void add(RawTable raw);

  /// Adds a mistake that no other row can resolve.
  void fail(int line, int column, std::string message) {
    errors_.push_back({path_, line, column, "", std::move(message)});
  }

  [[nodiscard]] bool empty() const { return merged_.empty(); }

  /// Returns all tables. `notes` receives notes about parts left out. Throws InputErrors for mistakes, or if nothing is
  /// left.
  std::vector<MeasuredTable> finish(int last_line, std::vector<Diagnostic>* notes);

  LeftOut left_out;

private:
  /// Samples of one size: at most a few thousand, evenly spread over all.
  struct Samples {
    std::vector<double> out, in;
    std::int64_t seen = 0, every = 1;
  };
  struct Merged {
    MeasuredTable table;
    std::map<double, std::pair<MeasuredRow, Samples>> rows;
    int header_line = 0;              ///< of the first table, if its operation is assumed
    std::map<double, double> times{}; ///< in us, of that table by size
  };

  bool settle_operation(RawTable& raw);
  bool settle_ranks(RawTable& raw);
  void leave_out_contradictions(RawTable& raw);
  Merged& merged_with(const MeasuredTable& table);
  bool may_repeat(Merged& merged, const RawTable& raw);

  AboutLog about_;
  std::string path_;
  std::vector<Diagnostic> errors_;
  std::vector<Merged> merged_;
  std::map<std::string, std::size_t> by_key_;
};

/// Reads nccl-tests' JSON (-J), or a line or a list of rccl-tests (-Z json). Returns false for other text.
bool read_json_log(std::string_view text, TableCollector& tables);

} // namespace gradflight::measured
