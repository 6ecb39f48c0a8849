// Exchanges that are calls of their row's all_reduce: their times equal that of the operation alone, and its closed
// form.
#include "analysis/run/forms/closed_form.hpp"
#include "analysis/run/prepared.hpp"
#include "models/schedules/make_schedule.hpp"
#include "models/schedules/parts/collective.hpp"
#include "scenarios/language/decode/load.hpp"
#include "sim/group/plain_group.hpp"
#include "sim/group/simulate_group.hpp"
#include "sim/simulate.hpp"
#include "sim/training/job_calls.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/forked.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <variant>

using namespace gradflight;
using namespace gradflight::test;

namespace {

std::vector<const Collective*> called_rows() {
  std::vector<const Collective*> rows;
  for (const Collective& row : collectives())
    if (std::holds_alternative<CallForm>(row.form)) rows.push_back(&row);
  return rows;
}

Algorithm number_of(const Collective& row) { return static_cast<Algorithm>(&row - collectives().data()); }

/// Returns the time of one vector on a star with the schedule alone.
double alone(const Scenario& s, const Collective& algorithm) {
  const Platform platform = build_platform(s.platform, 0);
  std::vector<std::int32_t> places(static_cast<std::size_t>(s.workers()));
  std::iota(places.begin(), places.end(), 0);
  const GroupSpec spec = plain_spec(algorithm, Operation::all_reduce, s.workload.elements(), s.workers(),
                                    s.platform.gpus_per_node, links_between(platform, places, 4));
  const auto schedule = make_group_schedule(algorithm, spec);
  GroupWork work{schedule.get(), "all_reduce", places, 4, 0, {}};
  if (schedule->members() > schedule->ranks()) work.place.push_back(reducing_switch(platform, places).value());
  return simulate_group(s.platform, platform, work).time;
}

/// Whether the operation's own form claims to be a bound for alone().
bool is_bound(const Scenario& s, const Collective& algorithm) {
  const Platform platform = build_platform(s.platform, 0);
  std::vector<std::int32_t> places(static_cast<std::size_t>(s.workers()));
  std::iota(places.begin(), places.end(), 0);
  const FormLinks links = links_between(platform, places, 4);
  const GroupFormResult form = group_form(
      algorithm,
      plain_spec(algorithm, Operation::all_reduce, s.workload.elements(), s.workers(), s.platform.gpus_per_node, links),
      links);
  const auto* known = std::get_if<GroupForm>(&form);
  return known != nullptr && std::ranges::all_of(known->conditions, &FormCondition::holds);
}

ClosedForm form_of(const Scenario& s) {
  const ClosedFormAnswer answer = closed_form(s, build_platform(s.platform, 0));
  INFO(answer.why_none);
  REQUIRE(answer.form);
  return *answer.form;
}

Scenario on_machine(const std::string& machine, int nodes, const std::string& algorithm,
                    const std::vector<std::string>& sets = {}) {
  return parse_scenario(fmt::format(R"({{"platform":{{"machine":"{}","nodes":{}}},)"
                                    R"("workload":{{"tensors":[{{"name":"g","bytes":"4MB"}}]}},)"
                                    R"("training":{{"exchange":{{"algorithm":"{}"}}}}}})",
                                    machine, nodes, algorithm),
                        "machine.json", sets);
}

} // namespace

TEST_CASE("every row that serves all_reduce is an algorithm of training") {
  for (const Collective* algorithm : group_collectives_for(Operation::all_reduce)) {
    INFO(algorithm->name);
    const auto row = std::ranges::find(collectives(), algorithm->name, &Collective::name);
    REQUIRE(row != collectives().end());
    CHECK((row->schedule == nullptr) == std::holds_alternative<CallForm>(row->form));
    CHECK(row->group.schedule == algorithm->group.schedule);
  }
  CHECK(called_rows().size() == 7);
}

TEST_CASE("a bucket takes as long as the operation alone, by both engines, and as its form says where that is exact") {
  int exact = 0;
  for (const Collective* row : called_rows()) {
    if (row->group.needs_switch) continue;
    for (const int p : {2, 3, 4, 7, 8}) {
      INFO(row->name << " p = " << p);
      const Scenario s = star(p, 840 * 1000, number_of(*row));
      const double time = alone(s, *row);
      CHECK(run(s, EngineKind::hybrid).time == Approx(time).epsilon(1e-9));
      CHECK(run(s, EngineKind::simgrid).time == Approx(time).epsilon(1e-9));
      const ClosedForm form = form_of(s);
      if (form.all_hold()) {
        ++exact;
        CHECK(form.terms.time == Approx(time).epsilon(1e-9));
      } else {
        CHECK(form.failed().front().id == AssumptionId::operation_form);
        if (is_bound(s, *row)) CHECK(form.terms.time <= time * (1 + 1e-9));
      }
    }
  }
  CHECK(exact >= 10);
}

TEST_CASE("the form of direct sends holds over iterations and buckets, that of a chain behind a barrier") {
  const std::vector<std::string> several = {
      "training.iterations=3", "training.granularity=tensor",
      R"(workload.tensors=[{"name":"a","bytes":"8MB"},{"name":"b","bytes":"1MB"},{"name":"c","bytes":"8MB"}])",
      "workload.update=1ms"};
  const auto with_exchange = [&](const std::string& exchange) {
    std::vector<std::string> sets = several;
    sets.push_back("training.exchange=" + exchange);
    return with(sets);
  };
  for (const char* exchange : {R"({"algorithm":"direct"})", R"({"algorithm":"chain","barrier":true})"}) {
    INFO(exchange);
    const Scenario s = with_exchange(exchange);
    const ClosedForm form = form_of(s);
    const bool chain = std::string_view(exchange).find("chain") != std::string_view::npos;
    INFO(form.cause());
    for (const Assumption& assumption : form.failed()) CHECK((chain && assumption.id == AssumptionId::operation_form));
    if (!chain) CHECK(run(s).time == Approx(form.terms.time).epsilon(1e-9));
  }
  const auto failed = form_of(with_exchange(R"({"algorithm":"chain"})")).failed();
  CHECK(std::ranges::any_of(failed, [](const Assumption& a) { return a.id == AssumptionId::ranks_end_together; }));
}

TEST_CASE("every message of a call carries the platform's bytes, and its form counts them") {
  int exact = 0;
  for (const Collective* row : called_rows()) {
    if (row->group.needs_switch) continue;
    for (const int p : {2, 3, 4, 7}) {
      INFO(row->name << " p = " << p);
      Scenario s = star(p, 840, number_of(*row));
      const double without = run(s).time;
      s.platform.message_bytes = Bytes(700);
      const ClosedForm form = form_of(s);
      CHECK(run(s).time > without);
      if (!form.all_hold()) continue;
      ++exact;
      CHECK(run(s).time == Approx(form.terms.time).epsilon(1e-9));
    }
  }
  CHECK(exact >= 10);
}

TEST_CASE("a ratio shrinks messages, and reductions stay dense") {
  const Scenario s = with({"training.exchange.algorithm=spread", "training.compression.ratio=4"});
  const ClosedForm form = form_of(s);
  CHECK(form.all_hold());
  CHECK(run(s).time == Approx(form.terms.time).epsilon(1e-9));
  CHECK(form.terms.gamma == Approx(7.0 / 8 * 100e6 / 10e9).epsilon(1e-9));
  CHECK(form.terms.beta == Approx(2 * 7.0 / 8 * 100e6 / 4 / 1.25e9).epsilon(1e-9));
}

TEST_CASE("switches reduce inside a node, and between nodes of one GPU") {
  for (const char* algorithm : {"in_switch", "nvls"}) {
    INFO(algorithm);
    const Scenario s = on_machine("dgx-h100", 1, algorithm);
    CHECK(run(s).time == Approx(alone(s, *group_collective(algorithm))).epsilon(1e-9));
  }
  const Scenario sharp = on_machine("dgx-h100", 4, "in_switch",
                                    {"platform.node.sharp=true", "platform.node.gpus=1", "platform.node.nvls=false"});
  CHECK(run(sharp).time == Approx(alone(sharp, *group_collective("in_switch"))).epsilon(1e-9));
  CHECK(call_problems(on_machine("dgx-h100", 2, "nvls"), build_platform(on_machine("dgx-h100", 2, "ring").platform, 0))
            .front()
            .text.find("needs a switch that reduces") != std::string::npos);
}

TEST_CASE("two levels follow the nodes, or say why they cannot") {
  const Scenario s = on_machine("dgx-a100", 2, "two_level");
  CHECK(run(s).time == Approx(alone(s, *group_collective("two_level"))).epsilon(1e-9));
  Scenario cyclic = s;
  cyclic.placement = Placement::cyclic;
  const auto problems = call_problems(cyclic, build_platform(cyclic.platform, 0));
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().pointer == "/training/exchange/algorithm");
  CHECK(problems.front().text.find("needs consecutive ranks on each node") != std::string::npos);
}

TEST_CASE("what calls do not carry is refused where it stands") {
  const std::string chain = "training.exchange.algorithm=chain";
  const auto refused = [&](const std::string& set, const char* pointer) {
    INFO(set);
    CHECK(errors_with({chain, set}).find(pointer) != std::string::npos);
  };
  refused(R"(training.compression={"ratio":2,"placement":"gpu"})", "/training/compression/placement: calls of chain");
  refused(R"(training.costs=[{"name":"c","at":"message_send","on":"gpu","per_message":"1us"}])",
          "/training/costs/0/at: calls of chain have no costs of single messages");
  refused(R"(training.selection={"chunk_share":0.1})", "/training/selection: calls of chain carry whole buckets");
  CHECK(errors_with({"training.exchange.algorithm=in_swich"}).find("did you mean \"in_switch\"") != std::string::npos);
}

TEST_CASE("jobs on any nodes make their calls there") {
  std::vector<int> gpus(16);
  std::iota(gpus.begin(), gpus.end(), 8); // the GPUs of the second and third node
  const auto job = [&](const char* algorithm) {
    return parse_scenario(
        fmt::format(R"({{"platform":{{"machine":"dgx-a100","nodes":3}},"jobs":[{{"name":"j","ranks":[{}],)"
                    R"("workload":{{"tensors":[{{"name":"g","bytes":"4MB"}}]}},)"
                    R"("training":{{"exchange":{{"algorithm":"{}"}}}}}}]}})",
                    fmt::join(gpus, ","), algorithm),
        "jobs.json");
  };
  for (const char* algorithm : {"nccl", "two_level", "spread"}) {
    INFO(algorithm);
    CHECK(run(job(algorithm)).time == Approx(run(on_machine("dgx-a100", 2, algorithm)).time).epsilon(1e-9));
  }
}
