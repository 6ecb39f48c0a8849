// Files that are not traces, traces that end early, and memory that does not grow with the text.
#include "analysis/run/address_sanitizer.hpp"
#include "scenarios/language/import/kineto_trace.hpp"
#include "tests/scenarios/support.hpp"
#include "workloads/code/trace_workload.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <rapidcheck.h>
#include <source_dir.hpp>
#include <sys/resource.h>
#include <zlib.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

const std::string forward_only = std::string(GF_SOURCE_DIR) + "/tests/scenarios/data/kineto/forward-only.json.gz";

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string unpacked(const std::string& file) {
  gzFile in = gzopen(file.c_str(), "rb");
  std::string text(1U << 20U, '\0');
  text.resize(static_cast<std::size_t>(gzread(in, text.data(), static_cast<unsigned>(text.size()))));
  gzclose(in);
  return text;
}

/// Returns "" if the content can be read; removes file names from messages.
std::string error_of(const std::string& content, const KinetoLimits& limits = {}) {
  const TemporaryDirectory directory;
  const auto file = directory.write("t.json", content);
  const std::string error = errors_of([&] { read_kineto(file, limits); });
  return error.empty() ? error : error.substr(error.find("t.json"));
}

std::string event(const std::string& members) { return R"({"traceEvents":[{"ph":"X",)" + members + "}]}"; }

} // namespace

TEST_CASE("plain and gzip read alike") {
  const TemporaryDirectory directory;
  const auto plain = read_kineto(directory.write("plain.json", unpacked(forward_only)));
  const auto packed = read_kineto(forward_only);
  CHECK(plain.bytes == packed.bytes);
  CHECK(plain.events == packed.events);
  CHECK(plain.events == 260);
  CHECK(plain.trace.kernels.size() == packed.trace.kernels.size());
}

TEST_CASE("what is wrong with a trace, and where") {
  const auto [content, message] = GENERATE(table<std::string, std::string>({
      {"", "t.json:1:1: the JSON ends early: expected a value, got the end of the file"},
      {"[]", "a profiler trace is an object with \"traceEvents\" (at byte 1)"},
      {"3", "a profiler trace is an object with \"traceEvents\""},
      {"{}", "t.json: the file has no \"traceEvents\": it is not a profiler trace"},
      {R"({"traceEvents":3})", "\"traceEvents\" should be a list of events"},
      {R"({"traceEvents":{}})", "\"traceEvents\" should be a list of events"},
      {R"({"traceEvents":[3]})", "/traceEvents/0: an event should be an object"},
      {R"({"traceEvents":[{"ph":"i"},[]]})", "/traceEvents/1: an event should be an object"},
      {R"({"traceEvents":[{"ph":7}]})", "/traceEvents/0: \"ph\" should be a text"},
      {R"({"traceEvents":[{"ph":"X","ts":"now"}]})", "/traceEvents/0: \"ts\" should be a number of microseconds"},
      {R"({"traceEvents":[{"ph":"X","ts":[]}]})", "/traceEvents/0: \"ts\" should be a text or number"},
      {R"({"traceEvents":[{"ph":"X","dur":null}]})", "\"dur\" should be a number of microseconds"},
      {R"({"traceEvents":[{"ph":"X","args":[]}]})", "\"args\" should be an object"},
      {R"({"distributedInfo":{"world_size":"two"},"traceEvents":[]})", "\"world_size\" should be a count"},
      {event(R"("cat":"kernel","name":"k","dur":1)"), "an event of category kernel has no \"ts\""},
      {event(R"("cat":"kernel","name":"k","ts":1,"dur":-4)"), "the duration of an event is -4 us; expected 0 or more"},
      {event(R"("cat":"kernel","name":"k","ts":1)"), "an event of category kernel has no \"dur\""},
      {R"({"traceEvents":[{"ph":"B","cat":"cpu_op","ts":1}]})", "has the phase \"B\"; expected complete events"},
      {event(R"("cat":"kernel","name":"k","ts":1,"args":{"correlation":"c"})"),
       "\"correlation\" should be a whole number"},
      {event(R"("cat":"cpu_op","name":"k","ts":1,"args":{"Sequence number":1.5})"),
       "\"Sequence number\" should be a whole number"},
      {"{\"traceEvents\":[\n{\"ph\":\"X\",}]}",
       "t.json:2:12: /traceEvents/0: not valid JSON: expected a key in double quotes, got \"}\""},
      {"{\"traceEvents\":[\n{\"ph\":\"X\"", "t.json:2:10: /traceEvents/0: the JSON ends early"},
      {R"({"traceEvents":[]} more)", "not valid JSON: expected the end of the file"},
      {std::string("{\"traceEvents\":[]}\n\0{}", 21), "t.json:2:2: the file contains a NUL byte"},
      {"\x1f\x8bnot gzip", "the gzip data is damaged"},
  }));
  INFO(content);
  CHECK_THAT(error_of(content), Catch::Contains(message));
}

TEST_CASE("ROCm names streams by their address in calls, by their number in kernels") {
  const std::string call = R"("cat":"cuda_runtime","name":"hipLaunchKernel","ts":1,"args":{"correlation":7,"stream":)";
  const std::string kernel = R"({"ph":"X","cat":"kernel","name":"k","ts":2,"dur":1,"tid":3,"args":{"correlation":7}})";
  const TemporaryDirectory directory;
  const auto file =
      directory.write("t.json", R"({"traceEvents":[)" + kernel + R"(,{"ph":"X",)" + call + R"("0x0"}}]})");
  const Trace trace = read_kineto(file).trace;
  REQUIRE(trace.kernels.size() == 1);
  CHECK(trace.kernels.front().launched == 0);
  CHECK(trace.kernels.front().stream == 3);
  CHECK_THAT(error_of(event(call + "1.5}")), Catch::Contains("\"stream\" should be a whole number"));
}

TEST_CASE("sizes of PyTorch's types") {
  CHECK(dtype_bytes("Float") == 4);
  CHECK(dtype_bytes("c10::Half") == 2);
  CHECK(dtype_bytes("unsigned char") == 1);
  CHECK(dtype_bytes("long") == 8);
  CHECK(dtype_bytes("quaternion") == 0);
}

TEST_CASE("a gzip file cut anywhere is refused") {
  const std::string whole = bytes_of(forward_only);
  for (std::size_t size = 1; size < whole.size(); size += 97) {
    const std::string error = error_of(whole.substr(0, size));
    INFO(size);
    CHECK_THAT(error, Catch::Contains("ends early") || Catch::Contains("not valid JSON"));
  }
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(~damaged[whole.size() / 2]);
  CHECK_FALSE(error_of(damaged).empty());
}

TEST_CASE("a plain file cut anywhere is refused") {
  const std::string whole = unpacked(forward_only);
  REQUIRE(whole.back() == '}');
  for (std::size_t size = 0; size < whole.size(); size += 487) {
    INFO(size);
    CHECK_THAT(error_of(whole.substr(0, size)), Catch::Contains("the JSON ends early"));
  }
}

TEST_CASE("files that are none") {
  const TemporaryDirectory directory;
  CHECK_THAT(errors_of([&] { read_kineto(directory.path("absent")); }), Catch::EndsWith("absent: no such file\n"));
  CHECK_THAT(errors_of([&] { read_kineto(directory.path()); }), Catch::EndsWith(": it is a directory, not a file\n"));
}

TEST_CASE("readable traces that do not hold a training step") {
  const auto measured = [](const std::string& events) {
    const TemporaryDirectory directory;
    const auto trace = read_kineto(directory.write("t.json", "{\"traceEvents\":[" + events + "]}")).trace;
    return measure_steps(trace, find_steps(trace));
  };
  const std::string step = R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":9})";
  const std::string kernel =
      R"({"ph":"X","cat":"kernel","name":"k","ts":2,"dur":1,"args":{"stream":7,"device":0,"correlation":5}})";
  CHECK_THROWS_WITH(measured(kernel), Catch::Contains("no step annotations"));
  CHECK_THROWS_WITH(measured(step), Catch::Contains("no GPU kernels"));
  CHECK_THROWS_WITH(measured(step + "," + kernel), Catch::Contains("the trace lacks the events of the CUDA runtime"));
}

TEST_CASE("limits of a trace") {
  KinetoLimits few;
  few.records = 100;
  CHECK_THAT(error_of(unpacked(forward_only), few), Catch::Contains("more than 100 operators and kernels"));
  const std::string long_text = R"({"traceEvents":[],"x":")" + std::string(3 << 20, 'y') + "\"}";
  CHECK_THAT(error_of(long_text), Catch::Contains("a value has more than 1048576 bytes"));
  std::string deep = R"({"traceEvents":[],"x":)";
  for (int i = 0; i < 5000; ++i) deep += "[";
  CHECK_THAT(error_of(deep), Catch::Contains("nested more than 100 deep"));
}

TEST_CASE("whatever a trace's bytes are, it is imported or refused") {
  const std::string whole = unpacked(std::string(GF_SOURCE_DIR) + "/tests/scenarios/data/kineto/ddp-2-ranks.json.gz");
  const std::size_t begin = whole.find("\"traceEvents\"");
  int refused = 0;
  REQUIRE(rc::check("bytes replaced", [&] {
    std::string text = whole;
    // Mostly digits, because a parser rejects most other bytes.
    const std::string bytes = "0123456789999-.e\"{}[],";
    const auto changes = *rc::gen::inRange(1, 30);
    for (int i = 0; i < changes; ++i)
      text[*rc::gen::inRange(begin, text.size())] = bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())];
    const TemporaryDirectory directory;
    try {
      const Trace trace = read_kineto(directory.write("t.json", text)).trace;
      for (const StepTimes& step : measure_steps(trace, find_steps(trace))) workload_of_buckets(step, TraceTimes::span);
    } catch (const InputErrors&) {
      ++refused;
    } catch (const TraceError&) {
      ++refused;
    }
  }));
  CHECK(refused > 0);
}

#ifndef GF_ADDRESS_SANITIZER
TEST_CASE("memory does not grow with the text of a trace") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("big.json.gz");
  gzFile out = gzopen(path.c_str(), "wb1");
  gzputs(out, "{\"traceEvents\":[\n");
  constexpr int events = 600'000; // 100 MB
  for (int i = 0; i < events; ++i) {
    const std::string text = fmt::format(
        R"({{"ph":"X","cat":"python_function","name":"torch/nn/modules/module.py(1501): _call_impl {}","pid":1,"tid":1,"ts":{},"dur":3.25,"args":{{"Python id":{},"Python parent id":{},"Ev Idx":{}}}}},)"
        "\n",
        i % 1000, i, i, i - 1, i);
    gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  }
  gzputs(out, R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","ts":0,"dur":9}]})");
  gzclose(out);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const RecordedTrace trace = read_kineto(path);
  getrusage(RUSAGE_SELF, &after);
  CHECK(trace.events == events + 1);
  CHECK(trace.bytes > 90'000'000);
  CHECK(after.ru_maxrss - before.ru_maxrss < 8 * 1024); // KiB
}
#endif
