// Codecs with a placement in the simulator. A NIC's streaming engines are compared with the closed form of one message,
// and with weighted max-min rates by hand. Codecs on a GPU or CPU are compared with hand-computed steps.
#include "models/codecs/catalogue.hpp"
#include "models/nic/stream_cost.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "tests/oracles/weighted_max_min.hpp"
#include "tests/support/forked.hpp"
#include "workloads/code/npy.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

namespace fs = std::filesystem;

constexpr double alpha = 10e-6; // two cables of star()

double part(const ForkedRun& o, Part p) { return at(o.path, p); }

Scenario in_nic(Scenario s, double ratio, bool push = true, bool pull = true) {
  CompressionSpec& c = training(s).compression;
  c.ratio = ratio;
  c.placement = CodecPlacement::nic;
  c.push = push;
  c.pull = pull;
  s.platform.nic.emplace();
  return s;
}

/// Two nodes and two steps; each step has one message of n elements per direction, alone on its link.
Scenario two_messages(std::int64_t n, double gbps, double ratio, bool encoded = true) {
  Scenario s = in_nic(star(2, 2 * n, Algorithm::ring, 0), ratio, encoded, encoded);
  s.platform.network.link.bandwidth = ByteRate(gbps * 1e9 / 8);
  return s;
}

/// One gradient for each worker, in a temporary folder that is deleted with the object.
class OwnGradients {
public:
  explicit OwnGradients(const std::vector<std::vector<float>>& workers)
      : workers_(static_cast<int>(workers.size())), elements_(static_cast<std::int64_t>(workers[0].size())) {
    char name[] = "/tmp/gradflight-test-XXXXXX";
    directory_ = mkdtemp(name);
    fs::create_directory(fs::path(directory_) / "only");
    for (std::size_t w = 0; w < workers.size(); ++w) {
      const std::size_t shape[] = {workers[w].size()};
      const auto header = npy_header(shape);
      std::ofstream file(fs::path(directory_) / "only" / ("worker-" + std::to_string(w) + ".npy"), std::ios::binary);
      file.write(reinterpret_cast<const char*>(header.data()), static_cast<std::streamsize>(header.size()));
      file.write(reinterpret_cast<const char*>(workers[w].data()),
                 static_cast<std::streamsize>(workers[w].size() * sizeof(float)));
    }
  }
  ~OwnGradients() { fs::remove_all(directory_); }
  OwnGradients(const OwnGradients&) = delete;
  OwnGradients& operator=(const OwnGradients&) = delete;
  [[nodiscard]] GradientFiles files() const { return {directory_, {"only"}, workers_, elements_}; }

private:
  std::string directory_;
  int workers_;
  std::int64_t elements_;
};

std::size_t encoded_bytes(const std::vector<float>& values) {
  const auto codec = codec::make_codec(codec::default_settings("inceptionn"));
  std::vector<std::byte> bytes;
  codec->encode(values, {}, bytes, 0);
  return bytes.size();
}

} // namespace

TEST_CASE("a message alone takes what nic_stream_time says, 1 KB to 100 MB") {
  const NicSpec nic;
  for (const std::int64_t bytes : {1'000, 1'460, 10'004, 1'000'000, 100'000'000})
    for (const double gbps : {1.0, 10.0, 40.0, 100.0})        // from wire-bound to engine-bound
      for (const double ratio : {0.0, 1.0, 2.5, 5.5, 16.0}) { // 0: an ordinary packet
        const bool encoded = ratio > 0;
        const auto stream = nic_stream(bytes, encoded ? static_cast<double>(bytes) / ratio : 0, encoded);
        const double one = nic_stream_time(nic, nic, stream, ByteRate(gbps * 1e9 / 8)).value();
        const ForkedRun o = run(two_messages(bytes / 4, gbps, encoded ? ratio : 1, encoded));
        INFO(bytes << " bytes at " << gbps << " Gbps, ratio " << ratio);
        REQUIRE(!o.failed);
        REQUIRE(o.time == Approx(2 * (alpha + one)).epsilon(1e-12));
        REQUIRE(sum(o.path) == Approx(o.time).epsilon(1e-12));
        REQUIRE(part(o, Part::contention) == 0);
        const StreamCost cost = nic_stream_cost(nic, nic, stream, ByteRate(gbps * 1e9 / 8));
        REQUIRE(o.wire_bytes == Approx(4 * cost.wire_bytes.value()).epsilon(1e-12));
        const bool engine_bound = cost.stage_rate() < ByteRate(gbps * 1e9 / 8);
        REQUIRE((part(o, Part::nic_engine) > 0) == engine_bound);
      }
}

TEST_CASE("an engine's stages are links of the result, loaded with what passes them") {
  const NicSpec nic;
  const std::int64_t n = 2'500'000;
  const ForkedRun o = run(two_messages(n, 10, 5.5));
  const auto stream = nic_stream(4 * n, 4.0 * static_cast<double>(n) / 5.5, true);
  const StreamCost cost = nic_stream_cost(nic, nic, stream, ByteRate(1.25e9));
  REQUIRE(o.link_bytes.size() == 4 + 2 * nic_stages); // two cables, two NICs
  for (std::size_t node = 0; node < 2; ++node)
    for (std::size_t stage = 0; stage < nic_stages; ++stage)
      CHECK(o.link_bytes[4 + node * nic_stages + stage] ==
            Approx(2 * cost.wire_bytes.value() * cost.stages[stage].weight).epsilon(1e-12));
  // Engine-bound: while the message flows, its slowest stage is fully used.
  const double busy = o.link_busy[4 + 3];
  CHECK(o.link_bytes[4 + 3] == Approx(busy * nic.dense_capacity().value()).epsilon(1e-12));
}

TEST_CASE("two streams of different ratios share a NIC as weighted max-min says") {
  // Worker 0 pushes zeros (ratio 16), and worker 1 pushes values that do not compress, to one server at 10 Gbps.
  const std::size_t n = 500'000;
  const std::vector<float> zeros(n, 0.0F), ones(n, 1.5F);
  const OwnGradients gradients({zeros, ones});
  Scenario s = in_nic(star(2, static_cast<std::int64_t>(n), Algorithm::parameter_server, 0), 1, true, false);
  training(s).compression.tensors = gradients.files();
  training(s).compression.codec = codec::default_settings("inceptionn");
  const ForkedRun o = run(s);
  REQUIRE(!o.failed);

  const NicSpec nic;
  const ByteRate wire(1.25e9);
  const auto dense = static_cast<std::int64_t>(4 * n);
  const StreamCost a =
      nic_stream_cost(nic, nic, nic_stream(dense, static_cast<double>(encoded_bytes(zeros)), true), wire);
  const StreamCost b =
      nic_stream_cost(nic, nic, nic_stream(dense, static_cast<double>(encoded_bytes(ones)), true), wire);
  REQUIRE(b.wire_bytes.value() > 9 * a.wire_bytes.value());
  // Resources: the server's cable and the stages of its decompressor, and each worker's own compressor and cable.
  const double engine = nic.dense_capacity().value();
  const std::vector<double> capacities = {1.25e9, engine, engine, 1.25e9, engine, engine, 1.25e9, engine, engine};
  const auto flow = [](const StreamCost& cost, std::size_t own) {
    return WeightedFlow{{{0, 1},
                         {1, cost[NicStage::receiver_input].weight},
                         {2, cost[NicStage::receiver_output].weight},
                         {own, 1},
                         {own + 1, cost[NicStage::sender_input].weight},
                         {own + 2, cost[NicStage::sender_output].weight}},
                        1};
  };
  const std::vector<WeightedFlow> both = {flow(a, 3), flow(b, 6)};
  const auto rates = weighted_max_min(capacities, both);
  REQUIRE(rates[0] == Approx(rates[1])); // the shared decompressor limits both: equal rates
  REQUIRE(rates[0] < 0.49 * 1.25e9);
  const double alone_b = std::min(1.25e9, b.stage_rate().value());
  REQUIRE(a.fill.value() == b.fill.value()); // both begin together
  const double a_end = a.wire_bytes.value() / rates[0];
  const double b_end = a_end + (b.wire_bytes.value() - rates[1] * a_end) / alone_b;
  const double pushed = alpha + b.fill.value() + b_end + b.tail.value();
  // The pull: two ordinary streams from the server at the same time.
  const StreamCost plain = nic_stream_cost(nic, nic, nic_stream(dense, 0, false), wire);
  const double half = std::min(1.25e9, plain.stage_rate().value()) / 2;
  const double pulled = alpha + (plain.fill + plain.tail).value() + plain.wire_bytes.value() / half;
  CHECK(o.time == Approx(pushed + pulled).epsilon(1e-12));
  CHECK(o.push_wire == static_cast<double>(encoded_bytes(zeros) + encoded_bytes(ones)));
}

TEST_CASE("the GPUs of a node share its cable and its engines, sending and receiving") {
  // Two nodes of two GPUs, with ranks alternating between nodes. In each step of the ring, each NIC sends two messages
  // and receives two.
  const NicSpec nic;
  const std::int64_t block = 250'000;
  for (const double gbps : {10.0, 100.0})
    for (const double ratio : {1.0, 2.0, 11.0}) {
      Scenario s = in_nic(star(2, 4 * block, Algorithm::ring, 0), ratio);
      s.platform.gpus_per_node = 2;
      s.placement = Placement::cyclic;
      s.platform.network.link.bandwidth = ByteRate(gbps * 1e9 / 8);
      const ByteRate wire(gbps * 1e9 / 8);
      const StreamCost cost =
          nic_stream_cost(nic, nic, nic_stream(4 * block, 4.0 * static_cast<double>(block) / ratio, true), wire);
      const double held_rate = std::min(wire, cost.stage_rate()).value() / 2;
      const double step = alpha + (cost.fill + cost.tail).value() + cost.wire_bytes.value() / held_rate;
      const ForkedRun o = run(s);
      INFO(gbps << " Gbps, ratio " << ratio);
      CHECK(o.time == Approx(6 * step).epsilon(1e-12));
      CHECK(part(o, Part::contention) == Approx(6 * cost.wire_bytes.value() / (2 * held_rate)).epsilon(1e-9));
    }
}

TEST_CASE("a NIC's codec counts on the link as it is once it is up") {
  // Node 3 is down until 30 ms, and the passes end at 12 ms. Every block goes by node 3, so the ring begins at 30 ms.
  // By then, alpha has passed, and its NIC's engine is full.
  Scenario s = star(4, 1'000'000, Algorithm::ring, 0);
  s.workload.layers[0].backward = 0.012;
  CompressionSpec& compression = training(s).compression;
  compression.codec = codec::default_settings("inceptionn");
  compression.ratio = 4;
  compression.placement = CodecPlacement::nic;
  const double always_up = run(s, EngineKind::hybrid).time;
  for (const auto& [at, up] : {std::pair(0.01, false), std::pair(0.03, true)}) {
    ChangeSpec change;
    change.at = Seconds(at);
    change.nic = "node3";
    change.up = up;
    s.changes.push_back(change);
  }
  const ForkedRun outcome = run(s, EngineKind::hybrid);
  INFO(outcome.message);
  REQUIRE_FALSE(outcome.failed);
  const StreamCost block =
      nic_stream_cost({}, {}, nic_stream(1'000'000, 250'000, true), s.platform.network.link.bandwidth);
  const double ahead = block.fill.value() + alpha;
  CHECK(outcome.time == Approx(always_up + 0.018 - ahead).epsilon(1e-12));
}

TEST_CASE("a codec in software that takes no time changes nothing") {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::parameter_server, Algorithm::halving_doubling}) {
    Scenario s = star(5, 100'003, algorithm);
    s.engine.shortcuts = false;
    training(s).compression.ratio = 3;
    training(s).iterations = 3;
    const ForkedRun without = run(s);
    training(s).compression.placement = CodecPlacement::gpu;
    const ForkedRun with = run(s);
    CHECK(with.ends == without.ends);
    CHECK(with.path == without.path);
  }
}

TEST_CASE("what stays in its node passes no NIC") {
  Scenario s = in_nic(star(1, 100'000, Algorithm::ring, 0), 4);
  s.platform.gpus_per_node = 2;
  s.platform.intra_node = {IntraKind::nvlink, {ByteRate(10e9), Seconds(0), {}, {}}, 0, {}};
  const ForkedRun o = run(s);
  CHECK(o.wire_bytes == o.payload_bytes);
  CHECK(part(o, Part::nic_pipeline) == 0);
}

TEST_CASE("a codec on the GPU waits for its computation, on the CPU it does not") {
  // Two ranks and two tensors, exchanged by layer. Layer b's backward pass ends first. Its exchange needs the GPU for
  // encoding, but layer a's backward pass occupies it. 4 MB each: blocks of 2 MB, 2 steps.
  const auto scenario = [](CodecPlacement placement) {
    Scenario s = star(2, 1, Algorithm::ring, 0);
    s.platform.network.link = {ByteRate(1e9), Seconds(0), {}, {}};
    s.workload.layers = {{"a", 0, 20e-3, {{"wa", 1'000'000}}}, {"b", 0, 10e-3, {{"wb", 1'000'000}}}};
    TrainingSpec& t = training(s);
    t.granularity.kind = Granularity::Kind::tensor;
    t.overlap.kind = OverlapKind::layerwise;
    t.compression = {.ratio = 2};
    t.compression.placement = placement;
    t.compression.encode_bandwidth = ByteRate(1e9); // 2 ms per block
    t.compression.decode_bandwidth = ByteRate(2e9); // 1 ms per block
    return s;
  };
  // Each step encodes in 2 ms, sends 1 MB at 1 GB/s in 1 ms, and decodes in 1 ms; an exchange takes 8 ms.
  for (const EngineKind engine : {EngineKind::hybrid, EngineKind::simgrid}) {
    // CPU: b from 10 to 18 ms, a from 30 to 38 ms.
    const ForkedRun cpu = run(scenario(CodecPlacement::cpu), engine);
    CHECK(cpu.time == Approx(38e-3).epsilon(1e-9));
    CHECK(part(cpu, Part::codec) == Approx(6e-3).epsilon(1e-9));
    CHECK(part(cpu, Part::queue) == Approx(0).margin(1e-12));
    // GPU: b's first encoding waits from 10 to 30 ms; b from 30 to 38 ms, a to 46 ms.
    const ForkedRun gpu = run(scenario(CodecPlacement::gpu), engine);
    CHECK(gpu.time == Approx(46e-3).epsilon(1e-9));
    CHECK(part(gpu, Part::codec) == Approx(12e-3).epsilon(1e-9));
  }
}

TEST_CASE("a server decodes one push after another on its CPU and encodes its answer once") {
  Scenario s = star(3, 1'000'000, Algorithm::parameter_server, 8e9);
  s.platform.network.link = {ByteRate(1e9), Seconds(0), {}, {}};
  TrainingSpec& t = training(s);
  t.compression = {.ratio = 4};
  t.compression.encode_bandwidth = ByteRate(2e9); // 4 MB: 2 ms
  t.compression.decode_bandwidth = ByteRate(4e9); // 1 ms
  for (const CodecPlacement placement : {CodecPlacement::gpu, CodecPlacement::cpu}) {
    t.compression.placement = placement;
    // Encode 2, three pushes of 1 MB 3, three decodings 3, two reductions of 4 MB 1, encode 2, three pulls 3, decode 1.
    for (const EngineKind engine : {EngineKind::hybrid, EngineKind::simgrid})
      CHECK(run(s, engine).time == Approx(15e-3).epsilon(1e-9));
  }
}

TEST_CASE("a server that answers each push by itself decodes it, and encodes each answer") {
  Scenario s = star(1, 1'000'000, Algorithm::parameter_server, 0);
  s.platform.network.link = {ByteRate(1e9), Seconds(0), {}, {}};
  TrainingSpec& t = training(s);
  t.exchange.consistency = Consistency::asynchronous;
  t.iterations = 2;
  t.compression = {.ratio = 4};
  t.compression.placement = CodecPlacement::cpu;
  t.compression.encode_bandwidth = ByteRate(2e9); // 2 ms
  t.compression.decode_bandwidth = ByteRate(4e9); // 1 ms
  // An iteration: encode 2, push 1, decode 1, encode 2, pull 1, decode 1.
  for (const EngineKind engine : {EngineKind::hybrid, EngineKind::simgrid})
    CHECK(run(s, engine).time == Approx(16e-3).epsilon(1e-9));
}

TEST_CASE("every hop of a ring encodes and decodes, also in pieces") {
  for (const int pieces : {1, 2}) {
    Scenario s = star(4, 4'000'000, Algorithm::ring, 0);
    s.platform.network.link = {ByteRate(1e9), Seconds(0), {}, {}};
    TrainingSpec& t = training(s);
    t.exchange.pieces = pieces;
    t.compression = {.ratio = 4};
    t.compression.placement = CodecPlacement::cpu;
    t.compression.encode_bandwidth = ByteRate(4e9); // 4 MB blocks: 1 ms
    t.compression.decode_bandwidth = ByteRate(4e9);
    const ForkedRun o = run(s);
    // In whole blocks: 6 steps of 1 + 1 + 1 ms. In halves, the decoding of a step delays the encoding of the next on
    // the single CPU.
    CHECK(o.time >= 6 * 2e-3);
    CHECK(o.time <= 18e-3 * (1 + 1e-9));
    if (pieces == 1) CHECK(o.time == Approx(18e-3).epsilon(1e-9));
    CHECK(sum(o.path) == Approx(o.time).epsilon(1e-9));
  }
}

TEST_CASE("a codec in the NIC is lossy on every hop between nodes, and free of loss inside them") {
  std::vector<std::vector<float>> values(4, std::vector<float>(4'096));
  for (std::size_t w = 0; w < values.size(); ++w)
    for (std::size_t i = 0; i < values[w].size(); ++i) values[w][i] = std::sin(static_cast<float>(w * 977 + i)) * 0.01F;
  const OwnGradients gradients(values);
  Scenario s = in_nic(star(4, 4'096, Algorithm::ring, 0), 1);
  training(s).compression.tensors = gradients.files();
  training(s).compression.codec = codec::default_settings("inceptionn");
  const ForkedRun spread = run(s);
  CHECK(spread.max_error > 0);
  CHECK(spread.max_error <= 4 * std::ldexp(1.0, -10));
  s.platform.nodes = 1;
  s.platform.gpus_per_node = 4;
  CHECK(run(s).max_error < 1e-7);
}

TEST_CASE("properties of a codec in the NIC over random exchanges") {
  REQUIRE(rc::check("parts sum up, bytes are conserved, a faster engine is never slower", [] {
    const auto algorithm = *rc::gen::element(Algorithm::ring, Algorithm::parameter_server, Algorithm::binomial_tree,
                                             Algorithm::halving_doubling, Algorithm::recursive_doubling);
    Scenario s = in_nic(star(*rc::gen::inRange(2, 7), *rc::gen::inRange(1, 300'000), algorithm),
                        *rc::gen::inRange(10, 160) * 0.1);
    s.platform.gpus_per_node = *rc::gen::inRange(1, 3);
    s.platform.network.link.bandwidth = ByteRate(*rc::gen::element(1.0, 10.0, 40.0, 100.0) * 1e9 / 8);
    if (algorithm == Algorithm::parameter_server) training(s).compression.pull = *rc::gen::arbitrary<bool>();
    training(s).streams = *rc::gen::inRange(1, 3);
    training(s).granularity.kind = Granularity::Kind::segments;
    training(s).granularity.segments =
        static_cast<int>(*rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(4, s.workload.elements()) + 1));
    const ForkedRun slow = run(s);
    RC_ASSERT(!slow.failed);
    RC_ASSERT(std::abs(sum(slow.path) - slow.time) <= 1e-9 * slow.time);
    RC_ASSERT(std::abs(slow.received_bytes - slow.wire_bytes) <= 1e-13 * slow.wire_bytes); // fractions in another order
    for (const double value : slow.path) RC_ASSERT(value >= -1e-12);
    const ForkedRun again = run(s);
    RC_ASSERT(again.time == slow.time);
    // Shares of links change, and thus the order of waiting.
    if (training(s).streams > 1 || s.platform.gpus_per_node > 1) return;
    s.platform.nic->clock_hz *= 4;
    RC_ASSERT(run(s).time <= slow.time * (1 + 1e-12));
  }));
}
