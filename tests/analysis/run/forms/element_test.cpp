// Narrow elements: n elements of w bytes take the same time as n of 4 bytes if every byte takes w/4 of the time. Both
// have closed forms with this result.
#include "analysis/run/forms/closed_form.hpp"
#include "models/schedules/parts/collective.hpp"
#include "platforms/code/platform.hpp"
#include "sim/simulate.hpp"
#include "tests/support/random_scenario.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

void faster(ByteRate& rate, double times) { rate = ByteRate(rate.value() * times); }
void faster(std::optional<ByteRate>& rate, double times) {
  if (rate) faster(*rate, times);
}
void faster(LinkSpec& link, double times) {
  faster(link.bandwidth, times);
  faster(link.egress, times);
  faster(link.ingress, times);
}
void larger(std::optional<Bytes>& bytes, double times) {
  if (bytes) bytes = Bytes(bytes->value() * times);
}

/// Multiplies all rates and all limits of bytes by `times`.
Scenario with_rates(Scenario s, double times) {
  faster(s.platform.network.link, times);
  faster(s.platform.reduce_bandwidth, times);
  faster(s.platform.intra_node.link, times);
  for (NodeOverride& node : s.platform.node_overrides) faster(node.bandwidth, times);
  TrainingSpec& t = s.phases.front().training;
  faster(t.exchange.merge_bandwidth, times);
  faster(t.compression.encode_bandwidth, times);
  faster(t.compression.decode_bandwidth, times);
  larger(t.compression.except_below, times);
  larger(t.compression.tensor_overhead, times);
  t.granularity.bytes *= times;
  t.granularity.first_bytes *= times;
  for (CostSpec& cost : t.costs) cost.per_byte = SecondsPerByte(cost.per_byte.value() / times);
  return s;
}

Scenario with_elements(Scenario s, Element element) {
  for (Layer& layer : s.workload.layers)
    for (Tensor& tensor : layer.tensors) tensor.element = element;
  return s;
}

bool alike(double a, double b) { return std::abs(a - b) <= 1e-10 * std::max(std::abs(a), std::abs(b)); }

} // namespace

TEST_CASE("narrow elements take the time of 4-byte ones on rates as many times higher") {
  REQUIRE(rc::check([] {
    Scenario s = random_scenario(*rc::gen::arbitrary<std::uint32_t>());
    const Element element = *rc::gen::element(Element::bf16, Element::fp16, Element::fp8);
    const bool lists = sends_lists(s.phases.front().training.exchange);
    TrainingSpec& t = s.phases.front().training;
    t.selection.reset();        // norms of chunks stay floats
    if (lists) t.costs.clear(); // costs depend on the vector, not on its lists
    const double times = lists ? 8.0 / (4 + width_of(element)) : 4.0 / width_of(element);
    Scenario wide = with_rates(s, times);
    if (lists) { // a limit of a bucket counts the bytes of its elements, not of its list
      wide.phases.front().training.granularity.bytes = t.granularity.bytes * 4 / width_of(element);
      wide.phases.front().training.granularity.first_bytes = t.granularity.first_bytes * 4 / width_of(element);
    }
    const Scenario narrow = with_elements(s, element);
    const Platform narrow_platform = build_platform(narrow.platform, extra_nodes(narrow));
    const Platform wide_platform = build_platform(wide.platform, extra_nodes(wide));
    const RunResult a = simulate(narrow, narrow_platform), b = simulate(wide, wide_platform);
    RC_ASSERT(alike(a.time, b.time));
    RC_ASSERT(alike(a.payload_bytes * times, b.payload_bytes));
    if (t.compression.even()) RC_ASSERT(alike(a.wire_bytes * times, b.wire_bytes));
    const ClosedFormAnswer form = closed_form(narrow, narrow_platform), other = closed_form(wide, wide_platform);
    RC_ASSERT(form.form.has_value() == other.form.has_value());
    if (!form.form) return;
    RC_ASSERT(form.form->all_hold() == other.form->all_hold());
    RC_ASSERT(alike(form.form->terms.time, other.form->terms.time));
    RC_ASSERT(alike(form.form->terms.beta, other.form->terms.beta));
    RC_ASSERT(alike(form.form->terms.gamma, other.form->terms.gamma));
    if (form.form->all_hold()) RC_ASSERT(std::abs(a.time - form.form->terms.time) <= 1e-9 * a.time);
  }));
}

TEST_CASE("tensors of several types: each has its bytes, in vectors of one type") {
  REQUIRE(rc::check([] {
    Scenario s = random_scenario(*rc::gen::arbitrary<std::uint32_t>());
    TrainingSpec& t = s.phases.front().training;
    t = {.exchange = {}, .granularity = t.granularity, .overlap = t.overlap};
    t.exchange.algorithm = Algorithm::ring;
    if (t.granularity.kind == Granularity::Kind::segments) t.granularity.kind = Granularity::Kind::layer;
    double bytes = 0;
    for (Layer& layer : s.workload.layers)
      for (Tensor& tensor : layer.tensors) {
        tensor.element = *rc::gen::element(Element::fp32, Element::bf16, Element::fp8);
        bytes += static_cast<double>(tensor.elements) * width_of(tensor.element);
      }
    RC_ASSERT(s.workload.bytes() == bytes);
    const RunResult result = simulate(s, build_platform(s.platform, extra_nodes(s)));
    RC_ASSERT(alike(result.payload_bytes, 2.0 * (s.workers() - 1) * bytes));
  }));
}
