#include "analysis/run/result_bytes.hpp"

#include <catch2/catch.hpp>
#include <variant>

using namespace gradflight;

namespace {

/// Fields of each kind: numbers, texts, arrays, lists, optionals. A field that visit() forgets does not compile.
RunResult full_result() {
  RunResult r;
  double next = 0;
  for (double* value : {&r.time, &r.iteration_time, &r.compute_time, &r.communication_time,
                        &r.exposed_communication_time, &r.payload_bytes, &r.wire_bytes, &r.received_bytes})
    *value = next += 0.1;
  r.messages = 7;
  r.dropped_gradients = 8;
  r.last_job = 9;
  for (double& part : r.path) part = next += 0.1;
  for (double& part : r.iteration_path) part = next += 0.1;
  r.iterations.push_back({1.5, r.path});
  r.iterations.push_back({2.5, r.iteration_path});
  r.links = {{"node0.up", 1, 2, 3}, {"node0.down", 4, 5, 6}};
  r.failures.emplace().tried = {{10, 0.5}, {20, 0.75}};
  r.data = DataResult{{{3, 1, 2, 3, 4}}, 0.5, 0.25, 0.125, SelectionResult{0.75, 0.5, {}}};
  return r;
}

} // namespace

TEST_CASE("a result comes back bit for bit") {
  const RunResult sent = full_result();
  const auto bytes = to_bytes(sent);
  const auto back = from_bytes<RunResult>(bytes);
  CHECK(to_bytes(back) == bytes);
  CHECK(back.time == sent.time);
  CHECK(back.received_bytes == sent.received_bytes);
  CHECK(back.messages == 7);
  CHECK(back.dropped_gradients == 8);
  CHECK(back.last_job == 9);
  CHECK(back.iteration_path == sent.iteration_path);
  REQUIRE(back.iterations.size() == 2);
  CHECK(back.iterations[1].end == 2.5);
  CHECK(back.iterations[0].path == sent.path);
  REQUIRE(back.links.size() == 2);
  CHECK(back.links[1].name == "node0.down");
  CHECK(back.links[1].bandwidth == 6);
  REQUIRE(back.failures);
  REQUIRE(back.failures->tried.size() == 2);
  CHECK(back.failures->tried[1].goodput == 0.75);
  REQUIRE(back.data);
  CHECK(back.data->steps.at(0).iteration == 3);
  CHECK(back.data->steps.at(0).pull_wire == 4);
  CHECK(back.data->bias == 0.125);
  REQUIRE(back.data->selection);
  CHECK(back.data->selection->shared_index_share == 0.5);
  CHECK_FALSE(back.data->selection->lost_mass_share);
  CHECK_FALSE(from_bytes<RunResult>(to_bytes(RunResult{})).data);
}

TEST_CASE("a result that ends early or goes on is refused") {
  const auto bytes = to_bytes(full_result());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(from_bytes<RunResult>(bytes.substr(0, size)), MalformedBytes);
  CHECK_THROWS_AS(from_bytes<RunResult>(bytes + '\0'), MalformedBytes);
}

TEST_CASE("what no value says is refused") {
  CHECK_THROWS_AS(from_bytes<bool>("\x02"), MalformedBytes);
  CHECK_THROWS_AS(from_bytes<std::string>(to_bytes(std::size_t{5}) + "four"), MalformedBytes);
  // Does not try to allocate.
  CHECK_THROWS_AS(from_bytes<std::vector<double>>(to_bytes(~std::size_t{0})), MalformedBytes);
  using Cell = std::variant<std::monostate, std::int64_t, std::string>;
  CHECK_THROWS_AS(from_bytes<Cell>(to_bytes(std::size_t{3})), MalformedBytes);
  for (const Cell& cell : {Cell{}, Cell{std::int64_t{-4}}, Cell{std::string("ring")}})
    CHECK(from_bytes<Cell>(to_bytes(cell)) == cell);
}
