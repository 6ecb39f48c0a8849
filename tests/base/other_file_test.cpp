#include "base/other_file.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace gradflight;
using Catch::Matchers::Contains;

TEST_CASE("results of other programs are named") {
  const auto names = [](const std::string& text, const char* what) {
    INFO(text);
    CHECK_THAT(other_file(text), Contains(what));
  };
  const std::string ucx_header = "|    Stage     | # iterations | 50.0%ile | average | overall |\n";
  names("+---+\n|  overhead (usec) | bandwidth (MB/s) | message rate (msg/s) |\n" + ucx_header, "ucx_perftest");
  names("| API:          protocol layer |\n| Test:  tag match latency |\n| Message size: 8 |\n", "ucx_perftest");
  names("$ ucx_perftest node1 -t tag_bw\nFinal: 1000 0.0 43.2 43.2 23142.3\n", "ucx_perftest");
  names("bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n", "fabtests");
  names("tcp_bw:\n    bw  =  1.17 GB/sec\n", "qperf");
  names("MIGRATED TCP STREAM TEST from 0.0.0.0\n", "netperf");
  names("sockperf: ====> avg-latency=8.123\n", "sockperf");
  names("[ ID] Interval           Transfer     Bitrate\n[  5] 0.00-10.00 sec 11.0 GBytes 9.41 Gbits/sec sender\n",
        "iperf");
  names(R"({"event":"interval","data":{"sum":{"bits_per_second":9.41e9}}})", "iperf");
  names(R"({"nvbandwidth":{"Build Version":"v0.8"}})", "nvbandwidth");
  names("RocmBandwidthTest Version: 2.6.0\n", "nvbandwidth");
  names("---- Performance of all_reduce on 16 devices ----\nSize (Bytes)  Description  BusBW (Gbps)\n", "ds_bench");
  names("\tCOMMS-RES-all_reduce-float32-pytorch-nccl-1  size (B)\n", "PARAM");
  names("LINK TYPE TABLE:\n0000:05:00.0  SELF  XGMI\n", "amd-smi");
  names(R"({"system": {"(Topology) Link type between DRM devices 0 and 1": "XGMI"}})", "rocm-smi");
  names(" \tGPU0\tGPU1\n GPU0\tX\tOK\n\nLegend:\n\n  X    = Self\n  OK   = Status Ok\n", "topo -p2p");
  names("node1:4000:4000 [0] NCCL INFO Bootstrap : Using eth0\n", "NCCL_DEBUG");
  names(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1},)", "a trace");
  names("<!-- saved from url=(0040)https://example.com -->\n<html lang=\"en\">", "a page (HTML)");
  names("{\\rtf1\\ansi hello}", "rich text");
  names("%PDF-1.7", "a PDF");
  names("\x89PNG\r\n", "a picture");
  names("SQLite format 3", "Nsight Systems");
  names("\n@\xE2\x03\x39\x12\x35gradflight: two steps", "Perfetto's own format");
}

TEST_CASE("our own outputs are named as what they are") {
  const std::string keys = R"("iteration_time_s": {}, "exposed_communication_time_s": {} })";
  CHECK_THAT(other_file("{ " + keys), Contains("`gradflight run --json`"));
  const std::string schema = R"({ "$schema": "https://json-schema.org/draft", "title": "Gradflight result", )" + keys;
  CHECK_FALSE(is_run_result(schema));
  CHECK_THAT(other_file(schema), Contains("`gradflight schema`"));
  CHECK_THAT(benchmark_log("op,ranks,size_bytes,time_us,algbw_GBps,busbw_GBps,closed_form_us\n"),
             Contains("its times are simulated") && !Contains("--against"));
}

TEST_CASE("advice about rates says which of them is the NIC's") {
  const std::string perftest = "RDMA_Write BW Test\n #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec]\n",
                    both = "RDMA_Write Bidirectional BW Test\n #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec]\n";
  CHECK_THAT(other_file(perftest), !Contains("half"));
  CHECK_THAT(other_file(both), Contains("It is the sum of both: write half of its average"));
  const std::string iperf = "Connecting to host 10.0.0.2, port 5201\n";
  CHECK_THAT(other_file(iperf), Contains("write its rate X") && !Contains("UDP") && !Contains("--bidir"));
  CHECK_THAT(other_file(iperf + "[ ID] Interval  Transfer  Bitrate  Jitter  Lost/Total Datagrams\n"),
             Contains("only 1 Mbit/s unless -b sets a rate"));
  CHECK_THAT(other_file(R"({"start":{"test_start":{"protocol":"UDP"}},"intervals":[{"sum":{"bits_per_second":1e6}}]})"),
             Contains("only 1 Mbit/s unless -b sets a rate"));
  CHECK_THAT(other_file("[  5][TX-C]   0.00-10.00  sec  10.9 GBytes  9.39 Gbits/sec    0             sender\n"),
             Contains("one rate for each direction"));
  CHECK_THAT(other_file(R"({"start":{"version":"iperf 3.9"},"intervals":[],"end":{},"error":"error - refused"})"),
             Contains("it has no rate"));
  CHECK_THAT(other_file("iperf3: error - unable to connect to server: Connection refused\n"),
             Contains("it has no rate"));
}

TEST_CASE("what is none of these has no name") {
  for (const char* text :
       {"", "step 1 loss 10.2\n", "{\"kind\":\"platform\"}", "# nThread 1 nGpus 1\n", "<!-- a page", "\n\tblank first"})
    CHECK(other_file(text).empty());
}
