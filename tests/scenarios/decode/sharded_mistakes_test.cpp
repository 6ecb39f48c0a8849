// Sharded exchanges: valid settings, defaults, and rejected settings.
#include "models/schedules/parts/collective.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>
#include <source_dir.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

namespace {

const std::string shards_alone = R"(training={"exchange":{"algorithm":"sharded"}})";

std::string refused_shards(const std::string& keys, const std::string& beside = "") {
  return errors_with({R"(training={"exchange":{"algorithm":"sharded")" + keys + "}" + beside + "}"});
}

} // namespace

TEST_CASE("a sharded exchange without more is FSDP, layer by layer, round rings") {
  const TrainingSpec training = with({shards_alone}).phases[0].training;
  CHECK(is_sharded(training.exchange));
  CHECK(training.exchange.sharded.stage == 3);
  CHECK(training.exchange.sharded.prefetch == 1);
  CHECK(training.exchange.sharded.reshard_after_forward);
  CHECK_FALSE(training.exchange.sharded.no_sync);
  CHECK(training.exchange.all_gather == AllGather::ring);
  CHECK(training.granularity.kind == Granularity::Kind::layer);
  CHECK(with({shards_alone, "training.granularity=model"}).phases[0].training.granularity.kind ==
        Granularity::Kind::model);
  CHECK(
      with({shards_alone, "training.exchange.all_gather=recursive_doubling"}).phases[0].training.exchange.all_gather ==
      AllGather::recursive_doubling);
  CHECK(with({"training.granularity=layer"}).phases[0].training.granularity.kind == Granularity::Kind::layer);
}

TEST_CASE("a sharded exchange is written with all that it reads, and read again") {
  for (const std::string keys :
       {R"(,"stage":1,"pull_at":"first_use")", R"(,"stage":2,"no_sync":true,"group_size":4,"top":"halving_doubling")",
        R"(,"stage":3,"prefetch":0,"reshard_after_forward":false,"reduce_scatter":"recursive_halving")",
        R"(,"group_size":100)"}) {
    INFO(keys);
    const Scenario s = with({R"(training={"exchange":{"algorithm":"sharded")" + keys + "}}"});
    const std::string text = canonical_json(s);
    CHECK(canonical_json(parse_scenario(text, "again.json")) == text);
    for (const char* key : {"stage", "pull_at", "no_sync", "group_size", "top", "prefetch", "reshard_after_forward"})
      if (keys.find(std::string("\"") + key) != std::string::npos)
        CHECK(text.find(std::string("\"") + key) != std::string::npos);
  }
}

TEST_CASE("what makes no sense with shards is refused, with its place and the reason") {
  CHECK_THAT(refused_shards(R"(,"stage":4)"), Contains("/training/exchange/stage: expected an integer from 1 to 3"));
  CHECK_THAT(refused_shards(R"(,"group_size":3)"),
             Contains("/training/exchange/group_size: 8 ranks cannot be divided into equal groups of 3"));
  CHECK_THAT(refused_shards(R"(,"stage":2,"prefetch":2)"),
             Contains("\"prefetch\" has no effect here: it needs algorithm sharded and stage 3"));
  CHECK_THAT(refused_shards(R"(,"stage":1,"no_sync":true)"), Contains("it needs algorithm sharded and stage 2 or 3"));
  CHECK_THAT(refused_shards(R"(,"pull_at":"once")"), Contains("\"pull_at\" has no effect here"));
  CHECK_THAT(refused_shards(R"(,"top":"ring")"), Contains("\"top\" has no effect here"));
  CHECK_THAT(refused_shards(R"(,"group_size":2,"top":"gtopk")"), Contains("/training/exchange/top: \"gtopk\" is not"));
  CHECK_THAT(refused_shards(R"(,"reduce_scatter":"rings")"), Contains("did you mean \"ring\"?"));
  CHECK_THAT(refused_shards("", R"(,"every":2)"), Contains("/training/every: must be 1 with a sharded exchange"));
  CHECK_THAT(refused_shards("", R"(,"overlap":{"pipelined":2})"),
             Contains("/training/overlap: a sharded exchange cannot overlap"));
  CHECK_THAT(refused_shards("", R"(,"selection":{"chunk_share":0.5})"),
             Contains("/training/exchange/algorithm: with \"selection\", the exchange must be an all-reduce"));
  CHECK_THAT(refused_shards("",
                            R"(,"compression":{"tensors":")" GF_SOURCE_DIR "/tests/scenarios/data/gradients/version-1"
                            R"("})"),
             Contains("/training/compression/tensors: a sharded exchange also sends parameters"));
}

TEST_CASE("scatters and gathers are legs that are compressed one without the other") {
  CHECK(refused_shards("", R"(,"compression":{"ratio":2,"legs":["pull"]})").empty());
  CHECK_THAT(errors_with({R"(training.compression={"ratio":2,"legs":["pull"]})"}),
             Contains("only algorithm parameter_server or sharded can compress"));
}
