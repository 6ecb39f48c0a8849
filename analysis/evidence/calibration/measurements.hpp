// Measured times from a CSV file: rows of repetitions, gathered into cases.
//
// Header: experiment,rate_mbit,p,bytes,algorithm,rep,seconds, in any order. Further columns are paths of a scenario
// ("training.exchange.servers"): their values are set for the row as `--set` does. Fields hold no commas and no quotes.
// Columns of the text count from 1, in characters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gradflight {

/// What a further column sets for a case.
struct CaseSetting {
  std::string path, value;
  int header_column = 1, column = 1; ///< where the path and the value stand
};

struct MeasuredCase {
  std::string experiment; ///< a known one (experiments.hpp), or a scenario's file name that ends in .json
  std::string algorithm;  ///< "eager", "rendezvous", or what else it says
  double rate_mbit = 0;   ///< nominal rate of the links, 10^6 bit/s; 0 where no link matters (reduce)
  int p = 0;              ///< workers
  std::int64_t bytes = 0;
  std::vector<CaseSetting> sets{}; ///< of the further columns that are not empty
  std::vector<double> seconds{};   ///< of its repetitions, in the order of the file
  int line = 0;                    ///< of the first of them
  struct Columns {
    int experiment = 1, rate_mbit = 1, p = 1, bytes = 1;
  } columns{}; ///< where these stand in that line

  [[nodiscard]] double median() const;
  [[nodiscard]] std::string name() const; ///< "ring 50 Mbit/s p=4 1048576 B rendezvous"
};

struct Measurements {
  std::string path;       ///< of the file, as given
  std::string file, hash; ///< its base name; XXH64 of its bytes, 16 hexadecimal digits
  std::int64_t rows = 0;
  std::vector<MeasuredCase> cases{}; ///< in the order in which they first occur
};

/// Throws InputErrors with every error of the text: line, column, the value and what is allowed.
Measurements parse_measurements(const std::string& text, const std::string& path);
Measurements load_measurements(const std::string& path);

} // namespace gradflight
