// Compares current models with their published numbers of parameters, and FLOPs with the rule of thumb.
#include "tests/workloads/catalogue.hpp"

#include <map>

using namespace gradflight;
using namespace gradflight::testing;

TEST_CASE("every model has the parameters that its publication counts") {
  // Sources: checkpoints and papers (given in the files). GPT models except GPT-2 have the vocabulary padded to 51,200.
  const std::map<std::string, std::int64_t> parameters = {
      {"bert-large", 336'226'108},      {"dlrm-dcnv2", 16'044'545},     {"gpt-1t", 1'008'038'758'400},
      {"gpt-22b", 22'074'273'792},      {"gpt-530b", 529'600'819'200},  {"gpt2", 124'439'808},
      {"gpt3-175b", 174'615'846'912},   {"llama2-70b", 68'976'648'192}, {"llama2-7b", 6'738'415'616},
      {"llama3-405b", 405'853'388'800}, {"llama3-70b", 70'553'706'496}, {"llama3-8b", 8'030'261'248},
      {"mixtral-8x7b", 46'702'792'704}, {"vit-l-16", 304'326'632}};
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir / "workloads/models")) {
    const auto model = read_json(entry.path());
    const std::string name = entry.path().stem().string();
    INFO(name);
    REQUIRE(parameters.contains(name));
    CHECK(model.at("name") == name);
    std::int64_t sum = 0;
    double forward = 0, backward = 0;
    for (const auto& layer : model.at("layers")) {
      for (const auto& tensor : layer.at("tensors")) sum += size_of(tensor.at("shape"));
      forward += layer.at("flops_forward").get<double>();
      backward += layer.at("flops_backward").get<double>();
    }
    CHECK(sum == parameters.at(name));
    CHECK(backward == 2 * forward);
    ++found;
  }
  CHECK(found == parameters.size());
}
