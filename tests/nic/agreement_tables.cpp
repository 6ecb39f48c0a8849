#include "tests/nic/tables.hpp"

#include "tests/support/forked.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>

using namespace gradflight;

namespace tables {

namespace {

constexpr std::array rates = {1.0, 10.0, 40.0, 100.0};

struct Data {
  std::vector<float> values;
  NicStream stream;
  [[nodiscard]] double ratio() const { return static_cast<double>(stream.dense_bytes) / stream.encoded_bytes; }
};

NicStream stream_of(std::span<const float> values) {
  std::array<std::byte, group_max_bytes> group{};
  std::size_t encoded = 0;
  for (std::size_t i = 0; i < values.size(); i += group_values)
    encoded += reference::encode(values.subspan(i, std::min<std::size_t>(group_values, values.size() - i)), group);
  return {static_cast<std::int64_t>(values.size_bytes()), static_cast<double>(encoded)};
}

Data data_of(const reference::ClassMix& mix, std::int64_t bytes) {
  Data data{reference::draw(mix, static_cast<std::size_t>(bytes / element_bytes)), {}};
  data.stream = stream_of(data.values);
  return data;
}

NicReport cycles_of(const NicSpec& spec, double rate, std::span<const float> values) {
  const NicMessage message{values};
  return simulate_nic_path(spec, gbps(rate), std::span(&message, 1), reference::encode, reference::decode);
}

/// Returns a difference in percent, without a sign if it rounds to zero.
std::string percent_off(double fraction, int digits) {
  const std::string text = fmt::format("{:+.{}f} %", 100 * fraction, digits);
  return text.find_first_of("123456789") == std::string::npos ? text.substr(1) : text;
}

double streamed_cycles(const NicSpec& spec, double rate, const NicStream& stream) {
  return nic_stream_cost(spec, spec, stream, gbps(rate)).alone(gbps(rate)) / spec.cycle();
}

/// Returns the simulator's time of one message: a ring of two takes two steps, and each has one message per direction.
double simulated(const NicSpec& spec, double rate, const Data& data) {
  Scenario s = test::star(2, 2 * data.stream.dense_bytes / element_bytes, Algorithm::ring, 0);
  s.platform.network.link = {gbps(rate), Seconds(0), {}, {}};
  s.platform.nic = spec;
  CompressionSpec& compression = test::training(s).compression;
  compression.ratio = data.ratio();
  compression.placement = CodecPlacement::nic;
  return test::run(s).time / 2;
}

} // namespace

std::string_view slowest(const StreamCost& cost, ByteRate wire) {
  if (cost.stage_rate() >= wire) return "wire";
  constexpr std::array<std::string_view, nic_stages> names = {"compressor in", "compressor out", "decompressor in",
                                                              "decompressor out"};
  std::size_t worst = 0;
  const auto load = [&](std::size_t i) { return cost.stages[i].weight / cost.stages[i].capacity.value(); };
  for (std::size_t i = 1; i < nic_stages; ++i)
    if (load(i) > load(worst)) worst = i;
  return names[worst];
}

Lines side_by_side(std::int64_t bytes) {
  Lines lines = {
      "| values | ratio | wire, Gbps | slowest | cycle model, us | streaming, us | simulator, us | difference | "
      "dense, Gbps | compressor busy / stalled | wire busy | decompressor busy |",
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"};
  const NicSpec spec;
  for (const auto& mix : {reference::alexnet, reference::resnet50, reference::hdc, reference::resnet50_loose,
                          reference::balanced, reference::half, reference::none}) {
    const Data data = data_of(mix, bytes);
    for (const double rate : rates) {
      const NicReport report = cycles_of(spec, rate, data.values);
      const StreamCost cost = nic_stream_cost(spec, spec, data.stream, gbps(rate));
      const auto all = static_cast<double>(report.cycles);
      const double streamed = cost.alone(gbps(rate)).value();
      const auto percent = [all](double part) { return 100 * part / all; };
      lines.push_back(fmt::format(
          "| {} | {:.2f} | {:.0f} | {} | {:.2f} | {:.2f} | {:.2f} | {} | {:.2f} | {:.1f} / {:.1f} % | {:.1f} % | "
          "{:.1f} % |",
          mix.name, data.ratio(), rate, slowest(cost, gbps(rate)), report.time.value() * 1e6, streamed * 1e6,
          simulated(spec, rate, data) * 1e6, percent_off(streamed / report.time.value() - 1, 3),
          static_cast<double>(bytes) * 8 / report.time.value() / 1e9,
          percent(static_cast<double>(report.compressor_input.busy)),
          percent(static_cast<double>(report.compressor_input.stalled)), percent(report.wire_busy_cycles),
          percent(static_cast<double>(report.decompressor_output.busy))));
    }
  }
  return lines;
}

Lines agreement_by_size(std::int64_t up_to) {
  Lines lines = {"| bytes | 1 Gbps | 10 Gbps | 40 Gbps | 100 Gbps |", "| --- | --- | --- | --- | --- |"};
  const NicSpec spec;
  for (std::int64_t bytes = 1000; bytes <= std::min<std::int64_t>(up_to, 100'000'000); bytes *= 10) {
    std::array<double, rates.size()> cycles{}, fraction{};
    for (const auto& mix : {reference::alexnet, reference::resnet50, reference::hdc, reference::vgg16,
                            reference::resnet50_loose, reference::balanced, reference::half}) {
      const Data data = data_of(mix, bytes);
      for (std::size_t i = 0; i < rates.size(); ++i) {
        const auto counted = static_cast<double>(cycles_of(spec, rates[i], data.values).cycles);
        const double difference = std::fabs(streamed_cycles(spec, rates[i], data.stream) - counted);
        cycles[i] = std::max(cycles[i], difference);
        fraction[i] = std::max(fraction[i], difference / counted);
      }
    }
    std::string line = fmt::format("| {} |", bytes);
    for (std::size_t i = 0; i < rates.size(); ++i)
      line += fmt::format(" {:.1f} cycles, {:.4f} % |", cycles[i], 100 * fraction[i]);
    lines.push_back(line);
  }
  return lines;
}

Lines other_engines() {
  Lines lines = {
      "| engines | width, bits | clock, MHz | wire, Gbps | slowest | dense, Gbps | streaming against cycles |",
      "| --- | --- | --- | --- | --- | --- | --- |"};
  const Data data = data_of(reference::resnet50, 10'000'000);
  struct Variant {
    int engines, width;
    double mhz;
  };
  for (const Variant& v : {Variant{1, 256, 100},
                           {2, 256, 100},
                           {4, 256, 100},
                           {1, 512, 100},
                           {1, 1024, 100},
                           {1, 256, 250},
                           {4, 512, 250}})
    for (const double rate : {10.0, 100.0}) {
      NicSpec spec;
      spec.engines = v.engines;
      spec.width_bits = v.width;
      spec.clock_hz = v.mhz * 1e6;
      const NicReport report = cycles_of(spec, rate, data.values);
      const StreamCost cost = nic_stream_cost(spec, spec, data.stream, gbps(rate));
      lines.push_back(fmt::format("| {} | {} | {:.0f} | {:.0f} | {} | {:.2f} | {} |", v.engines, v.width, v.mhz, rate,
                                  slowest(cost, gbps(rate)), 8e7 / report.time.value() / 1e9,
                                  percent_off(cost.alone(gbps(rate)) / report.time - 1, 3)));
    }
  return lines;
}

Lines changing_ratio() {
  Lines lines = {"| wire, Gbps | first half | cycle model, us | one stream | two streams |",
                 "| --- | --- | --- | --- | --- |"};
  const NicSpec spec;
  const Data loose = data_of(reference::resnet50_loose, 5'000'000), raw = data_of(reference::none, 5'000'000);
  for (const double rate : {1.0, 10.0, 40.0})
    for (const bool loose_first : {true, false}) {
      const Data &first = loose_first ? loose : raw, &second = loose_first ? raw : loose;
      std::vector<float> values = first.values;
      values.insert(values.end(), second.values.begin(), second.values.end());
      const double counted = cycles_of(spec, rate, values).time.value();
      const auto off = [&](double time) { return percent_off(time / counted - 1, 2); };
      const auto time = [&](const NicStream& s) { return nic_stream_time(spec, spec, s, gbps(rate)).value(); };
      lines.push_back(fmt::format("| {:.0f} | ratio {:.1f} | {:.1f} | {} | {} |", rate, first.ratio(), counted * 1e6,
                                  off(time(stream_of(values))), off(time(first.stream) + time(second.stream))));
    }
  return lines;
}

} // namespace tables
