#include "analysis/run/run_page/gantt.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

namespace {

/// Rank 0 computes for 1 s, and sends to rank `to` for 1 s, which then updates for 1 s.
Timeline chain_to(int to, int ranks) {
  Timeline t;
  for (int rank = 0; rank < ranks; ++rank) t.rank_names.push_back("rank <" + std::to_string(rank) + ">");
  t.intervals = {{0, 0, Activity::forward, 0, 0, 0, 1}, {to, 0, Activity::update, 0, 0, 2, 3}};
  t.transfers = {{0, to, 1, 0, 0, 1, 1, 2, 100, 1}};
  return t;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

} // namespace

TEST_CASE("a drawing of a timeline shows the ranks of its critical path") {
  CHECK(gantt_view(chain_to(1, 3), 0, 3).ranks == std::vector<int>{0, 1, 2});
  const auto of_many = gantt_view(chain_to(77, 100), 0, 3).ranks;
  CHECK(of_many.size() == gantt_ranks);
  CHECK(of_many.back() == 77);
}

TEST_CASE("work, messages and the critical path are drawn for both widths") {
  const Timeline timeline = chain_to(1, 2);
  const std::string markup = gantt_markup(timeline, gantt_view(timeline, 0, 3), "what it shows");
  CHECK(count(markup, "<svg") - count(markup, "aria-hidden") == 2);
  CHECK(count(markup, "<title>passes</title>") == 2);
  CHECK(count(markup, "<title>update</title>") == 2);
  CHECK(count(markup, "<title>sending</title>") == 2);
  CHECK(count(markup, "<title>receiving</title>") == 2);
  CHECK(count(markup, "<title>critical path</title>") == 4); // one for each rank
  CHECK(count(markup, "class=\"hop\"") == 2);
  CHECK_THAT(markup, Catch::Contains("rank &lt;0&gt;"));
  CHECK_THAT(markup, Catch::Contains(">1 s<"));
}

TEST_CASE("what lies outside the view is not drawn, and nothing gives no drawing") {
  const Timeline timeline = chain_to(1, 2);
  const std::string markup = gantt_markup(timeline, gantt_view(timeline, 2, 3), "");
  CHECK(count(markup, "<title>passes</title>") == 0);
  CHECK(count(markup, "<title>update</title>") == 2);
  CHECK(gantt_markup(timeline, gantt_view(timeline, 5, 6), "").empty());
  CHECK(gantt_markup({}, gantt_view({}, 0, 1), "").empty());
}

TEST_CASE("a drawing does not grow with the messages that a screen cannot tell apart") {
  Timeline timeline = chain_to(1, 2);
  const auto size = [&] { return gantt_markup(timeline, gantt_view(timeline, 0, 3), "").size(); };
  const auto before = size();
  timeline.transfers.clear();
  for (int i = 0; i < 100'000; ++i) {
    const double at = 1 + 1e-5 * i;
    timeline.transfers.push_back({0, 1, 1, 0, 0, at, at, at + 1e-5, 1, at});
  }
  CHECK(size() < before + 1000);
}

TEST_CASE("changes are marked where they come") {
  Timeline timeline = chain_to(1, 2);
  timeline.marks = {{1.5, "node0.up: bandwidth 1 Gbps"}, {9, "too late"}};
  const std::string markup = gantt_markup(timeline, gantt_view(timeline, 0, 3), "");
  CHECK(count(markup, "node0.up: bandwidth 1 Gbps") == 2);
  CHECK(count(markup, "too late") == 0);
}
