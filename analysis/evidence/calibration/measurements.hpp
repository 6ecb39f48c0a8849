// Reads measured times from a CSV file: rows of repetitions, grouped into cases.
//
// Header: experiment,rate_mbit,p,bytes,algorithm,rep,seconds, in any order. Further columns are paths of a scenario
// ("training.exchange.servers"): the row sets their values like `--set`. base/sheet.hpp has the rules of the CSV.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gradflight {

/// The setting of a further column for a case.
struct CaseSetting {
  std::string path, value;
  int header_column = 1, column = 1; ///< columns of the path and the value
};

struct MeasuredCase {
  std::string experiment; ///< a known experiment (experiments.hpp), or the name of a scenario file that ends in .json
  std::string algorithm;  ///< "eager", "rendezvous", or other text
  double rate_mbit = 0;   ///< nominal rate of the links, 10^6 bit/s; 0 if links have no effect (reduce)
  int p = 0;              ///< number of workers
  std::int64_t bytes = 0;
  std::vector<CaseSetting> sets{}; ///< from the further columns that are not empty
  std::vector<double> seconds{};   ///< of its repetitions, in the order of the file
  int line = 0;                    ///< line of the first repetition
  struct Columns {
    int experiment = 1, rate_mbit = 1, p = 1, bytes = 1;
  } columns{}; ///< columns of these values in that line

  [[nodiscard]] double median() const;
  [[nodiscard]] std::string name() const; ///< such as "ring 50 Mbit/s p=4 1048576 B rendezvous"
};

struct Measurements {
  std::string path;       ///< path of the file, as given
  std::string file, hash; ///< its base name; XXH64 of its bytes, 16 hexadecimal digits
  std::int64_t rows = 0;
  std::vector<MeasuredCase> cases{}; ///< in the order of their first occurrence
};

/// Throws InputErrors with every mistake in the text: line, column, the value, and the allowed values.
Measurements parse_measurements(const std::string& text, const std::string& path);
Measurements load_measurements(const std::string& path);

} // namespace gradflight
