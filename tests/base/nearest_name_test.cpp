#include "base/nearest_name.hpp"

#include <catch2/catch.hpp>

using gradflight::nearest_name;
using gradflight::same_name;

TEST_CASE("the nearest known name is found") {
  const std::vector<std::string> names{"star", "racks", "fat_tree", "torus", "dragonfly", "graph"};
  CHECK(nearest_name("sta", names) == "star");
  CHECK(nearest_name("satr", names) == "star"); // neighbours swapped
  CHECK(nearest_name("fattree", names) == "fat_tree");
  CHECK(nearest_name("Torus", names) == "torus");
  CHECK(nearest_name("dragonfyl", names) == "dragonfly");
  CHECK(nearest_name("mesh", names).empty());
  CHECK(nearest_name("", names).empty());
  CHECK(nearest_name("star", {}).empty());
  CHECK(nearest_name(std::string(1000, 'x'), names).empty());
}

TEST_CASE("letters count for more than their case") {
  CHECK(nearest_name("mbps", {"Gbps", "Mbps"}) == "Mbps");
  CHECK(nearest_name("MB", {"mb", "MB"}) == "MB");
}

TEST_CASE("a name that holds a candidate with a number in it means that one") {
  const std::vector<std::string> names{"A100", "H100", "H200", "MI300X", "llama3-8b", "ring"};
  CHECK(nearest_name("H100 80GB HBM3", names) == "H100");
  CHECK(nearest_name("NVIDIA A100-SXM4-40GB", names) == "A100");
  CHECK(nearest_name("Meta-Llama-3-8B-Instruct", names) == "llama3-8b");
  CHECK(nearest_name("AMD Instinct MI300X OAM", names) == "MI300X");
  CHECK(nearest_name("a string of a ring and more", names).empty());
}

TEST_CASE("a name with a candidate among its words means that one") {
  const std::vector<std::string> names{"step", "batch", "gpu", "gpus_per_node", "nodes", "model"};
  CHECK(nearest_name("step_time", names) == "step");
  CHECK(nearest_name("micro_batch_size", names) == "batch");
  CHECK(nearest_name("num_nodes", names) == "nodes");
  CHECK(nearest_name("stepping_time", names).empty());
  CHECK(nearest_name("gpu_kind_of_it", names).empty()); // too short: the match may be chance
}

TEST_CASE("case, blanks, dashes and underscores do not tell names apart, unless they are all that does") {
  const std::vector<std::string> names{"bert-large", "gpt3-175b", "dgx-a100", "A100", "ab", "a_b", "A-B"};
  for (const char* spelt : {"bert-large", "BERT-Large", "Bert large", "bert_large", "bertlarge", "BERTLARGE"})
    CHECK(same_name(spelt, names) == "bert-large");
  CHECK(same_name("GPT-3 175B", names) == "gpt3-175b");
  CHECK(same_name("DGX A100", names) == "dgx-a100");
  CHECK(same_name("a100", names) == "A100");
  CHECK(same_name("a_b", names) == "a_b"); // an exact match
  CHECK(same_name("a b", names).empty());  // one of three candidates
  for (const char* other : {"", "-", "bert", "bert-larg", "gpt3.175b"}) CHECK(same_name(other, names).empty());
}
