// What the readers of logs share: words and names, and how raw tables become tables.
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

/// Apart by blanks.
std::vector<Word> words_of(std::string_view line);
/// Likewise, into a vector that is used again.
void words_of(std::string_view line, std::vector<Word>& words);
std::optional<double> number_of(std::string_view text);
/// What "1,234" is: a comma before three digits alone may separate thousands or decimals.
enum class LoneComma : std::uint8_t { thousands, decimals, unclear };
/// A number as people and spreadsheets write it, "1,048,576", "1.234,56", "1'024", becomes one that number_of() reads.
/// Other words, and a comma that is unclear, stay.
std::string plain_number(std::string_view word, LoneComma lone);
bool begins_with_digit(std::string_view line);
/// With "?" in place of each byte that is in no character of UTF-8, and of each control character.
std::string printable(std::string_view text);

/// The word behind "NCCL_ALGO=", or "NCCL_ALGO set by environment to "; empty where there is none.
std::string setting_in(std::string_view text, std::string_view name);

/// A table as a reader finds it, with what its operation and its ranks may follow from.
struct RawTable {
  MeasuredTable table;             ///< `op` is not set; `ranks` and `nodes` as listed
  std::optional<Operation> said;   ///< by the name of the program or by a column
  std::vector<Operation> possible; ///< by the columns, where it is not said; empty: no column tells
  FactorRange factors;
  struct Rates {
    Rate out;
    std::optional<Rate> in{};
  };
  std::vector<Rates> rates{}; ///< one for each row, or none at all
};

/// Collects the tables of a file. Rows of the same operation, ranks, type and setting are one table, repeated sizes by
/// their medians.
class TableCollector {
public:
  TableCollector(std::string path, const AboutLog& about) : left_out(path), about_(about), path_(std::move(path)) {}

  /// Settles operation and ranks, leaves out rows that contradict them, and merges the rest.
  void add(RawTable raw);

  /// A mistake that no other row makes good.
  void fail(int line, int column, std::string message) {
    errors_.push_back({path_, line, column, "", std::move(message)});
  }

  [[nodiscard]] bool empty() const { return merged_.empty(); }

  /// All tables; `notes`: what was left out. Throws InputErrors: mistakes, or everything left out.
  std::vector<MeasuredTable> finish(int last_line, std::vector<Diagnostic>* notes);

  LeftOut left_out;

private:
  /// Of one size: at most some thousand, evenly spread over all.
  struct Samples {
    std::vector<double> out, in;
    std::int64_t seen = 0, every = 1;
  };
  struct Merged {
    MeasuredTable table;
    std::map<double, std::pair<MeasuredRow, Samples>> rows;
  };

  bool settle(RawTable& raw);
  bool settle_operation(RawTable& raw);
  bool settle_ranks(RawTable& raw);
  void leave_out_contradictions(RawTable& raw);
  Merged& merged_with(const MeasuredTable& table);

  AboutLog about_;
  std::string path_;
  std::vector<Diagnostic> errors_;
  std::vector<Merged> merged_;
  std::map<std::string, std::size_t> by_key_;
};

/// nccl-tests' JSON (-J), or a line or a list of rccl-tests' (-Z json); false: it is neither.
bool read_json_log(std::string_view text, TableCollector& tables);

} // namespace gradflight::measured
