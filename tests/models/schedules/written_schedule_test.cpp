// Schedules from files: the catalogue's schedules in written form give the same results, and every mistake is found.
#include "models/schedules/written/written_schedule.hpp"

#include "models/schedules/make_schedule.hpp"
#include "tests/models/schedules/operations/group_machine.hpp"
#include "tests/models/schedules/operations/star_clock.hpp"
#include "tests/support/effort.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <rapidcheck.h>
#include <set>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// Returns the blocks of one element each in the pieces.
std::vector<int> blocks_of(const std::vector<Piece>& pieces, Operation op, int p) {
  std::vector<int> blocks;
  for (const Piece& piece : pieces) {
    const bool whole = piece.source == no_rank && piece.target == no_rank;
    const int part = whole                       ? 0
                     : op == Operation::alltoall ? piece.source * p + piece.target
                                                 : std::max(piece.source, piece.target);
    for (std::int64_t i = 0; i < piece.range.count; ++i)
      blocks.push_back(static_cast<int>(whole ? piece.range.first + i : part));
  }
  return blocks;
}

/// Converts a schedule of one lane to its written form; a block is an element.
WrittenSchedule written_down(const GroupSpec& spec, const GroupSchedule& schedule) {
  WrittenSchedule written{spec.op, spec.ranks, 0, has_root(spec.op) ? spec.root : 0, {}};
  written.blocks = spec.op == Operation::alltoall ? spec.ranks * spec.ranks : spec.ranks;
  written.steps.resize(static_cast<std::size_t>(spec.ranks));
  std::vector<std::vector<std::vector<int>>> sent(static_cast<std::size_t>(spec.ranks * spec.ranks));
  const auto way = [&](int from, int to) -> auto& { return sent[static_cast<std::size_t>(from * spec.ranks + to)]; };
  for (int rank = 0; rank < spec.ranks; ++rank)
    for (std::int64_t i = 0; i < schedule.steps(0, rank); ++i)
      if (const Step step = schedule.step(0, rank, i).step; step.to != no_rank) {
        std::vector<Piece> pieces;
        schedule.contents(0, rank, i, pieces);
        way(rank, step.to).push_back(blocks_of(pieces, spec.op, spec.ranks));
      }
  std::vector<std::size_t> out(sent.size(), 0), in(sent.size(), 0);
  for (int rank = 0; rank < spec.ranks; ++rank)
    for (std::int64_t i = 0; i < schedule.steps(0, rank); ++i) {
      const Step step = schedule.step(0, rank, i).step;
      WrittenStep here;
      if (step.to != no_rank)
        here.send = WrittenSend{
            step.to, way(rank, step.to)[out[static_cast<std::size_t>(rank * spec.ranks + step.to)]++], !step.buffered};
      if (step.from != no_rank)
        here.receive = WrittenReceive{
            step.from, way(step.from, rank)[in[static_cast<std::size_t>(step.from * spec.ranks + rank)]++],
            step.combine == Combine::reduce};
      written.steps[static_cast<std::size_t>(rank)].push_back(std::move(here));
    }
  return written;
}

std::vector<GroupSpec> specs_of(const Collective& row, int p) {
  std::vector<GroupSpec> specs;
  for (std::size_t o = 0; o < operation_names.size(); ++o) {
    const auto op = static_cast<Operation>(o);
    if (can_be_written(op) && row.group.serves(op)) specs.push_back({op, p, p / 3, p, 0, 2});
  }
  return specs;
}

/// Whether a file can express when each step ends: no step waits for buffered data, except a rank's last step.
bool keeps_its_times(const GroupSchedule& schedule) {
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    bool buffered = false;
    for (std::int64_t i = 0, steps = schedule.steps(0, rank); i + 1 < steps; ++i) {
      const Step step = schedule.step(0, rank, i).step;
      buffered = buffered || (step.to != no_rank && step.buffered);
      if (buffered && step.to != no_rank && step.wait_sent) return false;
    }
  }
  return true;
}

template <class F> void for_each_written(const F& call) {
  for (const Collective* row : group_collectives())
    for (int p = 2; p <= (test::is_sanitized ? 5 : 9); ++p)
      for (const GroupSpec& spec : specs_of(*row, p)) {
        const auto schedule = make_group_schedule(*row, spec);
        if (schedule->lanes() > 1 || schedule->members() > spec.ranks) continue;
        INFO(row->name << " " << operation_name(spec.op) << " p=" << p);
        call(*row, spec, *schedule);
      }
}

/// Ranks 0 .. p-1 sum one block along a chain, and the last rank sends the sum to all others.
WrittenSchedule chain_of(int p) {
  WrittenSchedule s{Operation::all_reduce, p, 1, 0, {}};
  s.steps.resize(static_cast<std::size_t>(p));
  for (int rank = 0; rank < p; ++rank) {
    auto& own = s.steps[static_cast<std::size_t>(rank)];
    if (rank > 0) own.push_back({{}, WrittenReceive{rank - 1, {0}, true}});
    if (rank + 1 < p) {
      own.push_back({WrittenSend{rank + 1, {0}}, {}});
      own.push_back({{}, WrittenReceive{p - 1, {0}, false}});
    } else {
      for (int other = 0; other + 1 < p; ++other) own.push_back({WrittenSend{other, {0}}, {}});
    }
  }
  return s;
}

std::string text_of(const WrittenMistake& m) { return fmt::format("{}/{}/{}: {}", m.rank, m.step, m.key, m.message); }
std::vector<std::string> texts(const WrittenSchedule& s, bool contents = true) {
  std::vector<std::string> all;
  for (const WrittenMistake& mistake : mistakes_in(s, contents)) all.push_back(text_of(mistake));
  return all;
}
using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("written down, schedules of the catalogue have no mistakes, carry the same and take as long") {
  std::set<std::string_view> rows;
  for_each_written([&](const Collective& row, const GroupSpec& spec, const GroupSchedule& schedule) {
    const auto written = std::make_shared<const WrittenSchedule>(written_down(spec, schedule));
    REQUIRE(texts(*written).empty());
    rows.insert(row.name);
    const auto made = make_written_schedule(written, spec.elements);
    CHECK_NOTHROW(carry_out(spec, *made, 1));
    for (const LinkParameters link : {LinkParameters{5, 1, 0.25}, LinkParameters{0.5, 2, 0}})
      if (keeps_its_times(schedule))
        CHECK(time_on_star(*made, link) == Approx(time_on_star(schedule, link)).epsilon(1e-9));
    GroupSpec larger = spec; // blocks of several elements, with different sizes
    larger.elements = 6 * spec.elements + (counts_blocks(spec.op) ? 0 : 1);
    CHECK_NOTHROW(carry_out(larger, *make_written_schedule(written, larger.elements), 2));
  });
  CHECK(rows.size() >= 9);
}

TEST_CASE("a written schedule that loses a step, or has one changed, has mistakes") {
  REQUIRE(rc::check("one change", [] {
    const int p = *rc::gen::inRange(3, 8);
    const Collective& row = **rc::gen::elementOf(std::vector<const Collective*>{
        group_collective("ring"), group_collective("spread"), group_collective("bruck")});
    const std::vector<GroupSpec> specs = specs_of(row, p);
    const GroupSpec spec = *rc::gen::elementOf(specs);
    WrittenSchedule written = written_down(spec, *make_group_schedule(row, spec));
    auto& steps = written.steps[static_cast<std::size_t>(*rc::gen::inRange(0, p))];
    RC_PRE(!steps.empty());
    const auto at = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(steps.size())));
    switch (*rc::gen::inRange(0, 3)) {
    case 0: steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1:
      RC_PRE(steps[at].receive.has_value());
      steps[at].receive->reduce = !steps[at].receive->reduce;
      break;
    default:
      RC_PRE(steps[at].send.has_value() && !steps[at].send->blocks.empty());
      steps[at].send->blocks.pop_back();
      break;
    }
    RC_LOG() << row.name << " " << operation_name(spec.op) << "\n";
    RC_ASSERT(!mistakes_in(written).empty());
  }));
}

TEST_CASE("mistakes of a written schedule, each with its place") {
  CHECK(texts(chain_of(4)).empty());
  WrittenSchedule s = chain_of(3);
  SECTION("a block never arrives") {
    s.operation = Operation::broadcast;
    s.blocks = 2;
    s.root = 0;
    s.steps = {{{WrittenSend{1, {0, 1}}, {}}, {WrittenSend{2, {0}}, {}}},
               {{{}, WrittenReceive{0, {0, 1}, false}}},
               {{{}, WrittenReceive{0, {0}, false}}}};
    CHECK(texts(s) == Texts{"2/-1/: block 1 never arrives at rank 2"});
  }
  SECTION("a contribution is missing") {
    s.steps[1][0].receive->reduce = false;
    CHECK(texts(s) == Texts{"0/-1/: block 0 ends on rank 0 without the contribution of rank 1",
                            "1/-1/: block 0 ends on rank 1 without the contribution of rank 1",
                            "2/-1/: block 0 ends on rank 2 without the contribution of rank 1"});
  }
  SECTION("a block is added twice") {
    s.steps[0][1].receive->reduce = true;
    CHECK(texts(s) ==
          Texts{"0/1/receive: block 0 already contains the contribution of rank 0, which would count twice"});
  }
  SECTION("a rank waits for itself, for a rank or a block that is not there, or for nothing") {
    s.steps[1][1].send->to = 1;
    s.steps[0].push_back({});
    s.steps[0].push_back({WrittenSend{7, {3, 0, 0}}, {}});
    const Texts found = texts(s);
    for (const char* each :
         {"1/1/send/to: rank 1 waits for itself; name another rank", "0/2/: this step neither sends nor receives",
          "0/3/send/to: rank 7 does not exist; ranks are 0 to 2",
          "0/3/send/blocks: block 3 does not exist; blocks are 0 to 0", "0/3/send/blocks: block 0 is listed twice",
          "1/2/receive: deadlock: ranks 1 and 2 wait for each other: rank 1 in step 2 receives from rank 2, rank 2 in "
          "step 0 "
          "receives from rank 1"})
      CHECK(std::ranges::find(found, each) != found.end());
  }
  SECTION("ranks wait for each other") {
    for (int rank = 0; rank < 3; ++rank)
      s.steps[static_cast<std::size_t>(rank)] = {{WrittenSend{(rank + 1) % 3, {0}}, {}},
                                                 {{}, WrittenReceive{(rank + 2) % 3, {0}, false}}};
    CHECK(texts(s) ==
          Texts{"0/0/send: deadlock: ranks 0, 1 and 2 wait for each other: rank 0 in step 0 sends to rank 1, rank 1 in "
                "step 0 sends to rank 2, rank 2 in step 0 sends to rank 0"});
    for (auto& steps : s.steps) steps[0].send->wait = false;
    CHECK(texts(s, false).empty());
  }
  SECTION("a message that nobody receives, and one with other blocks") {
    s.blocks = 2;
    s.steps[2].push_back({WrittenSend{0, {1}, false}, {}});
    s.steps[1][0].receive->blocks = {1};
    const Texts found = texts(s);
    CHECK(
        std::ranges::find(
            found, "2/3/send: this message is never received: rank 0 has no further step that receives from rank 2") !=
        found.end());
    CHECK(std::ranges::find(found,
                            "1/0/receive/blocks: rank 0 sends block 0 in its step 0, but rank 1 receives block 1") !=
          found.end());
  }
  SECTION("a block that its sender lacks, and an operation that adds nothing up") {
    s.operation = Operation::broadcast;
    s.root = 2;
    const Texts found = texts(s);
    CHECK(std::ranges::find(found, "0/0/send/blocks: rank 0 has no block 0 to send yet") != found.end());
    CHECK(std::ranges::find(found, "1/0/receive/reduce: operation broadcast does not reduce; leave \"reduce\" out") !=
          found.end());
  }
  SECTION("no more than so many are told") {
    for (int i = 0; i < 9; ++i) s.steps[0].push_back({});
    CHECK(mistakes_in(s, true, 5).size() == 6);
    CHECK(mistakes_in(s, true, 5).back().message == "and 4 more mistakes");
  }
}
