// nic_tables [--up-to BYTES] [--check FILE]: prints the tables of docs/nic.md; exits with 1 if one of their lines is
// not in FILE. Tables by size stop at BYTES, by default 10^8.
#include "tests/nic/tables.hpp"

#include <fmt/core.h>
#include <fstream>
#include <set>
#include <stdexcept>

int main(int count, char** arguments) try {
  std::int64_t up_to = 100'000'000;
  std::string file;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    if (name == "--up-to")
      up_to = std::stoll(arguments[i + 1]);
    else if (name == "--check")
      file = arguments[i + 1];
    else
      throw std::invalid_argument("nic_tables [--up-to BYTES] [--check FILE]");
  }
  std::set<std::string> known;
  if (!file.empty()) {
    std::ifstream in(file);
    if (!in) throw std::invalid_argument("cannot read " + file);
    for (std::string line; std::getline(in, line);) known.insert(line);
  }
  int missing = 0;
  for (const tables::Lines& table : {tables::side_by_side(10'000'000), tables::agreement_by_size(up_to),
                                     tables::other_engines(), tables::changing_ratio(), tables::inceptionn()}) {
    for (const std::string& line : table) {
      const bool absent = !file.empty() && !known.contains(line);
      missing += absent ? 1 : 0;
      if (file.empty() || absent) fmt::print("{}\n", line);
    }
    if (file.empty()) fmt::print("\n");
  }
  if (missing > 0) fmt::print(stderr, "nic_tables: {} lines are not in {}\n", missing, file);
  return missing > 0 ? 1 : 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "nic_tables: {}\n", error.what());
  return 2;
}
