// Short workloads and compression: their meanings, and every mistake at its position.
#include "scenarios/language/decode/canonical.hpp"
#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

void refused_short(const std::string& workload, const std::vector<std::string>& parts) {
  const auto text = errors_of_text(ring_text(workload));
  INFO(text);
  for (const auto& part : parts) CHECK(text.find(part) != std::string::npos);
}

} // namespace

TEST_CASE("parameters are divided among layers, the first of which are one larger") {
  const auto workload = ring_scenario(R"({ "parameters": "10", "layers": 4, "step": "450ms", "batch": 32 })").workload;
  REQUIRE(workload.layers.size() == 4);
  CHECK(workload.layers[0].tensors.at(0).elements == 3);
  CHECK(workload.layers[1].tensors.at(0).elements == 3);
  CHECK(workload.layers[2].tensors.at(0).elements == 2);
  CHECK(workload.layers[3].tensors.at(0).elements == 2);
  for (const Layer& layer : workload.layers) {
    CHECK(layer.forward == Approx(0.15 / 4).epsilon(1e-12));
    CHECK(layer.backward == Approx(0.3 / 4).epsilon(1e-12));
  }
  CHECK(workload.update == 0);
  CHECK(workload.batch == 32);
  CHECK(workload.assumed == "layers of equal size and time");
}

TEST_CASE("numbers of parameters") {
  const auto elements = [](const std::string& text) {
    return ring_scenario(R"({ "parameters": )" + text + R"(, "layers": 1 })").workload.elements();
  };
  CHECK(elements("335000000") == 335'000'000);
  CHECK(elements("3.35e8") == 335'000'000);
  CHECK(elements(R"("335M")") == 335'000'000);
  CHECK(elements(R"("6.7B")") == 6'700'000'000);
  CHECK(elements(R"("1.5k")") == 1'500);
  CHECK(elements(R"("1T")") == 1'000'000'000'000);
  for (const char* wrong : {R"("")", R"("M")", R"("335m")", R"("1.5")", R"("-1M")", R"("1.0005k")", R"("5000T")", "0",
                            "0.5", R"("3.M")", "true", R"("99999999999999999999")"})
    refused_short(std::string(R"({ "parameters": )") + wrong + R"(, "layers": 1 })",
                  {"/workload/parameters", "is not a number of parameters"});
}

TEST_CASE("a model of the catalogue has its own layers: a step is split by operations") {
  const auto bert = ring_scenario(R"({ "model": "bert-large", "step": "450ms", "batch": 32 })").workload;
  CHECK(bert.elements() == 336'226'108);
  CHECK(bert.layers.size() == 52);
  CHECK(bert.forward() == Approx(0.15).epsilon(1e-12));
  CHECK(bert.backward() == Approx(0.3).epsilon(1e-12));
  CHECK(bert.assumed.empty());
  CHECK(ring_scenario(R"("resnet50")").workload.elements() == 25'557'032);
}

TEST_CASE("a model on a GPU takes its operations at a share of the peak, which is reported as assumed") {
  const auto on = [](const std::string& more) {
    return ring_scenario(R"({ "model": "llama2-7b", "gpu": "A100", "batch": 2)" + more + "}").workload;
  };
  const double flops = 62'921'270'886'400;
  CHECK(on("").forward() == Approx(2 * flops / (0.4 * 312e12)).epsilon(1e-9));
  CHECK(on("").backward() == Approx(4 * flops / (0.4 * 312e12)).epsilon(1e-9));
  CHECK(on("").assumed == "40 % of A100's 312 TFLOP/s");
  CHECK(on(R"(, "gpu_utilisation": 0.5)").forward() == Approx(2 * flops / 156e12).epsilon(1e-9));
}

TEST_CASE("the canonical form of a workload in short reads back the same, and names do not change the id") {
  for (const char* workload : {R"({ "model": "bert-large", "gpu": "V100", "batch": 4 })",
                               R"({ "parameters": "7M", "layers": 3, "step": "1s" })",
                               R"({ "model": "bert-large", "gpu": "H100", "step": "1s" })"}) {
    const auto text = canonical_json(ring_scenario(workload));
    CHECK(canonical_json(parse_scenario(text, "s.json")) == text);
  }
  CHECK(scenario_id(ring_scenario(R"({ "parameters": "7M", "layers": 3, "step": "1s", "gpu": "A100" })")) ==
        scenario_id(ring_scenario(R"({ "parameters": "7M", "layers": 3, "step": "1s" })")));
}

TEST_CASE("names of models and GPUs are read as people spell them") {
  const auto id = [](const std::string& model, const std::string& gpu) {
    return scenario_id(ring_scenario(R"({ "model": ")" + model + R"(", "gpu": ")" + gpu + R"(", "batch": 1 })"));
  };
  const std::string bert = id("bert-large", "RTX3090"), gpt = id("gpt3-175b", "H100");
  for (const char* model : {"BERT-Large", "bert large", "Bert_Large"})
    for (const char* gpu : {"rtx3090", "RTX 3090", "rtx-3090"}) CHECK(id(model, gpu) == bert);
  CHECK(id("gpt3 175b", "h100") == gpt);
  CHECK(id("GPT-3 175B", "H-100") == gpt);
}

TEST_CASE("mistakes in workloads in short") {
  refused_short(R"({ "parameters": "335M" })", {"/workload/parameters", "\"layers\" is missing"});
  refused_short(R"({ "layers": 3 })", {"/workload/layers", "needs \"parameters\""});
  refused_short(R"({ "parameters": "5", "layers": 24 })",
                {"/workload/layers", "24 layers need at least as many parameters, not 5"});
  refused_short(R"({ "parameters": "5M", "layers": [ { "tensors": [ { "bytes": "4B" } ] } ] })",
                {"/workload/parameters", "the layers have their own tensors"});
  refused_short(R"({ "parameters": "5M", "layers": 2, "gpu": "A100" })", {"/workload/gpu", "\"step\" is missing"});
  refused_short(R"({ "model": "bert-larg", "step": "1s" })", {"/workload/model", "did you mean \"bert-large\"?"});
  refused_short(R"({ "model": "bert-large", "gpu": "A10O", "batch": 1 })", {"/workload/gpu", "did you mean \"A100\"?"});
  refused_short(R"({ "model": "bert-large", "gpu": "A100" })",
                {"/workload/gpu", "\"batch\" (samples per rank and iteration) or \"step\" is missing"});
  refused_short(R"({ "model": "bert-large", "step": "0s" })", {"/workload/step"});
  refused_short(R"({ "model": "bert-large", "step": "1s", "compute": { "total": "1s" } })", {"/workload/step"});
  refused_short(R"({ "layers": [ { "forward": "1s", "tensors": [ { "bytes": "4B" } ] } ], "step": "1s" })",
                {"/workload/step", "have their own times"});
  refused_short(R"({ "parameters": "x", "layers": 0, "step": "fast", "gpu": "A1" })",
                {"/workload/parameters", "/workload/layers", "/workload/step", "/workload/gpu"}); // all at once
}

TEST_CASE("a codec's name stands for its nominal ratio where no tensors tell") {
  const auto ratio = [](const std::string& compression) {
    return ring_scenario(R"({ "parameters": "1M", "layers": 1 })", R"(, "compression": )" + compression)
        .phases.back()
        .training.compression.ratio;
  };
  CHECK(ratio(R"("fp16")") == 2);
  CHECK(ratio(R"("bf16")") == 2);
  CHECK(ratio(R"({ "codec": "truncate", "lsb_bits": 24 })") == 4);
  CHECK(ratio(R"({ "codec": "inceptionn", "ratio": 5.5 })") == 5.5);
  const auto text =
      canonical_json(ring_scenario(R"({ "parameters": "1M", "layers": 1 })", R"(, "compression": "fp16")"));
  CHECK(canonical_json(parse_scenario(text, "s.json")) == text);
  const auto mistakes = [](const std::string& compression) {
    return errors_of_text(ring_text(R"({ "parameters": "1M", "layers": 1 })", R"(, "compression": )" + compression));
  };
  CHECK(mistakes(R"("fp15")").find("did you mean \"fp16\"?") != std::string::npos);
  CHECK(mistakes("{}").find("\"codec\", \"ratio\" or \"tensors\" is missing") != std::string::npos);
  CHECK(mistakes(R"("threelc")").find("it keeps a residual for the next step") != std::string::npos);
}
