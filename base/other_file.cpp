#include "base/other_file.hpp"

#include "base/letters.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace gradflight {

namespace {

std::string_view without_blanks(std::string_view begin) {
  if (begin.starts_with("\xEF\xBB\xBF")) begin.remove_prefix(3);
  return begin.substr(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
}

constexpr std::string_view chrome_trace = "this is a trace (Chrome's and Perfetto's format): `gradflight import kineto "
                                          "FILE` reads those of PyTorch's profiler";
constexpr std::string_view perftest_bandwidth =
    "this is a bandwidth of perftest (ib_write_bw and similar), which no command reads. Write its average X into the "
    "platform: \"nic\": { \"bandwidth\": \"X Gbps\" }. If the column is in MB/sec or MiB/sec, write \"X MiB/s\"";

constexpr std::string_view perftest_bidirectional =
    "this is a bandwidth of perftest in both directions at once (-b), which no command reads. It is the sum of both: "
    "write half of its average, X, into the platform: \"nic\": { \"bandwidth\": \"X Gbps\" }. If the column is in "
    "MB/sec "
    "or MiB/sec, write \"X MiB/s\"";

constexpr std::string_view gpu_copies =
    "this is a table of copies between GPUs (nvbandwidth, p2pBandwidthLatencyTest), which no command reads. Write the "
    "rate X of a pair into the platform: \"node\": { \"link\": { \"bandwidth\": \"X GB/s\" } }";
constexpr std::string_view rocm_smi =
    "this is a table of rocm-smi or amd-smi, which no command reads: `gradflight import topology FILE` takes the "
    "topology that RCCL dumps (NCCL_TOPO_DUMP_FILE)";

std::string csv_instead(std::string_view program) {
  return fmt::format(
      "this is a table of {}, which no command reads: write its sizes and times into CSV with the columns "
      "collective, ranks, size_bytes, time_us",
      program);
}

/// Returns what iperf's output is, and whether its rate may be that of the NIC.
std::string iperf(std::string_view begin) {
  const auto has = [&](std::string_view part) { return begin.find(part) != std::string_view::npos; };
  if (has("\"error\"") || has("iperf3: error"))
    return "this is a result of iperf that failed: it has no rate. Repeat the measurement, and write its rate X into "
           "the "
           "platform, \"nic\": { \"bandwidth\": \"X Gbps\" }";
  std::string text =
      "this is a result of iperf, which no command reads: write its rate X into the platform, \"nic\": { "
      "\"bandwidth\": \"X Gbps\" }";
  if (has("Datagrams") || has("\"UDP\"") || has("\"lost_packets\""))
    text += ". With UDP, iperf3 sends only 1 Mbit/s unless -b sets a rate: measure with TCP";
  else if (has("[TX-C]") || has("[TX-S]") || has("_bidir_reverse\""))
    text += ". With --bidir, iperf3 prints one rate for each direction: write one of them, not their sum";
  return text;
}

} // namespace

bool is_run_result(std::string_view begin) {
  const auto has = [&](std::string_view part) { return begin.find(part) != std::string_view::npos; };
  const std::string_view text = without_blanks(begin);
  const bool result = has("\"iteration_time_s\":") && has("\"exposed_communication_time_s\":") && !has("\"expect\"") &&
                      !has("\"$schema\"");
  if (text.starts_with("{")) return result;
  return text.starts_with("[") && (result || (has("\"scenario\":") && has("\"error\":")));
}

std::string benchmark_log(std::string_view begin) {
  const std::string log =
      "this is a log of nccl-tests, rccl-tests or OSU: `gradflight collective OP --against FILE` and "
      "`gradflight calibrate FILE` read it";
  const auto has = [&](std::string_view part) { return begin.find(part) != std::string_view::npos; };
  const std::string_view text = without_blanks(begin);
  if (text.starts_with("{") || text.starts_with("["))
    return has("\"nccl_version\"") && has("_perf\"") ? log : std::string();
  if (has("closed_form_us") && has("algbw_GBps"))
    return "this is a table of `gradflight collective --csv`, which no command reads: its times are simulated";
  const bool lines = has("# nThread ") || has("nccl-tests version") || has("# Collective test starting") ||
                     has("OSU MPI") || (has("algbw") && has("busbw"));
  return lines ? log : std::string();
}

std::string own_file(std::string_view begin) {
  std::string_view text = without_blanks(begin);
  while (text.starts_with("//")) text = without_blanks(text.substr(std::min(text.find('\n'), text.size())));
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (!text.starts_with('{')) return {};
  std::string_view kind;
  if (const std::size_t key = text.find("\"kind\""); key != std::string_view::npos) {
    const std::string_view value = text.substr(std::min(text.find('"', key + 6), text.size()));
    kind = value.substr(0, value.find('"', 1) + 1);
  }
  if (kind == "\"platform\"" || (kind.empty() && has("\"topology\"") && !has("\"platform\"")))
    return "this is a platform of Gradflight, which has no measured times: give it with --platform";
  if (kind == "\"scenario\"" || (kind.empty() && has("\"platform\"")))
    return "this is a scenario of Gradflight, which has no measured times: `gradflight run FILE` simulates it";
  return {};
}

bool is_page(std::string_view begin) {
  std::string_view text = without_blanks(begin);
  if (text.starts_with("<!--")) // "saved from url"
    if (const std::size_t end = text.find("-->"); end != std::string_view::npos)
      text = without_blanks(text.substr(end + 3));
  const std::string start = lower_case(text.substr(0, 14));
  return start.starts_with("<!doctype html") || start.starts_with("<html");
}

namespace {

/// Identifies JSON by its keys only, because its strings may quote anything.
std::string other_json(std::string_view begin) {
  const auto has = [&](std::string_view part) { return begin.find(part) != std::string_view::npos; };
  if ((has("\"intervals\"") || has("\"event\":\"")) && (has("\"bits_per_second\"") || has("\"iperf ")))
    return iperf(begin);
  if (has("\"nvbandwidth\"")) return std::string(gpu_copies);
  if (has("(Topology) Link type between DRM devices")) return std::string(rocm_smi);
  if (has("test_info") && has("MsgSize")) return std::string(perftest_bandwidth);
  if (has("\"$schema\"") && has("\"title\": \"Gradflight "))
    return "this is the JSON Schema that `gradflight schema` prints: editors and validators read it";
  if (is_run_result(begin))
    return "this is the result of `gradflight run --json`: `gradflight compare` and scripts read it";
  if (has("\"op\":") && has("\"rows\":") && has("\"busbw_GBps\":"))
    return "this is the result of `gradflight collective --json`, which no command reads";
  if (without_blanks(begin).starts_with(timeline_opening))
    return "this is a timeline of `gradflight run`, which no command reads: open it at ui.perfetto.dev";
  if (has("\"traceEvents\"") || (has("\"ph\":") && has("\"ts\":"))) return std::string(chrome_trace);
  return {};
}

/// What a program printed that measures a network without collectives: all of `words` are in its output.
struct NetworkTest {
  std::string_view program;
  std::array<std::string_view, 2> words;
};
constexpr std::array<NetworkTest, 9> network_tests = {{{"ucx_perftest", {"(usec)", "message rate (msg/s)"}},
                                                       {"ucx_perftest", {"API: ", "Message size:"}},
                                                       {"ucx_perftest", {"ucx_perftest", "Final:"}},
                                                       {"fabtests", {"#sent", "usec/xfer"}},
                                                       {"qperf", {"_bw:", "bw  ="}},
                                                       {"qperf", {"_lat:", "latency  ="}},
                                                       {"sockperf", {"sockperf:", ""}},
                                                       {"netperf", {"STREAM TEST from", ""}},
                                                       {"netperf", {"REQUEST/RESPONSE TEST from", ""}}}};

std::string network_test(std::string_view begin) {
  for (const NetworkTest& test : network_tests)
    if (std::ranges::all_of(test.words,
                            [&](std::string_view word) { return begin.find(word) != std::string_view::npos; }))
      return fmt::format(
          "this is a result of {}, which no command reads: write its average X into the platform, \"nic\": {{ "
          "\"bandwidth\": \"X Gbps\" }} or {{ \"latency\": \"X us\" }}",
          test.program);
  return {};
}

/// Programs that measure collectives, but print tables of their own.
std::string other_benchmark(std::string_view begin) {
  const auto has = [&](std::string_view part) { return begin.find(part) != std::string_view::npos; };
  if (has("#repetitions") && has("[usec]")) return csv_instead("the Intel MPI benchmarks");
  if (has("Memory type:") && has("Bandwidth, GB/s")) return csv_instead("ucc_perftest");
  if (has("---- Performance of ") && has("BusBW")) return csv_instead("DeepSpeed's ds_bench");
  if (has("COMMS-RES-")) return csv_instead("PARAM's comms benchmark");
  return {};
}

std::string other_text(std::string_view begin) {
  const auto has = [&](std::string_view part) { return begin.find(part) != std::string_view::npos; };
  if (has("<graphs") && has("<channel>"))
    return "this is the graph that NCCL searched (NCCL_GRAPH_DUMP_FILE), which no command reads: "
           "`gradflight import topology FILE` takes the topology (NCCL_TOPO_DUMP_FILE)";
  if (has("<system") && has("version=") && (has("<cpu") || has("<pci")))
    return "this is a topology as NCCL dumps it (XML): `gradflight import topology FILE` makes a node of it";
  if (has("ROCm System Management") || has("Link Type between two GPUs") || has("LINK TYPE TABLE:"))
    return std::string(rocm_smi);
  if (has("GPU0") && has("OK   = Status Ok"))
    return "this is a matrix of `nvidia-smi topo -p2p`, which names no links: `gradflight import topology FILE` takes "
           "that of `nvidia-smi topo -m`";
  if (has("GPU0") && (has("CPU Affinity") || has("Legend:") || has(" X ")))
    return "this is the matrix of `nvidia-smi topo -m`: `gradflight import topology FILE` makes a node of it";
  if (std::string benchmark = other_benchmark(begin); !benchmark.empty()) return benchmark;
  if (has("Bidirectional BW Test")) return std::string(perftest_bidirectional);
  if (has("RDMA_Write BW Test") || has("RDMA_Read BW Test") || has("Send BW Test") || has("BW average["))
    return std::string(perftest_bandwidth);
  if (has("RDMA_Write Latency Test") || has("RDMA_Read Latency Test") || has("Send Latency Test") ||
      has("t_avg[usec]") || has("t_typical[usec]"))
    return "this is a latency of perftest (ib_write_lat and similar), which no command reads: write it into the "
           "platform, \"nic\": { \"latency\": \"X us\" }";
  if (has("Connecting to host") || has("Server listening on") || has("[ ID] Interval") || has("iperf3: error") ||
      ((has("[TX-C]") || has("[TX-S]")) && has("bits/sec")) || (has("local ") && has(" connected ") && has("bits/sec")))
    return iperf(begin);
  if (has("nvbandwidth Version") || has("GPU Bandwidth Latency Test") || has("RocmBandwidthTest"))
    return std::string(gpu_copies);
  if (std::string network = network_test(begin); !network.empty()) return network;
  if (has(" NCCL INFO ") || has(" NCCL WARN "))
    return "this is NCCL's debug output (NCCL_DEBUG), which has no times: give the output of nccl-tests or OSU";
  if (is_page(begin)) return "this is a page (HTML), which no command reads: save the log itself";
  return {};
}

/// Perfetto's own format begins with the field of a packet and its length; text does not have such control bytes.
bool is_perfetto(std::string_view begin) {
  constexpr std::size_t first_packet = 64;
  return begin.starts_with('\n') &&
         std::ranges::any_of(begin.substr(0, first_packet), [](char c) { return c > 0 && c < '\b'; });
}

struct Packer {
  std::string_view begin, name, advice; ///< `begin`: the first bytes of a file of this packer
};

/// Files of other programs that hold no text.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> binaries = {
    {{"%PDF-", "a PDF"},
     {"\x89PNG", "a picture"},
     {"\xFF\xD8\xFF", "a picture"},
     {"SQLite format 3", "a database, as Nsight Systems exports"},
     {"NVIDIA Nsight", "a report of Nsight Systems"},
     {"\x7F"
      "ELF",
      "a program"},
     {"\x80\x04\x95", "a pickle of Python"},
     {"\x89HDF", "an HDF5 file"},
     {"\xD0\xCF\x11\xE0", "an old Office document"}}};

constexpr std::array<Packer, 5> packers = {
    Packer{"\x1F\x8B", "gzip", " (`gradflight import kineto` reads packed traces of PyTorch's profiler)"},
    Packer{"\3757zXZ", "xz", ""}, Packer{"\x28\xB5\x2F\xFD", "zstd", ""}, Packer{"BZh", "bzip2", ""},
    Packer{"PK\x03\x04", "zip", " (a spreadsheet is zip, too: save it as CSV)"}};

} // namespace

std::string packed_file(std::string_view begin) {
  for (const Packer& packer : packers)
    if (begin.starts_with(packer.begin))
      return fmt::format("this file is packed with {}: unpack it first{}", packer.name, packer.advice);
  return {};
}

std::string other_file(std::string_view begin) {
  if (begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF"))
    return "this is text in UTF-16, as PowerShell writes it: save it as UTF-8 first";
  if (std::string packed = packed_file(begin); !packed.empty()) return packed;
  for (const auto& [start, name] : binaries)
    if (begin.starts_with(start)) return fmt::format("this is {}, which no command reads: save the text itself", name);
  if (is_perfetto(begin))
    return "this is a trace in Perfetto's own format, which no command reads: open it at ui.perfetto.dev";
  const std::string_view text = without_blanks(begin);
  if (text.starts_with("{\\rtf")) return "this is rich text (RTF): save it as plain text first";
  const bool list = text.starts_with('[') && without_blanks(text.substr(1)).starts_with('{');
  return list || text.starts_with('{') ? other_json(begin) : other_text(begin);
}

} // namespace gradflight
