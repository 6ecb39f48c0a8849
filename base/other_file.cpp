#include "base/other_file.hpp"

#include <algorithm>

namespace gradflight {

namespace {

std::string_view without_blanks(std::string_view begin) {
  if (begin.starts_with("\xEF\xBB\xBF")) begin.remove_prefix(3);
  return begin.substr(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
}

} // namespace

bool is_run_result(std::string_view begin) {
  const auto has = [&](std::string_view part) { return begin.find(part) != std::string_view::npos; };
  const std::string_view text = without_blanks(begin);
  const bool result = has("\"iteration_time_s\":") && has("\"exposed_communication_time_s\":") && !has("\"expect\"");
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
  const bool lines = has("# nThread ") || has("nccl-tests version") || has("# Collective test starting") ||
                     has("OSU MPI") || (has("algbw") && has("busbw"));
  return lines ? log : std::string();
}

std::string other_file(std::string_view begin) {
  const auto has = [&](std::string_view part) { return begin.find(part) != std::string_view::npos; };
  const std::string_view text = without_blanks(begin);
  if (begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF"))
    return "this is text in UTF-16, as PowerShell writes it: save it as UTF-8 first";
  if (begin.starts_with("\x1F\x8B"))
    return "this is compressed by gzip: decompress it first (a trace of PyTorch's profiler is read as it is by "
           "`gradflight "
           "import kineto`)";
  if (has("<system") && has("version=") && (has("<cpu") || has("<pci")))
    return "this is a topology as NCCL dumps it (XML): `gradflight import topology FILE` makes a node of it";
  if (has("GPU0") && (has("CPU Affinity") || has("Legend:") || has(" X ")))
    return "this is the matrix of `nvidia-smi topo -m`: `gradflight import topology FILE` makes a node of it";
  if (has("RDMA_Write BW Test") || has("RDMA_Read BW Test") || has("Send BW Test") || has("BW average["))
    return "this is a bandwidth of perftest (ib_write_bw and its like): write its average into the platform, "
           "\"nic\": { \"bandwidth\": \"197Gbps\" }, as no command reads it";
  if (has("RDMA_Write Latency Test") || has("Send Latency Test") || has("t_avg[usec]"))
    return "this is a latency of perftest (ib_write_lat and its like): write it into the platform, "
           "\"nic\": { \"latency\": \"1us\" }, as no command reads it";
  if (has("Memory type:") && has("Bandwidth, GB/s"))
    return "this is a table of ucc_perftest, which no command reads: write its sizes and times into CSV with the "
           "columns collective, ranks, size_bytes, time_us";
  if (has("\"bits_per_second\"") || has("Connecting to host"))
    return "this is iperf3's result: write its rate into the platform, \"nic\": { \"bandwidth\": \"9.4Gbps\" }, as no "
           "command reads it";
  if (is_run_result(begin))
    return "this is the result of `gradflight run --json`: `gradflight compare` and scripts read it";
  if (has("\"traceEvents\""))
    return "this is a trace (Chrome's and Perfetto's format): `gradflight import kineto FILE` reads those of PyTorch's "
           "profiler";
  if (text.starts_with("<!DOCTYPE html") || text.starts_with("<!doctype html") || text.starts_with("<html"))
    return "this is a page (HTML), which no command reads: save the log itself";
  return {};
}

} // namespace gradflight
