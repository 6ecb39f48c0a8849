#include "platforms/code/traffic.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace gradflight {
namespace {

using Pattern = TrafficSpec::Pattern;
using Arrivals = TrafficSpec::Arrivals;

/// Purpose of a draw; with the entry's number it separates the random sequences.
enum Purpose : std::uint32_t { for_times = 0x74696d65, for_sizes = 0x73697a65, for_ends = 0x656e6473 };

std::vector<int> nodes_of(const TrafficEnd& end, int nodes) {
  if (end.outside) return {outside_node};
  if (!end.nodes.empty()) return end.nodes;
  std::vector<int> all(static_cast<std::size_t>(nodes));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Number of pairs with different ends, limited to a bound far above what is allowed.
double pair_count(const std::vector<int>& from, const std::vector<int>& to) {
  std::vector<int> both;
  std::ranges::set_intersection(from, to, std::back_inserter(both));
  return static_cast<double>(from.size()) * static_cast<double>(to.size()) - static_cast<double>(both.size());
}

} // namespace

FlowSource::FlowSource(const TrafficSpec& spec, std::uint32_t entry, int nodes)
    : spec_(spec), from_(nodes_of(spec.from, nodes)), to_(nodes_of(spec.to, nodes)),
      times_(spec.seed, for_times, entry, 0), sizes_(spec.seed, for_sizes, entry, 0),
      ends_(spec.seed, for_ends, entry, 0), stop_(spec.stop ? spec.stop->value() : never),
      left_(spec.flows.value_or(std::numeric_limits<std::int64_t>::max())) {
  if (spec_.pattern == Pattern::permutation)
    make_permutation();
  else if (!draws_pairs())
    make_pairs();
  const bool arriving = spec_.arrivals == Arrivals::periodic || spec_.arrivals == Arrivals::poisson;
  if (!arriving && !spec.flows) left_ = static_cast<std::int64_t>(pairs_.size());
  if (spec_.arrivals == Arrivals::on_off) {
    for (std::size_t f = 0; f < static_cast<std::size_t>(left_); ++f) phases_.push_back({spec_.start.value(), f});
    std::ranges::make_heap(phases_, std::greater<>());
  }
  set_next(spec_.start.value() + (spec_.arrivals == Arrivals::poisson ? gap() : 0));
}

/// Returns whether each arrival chooses its own ends.
bool FlowSource::draws_pairs() const {
  const bool arriving = spec_.arrivals == Arrivals::periodic || spec_.arrivals == Arrivals::poisson;
  return arriving && spec_.pattern != Pattern::permutation;
}

void FlowSource::make_pairs() {
  for (const int to : to_)
    for (const int from : from_)
      if (from != to) pairs_.emplace_back(from, to);
}

/// Draws a random order of the receivers in which no sender sends to itself.
void FlowSource::make_permutation() {
  for (bool meets = true; meets;) {
    meets = false;
    for (std::size_t i = 0; i < from_.size() && !meets; ++i) {
      std::swap(to_[i], to_[i + below(to_.size() - i)]);
      meets = to_[i] == from_[i];
    }
  }
  for (std::size_t i = 0; i < from_.size(); ++i) pairs_.emplace_back(from_[i], to_[i]);
}

std::size_t FlowSource::below(std::size_t count) {
  return count == 1 ? 0 : static_cast<std::size_t>(ends_.next() * static_cast<double>(count));
}

void FlowSource::set_next(double time) { next_ = left_ > 0 && time < stop_ ? time : never; }

double FlowSource::gap() { return spec_.every.value() * exponential(times_); }

double FlowSource::phase(double mean) { return spec_.constant_phases ? mean : mean * exponential(times_); }

void FlowSource::add(int from, int to, double until, std::vector<TrafficFlow>& out) {
  const double bytes = spec_.bytes   ? spec_.bytes->value()
                       : spec_.sizes ? draw_size(*spec_.sizes, sizes_)
                                     : std::numeric_limits<double>::infinity();
  out.push_back({from, to, bytes, until});
}

void FlowSource::take(std::vector<TrafficFlow>& out) {
  switch (spec_.arrivals) {
  case Arrivals::once:
    for (std::size_t f = 0; left_ > 0; ++f, --left_) {
      const auto [from, to] = pairs_[f % pairs_.size()];
      add(from, to, spec_.sized() ? never : stop_, out);
    }
    next_ = never;
    return;
  case Arrivals::on_off: begin_phases(out); return;
  case Arrivals::periodic:
    arrive(out);
    set_next(spec_.start.value() + static_cast<double>(arrived_) * spec_.every.value());
    return;
  case Arrivals::poisson:
    arrive(out);
    set_next(next_ + gap());
    return;
  }
}

void FlowSource::arrive(std::vector<TrafficFlow>& out) {
  ++arrived_;
  if (spec_.pattern == Pattern::permutation) {
    for (const auto& [from, to] : pairs_)
      if (left_-- > 0) add(from, to, never, out);
    return;
  }
  if (spec_.pattern == Pattern::incast) {
    const int to = to_[below(to_.size())];
    for (const int from : from_)
      if (from != to && left_-- > 0) add(from, to, never, out);
    return;
  }
  int from = 0, to = 0;
  do {
    from = from_[below(from_.size())];
    to = to_[below(to_.size())];
  } while (from == to);
  --left_;
  add(from, to, never, out);
}

/// Starts the flows that enter an on phase now.
void FlowSource::begin_phases(std::vector<TrafficFlow>& out) {
  const double now = next_, cycle = spec_.every.value(), on = spec_.on ? spec_.on->value() : cycle / 2;
  while (!phases_.empty() && phases_.front().at == now) {
    std::ranges::pop_heap(phases_, std::greater<>());
    Phase& flow = phases_.back();
    const auto [from, to] = pairs_[flow.flow % pairs_.size()];
    const double until = now + phase(on);
    add(from, to, std::min(until, stop_), out);
    flow.at = until + phase(cycle - on);
    std::ranges::push_heap(phases_, std::greater<>());
  }
  set_next(phases_.empty() ? never : phases_.front().at);
}

std::string end_text(const TrafficEnd& end) {
  if (end.outside) return "outside";
  if (end.nodes.empty()) return "every node";
  if (end.nodes.size() == 1) return fmt::format("node {}", end.nodes.front());
  const bool range = end.nodes.back() - end.nodes.front() + 1 == static_cast<int>(end.nodes.size());
  return range ? fmt::format("nodes {}-{}", end.nodes.front(), end.nodes.back())
               : fmt::format("{} nodes", end.nodes.size());
}

std::vector<PlatformError> traffic_errors(std::span<const TrafficSpec> traffic, int nodes, int all, bool outside) {
  constexpr double most_at_once = 1'000'000;
  std::vector<PlatformError> errors;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    const TrafficSpec& t = traffic[i];
    const std::string at = fmt::format("/traffic/{}", i);
    const auto before = errors.size();
    for (const auto& [key, end] : {std::pair("from", &t.from), {"to", &t.to}}) {
      if (!end->nodes.empty() && end->nodes.back() >= all)
        errors.push_back({fmt::format("{}/{}", at, key),
                          fmt::format("node {} does not exist: nodes are 0 to {}{}", end->nodes.back(), all - 1,
                                      all > nodes ? ", including servers" : "")});
      if (end->outside && !outside)
        errors.push_back({fmt::format("{}/{}", at, key),
                          "only a star, racks and a fat tree are connected to the outside: name nodes instead"});
    }
    if (errors.size() != before) continue;
    const std::vector<int> from = nodes_of(t.from, nodes), to = nodes_of(t.to, nodes);
    const double pairs = pair_count(from, to);
    if (pairs < 1)
      errors.push_back({at + "/to", "a flow from a node to itself crosses no link"});
    else if (t.pattern == Pattern::permutation && from.size() > to.size())
      errors.push_back(
          {at + "/pattern",
           fmt::format("{} senders but {} receivers: a permutation needs at least as many receivers as senders",
                       from.size(), to.size())});
    else if (const double flows = t.flows ? static_cast<double>(*t.flows) : pairs;
             flows > most_at_once && t.pattern != Pattern::permutation &&
             (t.arrivals == Arrivals::once || t.arrivals == Arrivals::on_off))
      errors.push_back(
          {at, fmt::format("{:.0f} flows at once are too many; at most {:.0f} are possible", flows, most_at_once)});
  }
  return errors;
}

} // namespace gradflight
