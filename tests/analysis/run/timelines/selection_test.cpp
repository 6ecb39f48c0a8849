#include "analysis/run/timelines/byte_sink.hpp"
#include "analysis/run/timelines/selection.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <rapidcheck.h>

using namespace gradflight;

namespace {

/// Ranks that compute for 1 ms and send to the next rank for 1 ms, `rounds` times.
Timeline many_ranks(int ranks, int rounds) {
  Timeline t;
  t.bucket_names = {"g"};
  t.layer_names = {"l"};
  for (int rank = 0; rank < ranks; ++rank) t.rank_names.push_back("rank " + std::to_string(rank));
  for (int round = 0; round < rounds; ++round)
    for (int rank = 0; rank < ranks; ++rank) {
      const double begin = 2e-3 * round;
      t.intervals.push_back({rank, 0, Activity::backward, 0, round, begin, begin + 1e-3});
      t.transfers.push_back({rank, (rank + 1) % ranks, 1, 0, round, begin + 1e-3, begin + 1e-3, begin + 2e-3, 8});
    }
  return t;
}

std::size_t shown_ranks(const SelectedTimeline& selected) {
  return static_cast<std::size_t>(std::ranges::count(selected.shown, true));
}

} // namespace

TEST_CASE("ranks are listed one by one and from first to last") {
  CHECK(parse_ranks("3") == std::vector<std::pair<int, int>>{{3, 3}});
  CHECK(parse_ranks("0-7,12") == std::vector<std::pair<int, int>>{{0, 7}, {12, 12}});
  for (const char* wrong : {"", "a", "1-", "-1", "3-1", "1,,2", "1;2", "99999999999"})
    CHECK_THROWS_AS(parse_ranks(wrong), std::invalid_argument);
}

TEST_CASE("ranks and a span of time are chosen, with the messages to and from them") {
  const Timeline all = many_ranks(4, 3);
  TimelineSelection wanted;
  wanted.ranks = {{1, 1}};
  wanted.from = 2.5e-3;
  wanted.to = 3.5e-3;
  const SelectedTimeline some = select(all, wanted, 100);
  CHECK(some.complete());
  CHECK(shown_ranks(some) == 1);
  REQUIRE(some.timeline.intervals.size() == 1);
  CHECK(some.timeline.intervals[0].rank == 1);
  CHECK(some.timeline.intervals[0].iteration == 1);
  CHECK(some.timeline.transfers.size() == 2); // to the rank, and from it
  for (const CriticalStep& step : some.path) CHECK((step.end >= wanted.from && step.begin <= wanted.to));
  CHECK(left_out_text(some).empty());
}

TEST_CASE("collectives alone are a slice for each rank, bucket and iteration") {
  TimelineSelection wanted;
  wanted.collectives_only = true;
  const SelectedTimeline some = select(many_ranks(3, 2), wanted, 100);
  CHECK(some.timeline.transfers.empty());
  REQUIRE(some.timeline.intervals.size() == 6);
  for (const Interval& v : some.timeline.intervals) {
    CHECK(v.activity == Activity::exchange);
    CHECK(v.end - v.begin == Approx(1e-3));
    CHECK(slice_name(some.timeline, v) == "exchange g");
  }
}

TEST_CASE("what is too much is left out, rank by rank, and told") {
  const Timeline all = many_ranks(16, 10); // 50 slices of work and messages per rank
  TimelineSelection wanted;
  wanted.bytes = 100 * 250;
  const SelectedTimeline some = select(all, wanted, 100);
  CHECK_FALSE(some.complete());
  CHECK(some.ranks_left_out == 16 - shown_ranks(some));
  CHECK(some.ranks_left_out > 0);
  CHECK(shown_ranks(some) > 0);
  CHECK(some.shown[static_cast<std::size_t>(some.path.back().rank)]); // the rank on which the run ended
  CHECK(left_out_text(some) == std::to_string(some.ranks_left_out) + " ranks");
  wanted.bytes = 100 * 20; // less than one rank
  const SelectedTimeline few = select(all, wanted, 100);
  CHECK(shown_ranks(few) == 1);
  CHECK(few.short_left_out > 0);
  CHECK(left_out_text(few).find("shorter than") != std::string::npos);
}

TEST_CASE("a selection is never much larger than asked for") {
  CHECK(rc::check("selection's size", [] {
    const Timeline all = many_ranks(*rc::gen::inRange(1, 20), *rc::gen::inRange(1, 20));
    TimelineSelection wanted;
    wanted.bytes = 100.0 * *rc::gen::inRange(8, 2000);
    const SelectedTimeline some = select(all, wanted, 100);
    std::size_t slices = some.timeline.intervals.size();
    for (const Transfer& t : some.timeline.transfers)
      slices += 2 * (static_cast<std::size_t>(some.shown[static_cast<std::size_t>(t.from)]) +
                     static_cast<std::size_t>(some.shown[static_cast<std::size_t>(t.to)]));
    RC_ASSERT(static_cast<double>(slices) <= wanted.bytes / 100);
    RC_ASSERT(some.complete() == (some.timeline.intervals.size() == all.intervals.size()));
  }));
}

TEST_CASE("a packed file unpacks to the same bytes") {
  const test::TemporaryDirectory directory;
  const std::string text(300'000, 'x');
  for (const bool packed : {false, true}) {
    const std::string path = directory.path(packed ? "t.gz" : "t");
    {
      const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), &std::fclose);
      ByteSink sink(file.get(), packed);
      sink.write(std::string_view(text).substr(0, 1000));
      sink.write(std::string_view(text).substr(1000));
      sink.finish();
    }
    CHECK(opening_of(path.c_str(), 400'000) == text);
    CHECK((std::filesystem::file_size(path) < text.size()) == packed);
  }
  CHECK(opening_of(directory.path("nothing").c_str(), 10).empty());
}
