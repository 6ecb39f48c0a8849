#include "tests/support/forked.hpp"
#include "sim/simgrid/simgrid_engine.hpp"

#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace gradflight::test {

namespace {

// A flat record: numbers and texts one after another, through a pipe.
struct Writer {
  std::string bytes;
  template <class T> void number(T v) { bytes.append(reinterpret_cast<const char*>(&v), sizeof v); }
  void text(const std::string& t) {
    number(t.size());
    bytes += t;
  }
};
struct Reader {
  const std::string& bytes;
  std::size_t at = 0;
  template <class T> T number() {
    T v;
    if (at + sizeof v > bytes.size()) throw std::runtime_error("the child's record is too short");
    std::memcpy(&v, bytes.data() + at, sizeof v);
    at += sizeof v;
    return v;
  }
  std::string text() {
    const auto n = number<std::size_t>();
    std::string t = bytes.substr(at, n);
    at += n;
    return t;
  }
};

std::string child(const Scenario& scenario) {
  Writer w;
  try {
    const Platform platform = build_platform(scenario.platform, extra_nodes(scenario));
    const RunResult r = simulate_on_simgrid(scenario, platform);
    w.number(false);
    for (const double v : {r.time, r.iteration_time, r.compute_time, r.communication_time, r.exposed_communication_time,
                           r.payload_bytes, r.wire_bytes, r.received_bytes})
      w.number(v);
    const DataResult data = r.data.value_or(DataResult{});
    double push = 0, pull = 0;
    for (const LegBytes& step : data.steps) {
      push += step.push_wire;
      pull += step.pull_wire;
    }
    const SelectionResult selection = data.selection.value_or(SelectionResult{});
    for (const double v : {data.max_error, data.relative_l2_error, data.bias, push, pull, selection.selected_mass_share,
                           selection.shared_index_share.value_or(0), selection.lost_mass_share.value_or(0)})
      w.number(v);
    w.number(r.messages);
    w.number(r.dropped_gradients);
    w.number(r.path);
    w.number(r.iteration_path);
    w.number(r.iterations.size());
    for (const auto& i : r.iterations) w.number(i.end);
    w.number(r.links.size());
    for (const auto& l : r.links) {
      w.number(l.bytes);
      w.number(l.busy);
    }
  } catch (const SimulationFailure& failure) {
    w.bytes.clear();
    w.number(true);
    w.text(failure.what());
    w.number(failure.blocked.size());
    for (const Blocked& b : failure.blocked) {
      w.number(b.rank);
      w.text(b.stream);
      w.text(b.waiting_for);
    }
  }
  return w.bytes;
}

} // namespace

Outcome run(const Scenario& scenario) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr); // else the child would print the parent's buffers again
  std::cout.flush();
  const pid_t pid = fork();
  if (pid == 0) {
    std::string bytes;
    try {
      bytes = child(scenario);
    } catch (...) {
      _exit(3);
    }
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = write(ends[1], bytes.data() + sent, bytes.size() - sent);
      if (n <= 0) _exit(4);
      sent += static_cast<std::size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string bytes;
  char buffer[65536];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) bytes.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("the child died");

  Outcome o;
  Reader r{bytes};
  o.failed = r.number<bool>();
  if (o.failed) {
    o.message = r.text();
    const auto n = r.number<std::size_t>();
    for (std::size_t i = 0; i < n; ++i) {
      Blocked b;
      b.rank = r.number<int>();
      b.stream = r.text();
      b.waiting_for = r.text();
      o.blocked.push_back(b);
    }
    return o;
  }
  for (double* v : {&o.time, &o.iteration_time, &o.compute_time, &o.communication_time, &o.exposed, &o.payload_bytes,
                    &o.wire_bytes, &o.received_bytes})
    *v = r.number<double>();
  for (double* v : {&o.max_error, &o.relative_l2_error, &o.bias, &o.push_wire, &o.pull_wire, &o.selected_mass,
                    &o.shared_indices, &o.lost_mass})
    *v = r.number<double>();
  o.messages = r.number<std::int64_t>();
  o.dropped = r.number<std::int64_t>();
  o.path = r.number<Path>();
  o.iteration_path = r.number<Path>();
  const auto iterations = r.number<std::size_t>();
  for (std::size_t i = 0; i < iterations; ++i) o.ends.push_back(r.number<double>());
  const auto links = r.number<std::size_t>();
  for (std::size_t i = 0; i < links; ++i) {
    o.link_bytes.push_back(r.number<double>());
    o.link_busy.push_back(r.number<double>());
  }
  return o;
}

Outcome run(Scenario scenario, EngineKind engine) {
  scenario.engine.kind = engine;
  return run(scenario);
}

Scenario star(int p, std::int64_t elements, Algorithm algorithm, double reduce_bandwidth) {
  Scenario s;
  s.name = "test";
  s.platform.nodes = p;
  s.platform.network.link = {ByteRate(1.25e9), Seconds(5e-6), {}, {}};
  if (reduce_bandwidth > 0) s.platform.reduce_bandwidth = ByteRate(reduce_bandwidth);
  s.workload.layers.push_back({"all", 0, 0, {{"g", elements}}});
  s.phases.push_back({"main", {}});
  training(s).exchange.algorithm = algorithm;
  return s;
}

double sum(const Path& path) {
  double total = 0;
  for (const double v : path) total += v;
  return total;
}

} // namespace gradflight::test
