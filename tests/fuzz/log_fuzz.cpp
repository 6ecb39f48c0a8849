// libFuzzer: whatever the bytes, a log is read or refused, and what is read keeps its promises (AddressSanitizer and
// UndefinedBehaviorSanitizer watch).
#include "analysis/evidence/measured/read_measured.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  gradflight::AboutLog about;
  if (data[0] % 2 == 1) about.otherwise = gradflight::Operation::all_gather;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    std::vector<gradflight::Diagnostic> notes;
    const auto tables = gradflight::parse_measured(text, data[0] % 3 == 0 ? "x.csv" : "x", about, &notes);
    require(!tables.empty(), "a log without a table was read");
    for (const auto& table : tables) {
      require(!table.rows.empty(), "a table has no rows");
      double last = -1;
      for (const auto& row : table.rows) {
        require(row.size_bytes > last, "sizes do not grow");
        require(row.time_us > 0 && std::isfinite(row.time_us), "a time is not above 0");
        last = row.size_bytes;
      }
    }
  } catch (const gradflight::InputErrors& errors) {
    require(!errors.diagnostics().empty(), "refused without a reason");
  }
  return 0;
}
