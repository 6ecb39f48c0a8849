// Element types of workloads: their effect on sizes and ratios, and every mistake at its position.
#include "scenarios/language/decode/canonical.hpp"
#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

void refused(const std::string& workload, const std::string& training, const std::vector<std::string>& parts) {
  const auto errors = errors_of_text(ring_text(workload, training));
  INFO(errors);
  for (const auto& part : parts) CHECK(errors.find(part) != std::string::npos);
}

constexpr const char* mixed = R"({ "tensors": [{ "elements": 8, "element": "bf16" }, { "elements": 8 }] })";

} // namespace

TEST_CASE("an element type is the workload's or a tensor's own") {
  const auto one =
      ring_scenario(R"({ "element": "bf16", "tensors": [{ "bytes": "200B" }, { "shape": [3, 5] }] })").workload;
  CHECK(one.elements() == 115);
  CHECK(one.bytes() == 230);
  CHECK(one.element() == Element::bf16);
  const auto own =
      ring_scenario(R"({ "element": "fp8", "tensors": [{ "bytes": "7B" }, { "bytes": "8B", "element": "fp32" }] })")
          .workload;
  CHECK(own.layers[0].tensors[0].elements == 7);
  CHECK(own.layers[0].tensors[1].elements == 2);
  CHECK(!own.element());
  CHECK(ring_scenario(R"({ "parameters": "10", "layers": 2, "step": "1s", "batch": 1, "element": "fp16" })")
            .workload.bytes() == 20);
  CHECK(ring_scenario(R"({ "model": "llama2-7b", "element": "bf16", "step": "1s", "batch": 1 })").workload.bytes() ==
        2.0 * 6738415616);
}

TEST_CASE("an element type may have the name that frameworks and nccl-tests use") {
  for (const auto& [name, element] :
       {std::pair("half", Element::fp16), std::pair("Float16", Element::fp16), std::pair("bfloat16", Element::bf16),
        std::pair("BF-16", Element::bf16), std::pair("fp8_e4m3", Element::fp8), std::pair("float", Element::fp32)}) {
    INFO(name);
    const Scenario s = ring_scenario(std::string(R"({ "tensors": [{ "elements": 8 }], "element": ")") + name + "\" }");
    CHECK(s.workload.element() == element);
  }
  refused(R"({ "element": "double", "tensors": [{ "elements": 1 }] })", "", {"\"double\" is not an element type"});
}

TEST_CASE("a workload with element types loads as it was shown, and fp32 shows none") {
  for (const char* workload :
       {R"({ "element": "fp8", "tensors": [{ "elements": 8 }] })", mixed, R"({ "tensors": [{ "elements": 8 }] })",
        R"({ "element": "fp32", "tensors": [{ "elements": 8, "element": "fp32" }] })"}) {
    const Scenario s = ring_scenario(workload);
    const std::string shown = canonical_json(s);
    CHECK(canonical_json(parse_scenario(shown, "again.json", {})) == shown);
    CHECK((shown.find("\"element\":") == std::string::npos) == (s.workload.element() == Element::fp32));
  }
}

TEST_CASE("a codec's own ratio is of the workload's elements, a given one stays") {
  const auto ratio = [](const char* element, const char* compression) {
    return ring_scenario(std::string(R"({ "tensors": [{ "elements": 8 }], "element": ")") + element + "\" }",
                         std::string(R"(, "compression": )") + compression)
        .phases.back()
        .training.compression.ratio;
  };
  CHECK(ratio("fp32", "\"fp16\"") == 2);
  CHECK(ratio("bf16", "\"fp16\"") == 1);
  CHECK(ratio("fp8", "\"fp16\"") == 0.5);
  CHECK(ratio("bf16", R"({ "codec": "fp16", "ratio": 2 })") == 2);
  CHECK(ratio("bf16", R"({ "ratio": 8 })") == 8);
  CHECK(ratio("bf16", "\"ternary\"") == ratio("fp32", "\"ternary\"") / 2);
}

TEST_CASE("sizes that do not divide, and types that nobody knows") {
  refused(R"({ "element": "bf16", "tensors": [{ "bytes": "7B" }] })", "",
          {"/workload/tensors/0/bytes", "\"7B\" is not a whole number of 2-byte elements (bf16)"});
  refused(R"({ "layers": [{ "tensors": [{ "elements": 1 }] }, { "tensors": [{ "bytes": "6B" }] }] })", "",
          {"/workload/layers/1/tensors/0/bytes", "\"6B\" is not a whole number of 4-byte elements"});
  refused(R"({ "element": "fp8", "tensors": [{ "bytes": "9007199254740992B" }] })", "",
          {"/workload/tensors/0/bytes", "2^51 elements"});
  refused(R"({ "element": "bf61", "tensors": [{ "elements": 1 }] })", "", {"/workload/element", "bf16"});
  refused(R"({ "tensors": [{ "elements": 1, "element": 2 }] })", "", {"/workload/tensors/0/element"});
}

TEST_CASE("what several element types, or narrow ones, do not go with") {
  refused(mixed, R"(, "compression": "fp16")", {"/training/compression", "bf16", "give a \"ratio\""});
  refused(mixed, R"(, "granularity": { "segments": 2 })",
          {"/training/granularity/segments", "fp32 and bf16", "one element type"});
  refused(mixed, R"(, "compression": { "ratio": 2, "except_below": "4B" })",
          {"/training/compression", "one element type"});
  refused(mixed, R"(, "selection": { "chunk_share": 0.5 })", {"/training/selection", "one element type"});
  refused(R"({ "element": "bf16", "tensors": [{ "elements": 8 }] })",
          R"(, "compression": { "codec": "inceptionn", "ratio": 2, "placement": "nic" })",
          {"/training/compression/placement", "reads fp32 only"});
  CHECK_NOTHROW(ring_scenario(mixed, R"(, "compression": { "codec": "fp16", "ratio": 2 })"));
}
