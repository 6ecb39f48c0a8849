// libFuzzer: for all bytes, a log is read or rejected, and the resulting tables are valid (checked by AddressSanitizer
// and UndefinedBehaviorSanitizer).
#include "analysis/evidence/measured/read_measured.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "tests/fuzz/require.hpp"

#include <array>
#include <cmath>
#include <string_view>

using gradflight::fuzz::require;

namespace {

/// A beginning of each format, so that the rest is read as its rows; the empty one leaves everything to the fuzzer.
constexpr std::array<std::string_view, 8> begins = {
    "",
    "# nThread 1 nGpus 1\n#  size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong\n"
    " 1048576 262144 float sum -1 100.0 10.49 15.73 0 100.0 10.49 15.73 0\n",
    "[0] # nThread 1 nGpus 1\n[0] # size count type redop time algbw busbw error\n"
    "[0] 1048576 262144 float sum 100.0 10.49 15.73 0e+00\n[0] ",
    "mpirun -np 16 -ppn 8 osu_allreduce\n# OSU MPI Allreduce Latency Test v7.2\n# Size       Avg Latency(us)\n4   "
    "20.0\n",
    "collective;ranks;size_bytes;time_us\nall_reduce;4;1048576;200,5\n",
    "numCycle,collective,nodes,ranks,size,type,redop,inplace,time,algbw,busbw,wrong\n"
    "0,AllReduce,2,16,1048576,float,sum,0,100.0,10.49,19.66,0\n",
    "{\"version\":2,\"args\":[\"all_reduce_perf\"],\"results\":[{\"size\":1048576,\"type\":\"float\",\"redop\":\"sum\","
    "\"out_of_place\":{\"time\":100.0,\"alg_bw\":10.49,\"bus_bw\":15.73},\"experiment_name\":\"all_reduce\"}",
    "{\"name\":\"AllReduce\",\"ranks\":16,\"size\":1048576,\"inPlace\":0,\"time\":100.0,\"algBw\":10.49,\"busBw\":19."
    "66}\n"};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  gradflight::AboutLog about;
  if (data[0] % 2 == 1) about.otherwise = gradflight::Operation::all_gather;
  const std::string_view begin = begins[data[0] / 6 % begins.size()];
  const std::string text = std::string(begin) + std::string(reinterpret_cast<const char*>(data) + 1, size - 1);
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
