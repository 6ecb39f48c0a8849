#include "support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {
GraphEdge edge(std::string from, std::string to, double latency, bool one_way = false) {
  return {std::move(from), std::move(to), cable(1e9, latency), one_way};
}
} // namespace

TEST_CASE("graph: least latency first") {
  const auto p = build_platform(graph(3, {"a", "b", "c"},
                                      {edge("0", "a", 1e-6), edge("1", "b", 1e-6), edge("2", "c", 1e-6),
                                       edge("a", "b", 10e-3), edge("b", "c", 20e-3), edge("a", "c", 40e-3)}),
                                0);
  CHECK(p.links().size() == 12);
  CHECK(route(p, 0, 1) == Names{"0->a", "a->b", "b->1"});
  CHECK(route(p, 0, 2) == Names{"0->a", "a->b", "b->c", "c->2"}); // 30 ms instead of 40
  CHECK(route(p, 2, 0) == Names{"2->c", "c->b", "b->a", "a->0"});
  CHECK(p.cost(0, 2).alpha == Approx(0.030002).epsilon(1e-12));
}

TEST_CASE("graph: a tenth of a nanosecond decides") {
  const auto p = build_platform(
      graph(2, {"s", "t"}, {edge("0", "s", 0), edge("s", "1", 1.4e-9), edge("0", "t", 0), edge("t", "1", 1.3e-9)}), 0);
  CHECK(route(p, 0, 1) == Names{"0->t", "t->1"});
}

TEST_CASE("graph: then fewest hops") {
  const auto p = build_platform(
      graph(2, {"a", "b", "c"},
            {edge("0", "a", 0), edge("a", "b", 1e-3), edge("b", "c", 2e-3), edge("a", "c", 3e-3), edge("c", "1", 0)}),
      0);
  CHECK(route(p, 0, 1) == Names{"0->a", "a->c", "c->1"});
}

TEST_CASE("graph: then the lowest link number") {
  // 0.1 + 0.2 ms and 0.3 ms are the same time, although the doubles differ.
  const auto p = build_platform(
      graph(2, {"s", "t"}, {edge("0", "s", 2e-4), edge("s", "1", 1e-4), edge("0", "t", 1e-4), edge("t", "1", 2e-4)}),
      0);
  CHECK(route(p, 0, 1) == Names{"0->s", "s->1"});
  const auto q = build_platform(graph(2, {}, {edge("0", "1", 1e-3), edge("0", "1", 1e-3)}), 0);
  CHECK(q.links()[2].name == "0->1#1");
  CHECK(q.links()[3].name == "1->0#1");
  CHECK(route(q, 0, 1) == Names{"0->1"});
  CHECK(route(q, 1, 0) == Names{"1->0"});
}

TEST_CASE("graph: nodes pass traffic on, two nodes hang on one switch, one-way links") {
  const auto p = build_platform(graph(4, {"s"},
                                      {edge("0", "1", 1e-3, true), edge("1", "2", 1e-3, true),
                                       edge("2", "0", 1e-3, true), edge("2", "s", 1e-3), edge("s", "3", 1e-3)}),
                                0);
  CHECK(p.links().size() == 3 + 4);
  CHECK(route(p, 0, 2) == Names{"0->1", "1->2"});
  CHECK(route(p, 2, 1) == Names{"2->0", "0->1"});
  CHECK(route(p, 3, 1) == Names{"3->s", "s->2", "2->0", "0->1"});
  CHECK(route(p, 1, 3) == Names{"1->2", "2->s", "s->3"});
  const auto q = build_platform(graph(2, {"s"}, {edge("0", "s", 1e-3), edge("s", "1", 1e-3)}), 0);
  CHECK(route(q, 0, 1) == Names{"0->s", "s->1"});
}

TEST_CASE("graph: egress is the direction from -> to") {
  auto edges = std::vector<GraphEdge>{edge("0", "1", 1e-3)};
  edges[0].link.egress = ByteRate(1e8);
  const auto p = build_platform(graph(2, {}, edges), 0);
  CHECK(link_named(p, "0->1").bandwidth == 1e8);
  CHECK(link_named(p, "1->0").bandwidth == 1e9);
}

TEST_CASE("graph: more sources than trees are kept") {
  // A ring of 4,000 nodes without switches has 16 million tree entries, twice the size of the cache.
  std::vector<GraphEdge> edges;
  for (int n = 0; n < 4000; ++n) edges.push_back(edge(std::to_string(n), std::to_string((n + 1) % 4000), 1e-6));
  const auto p = build_platform(graph(4000, {}, edges), 0);
  for (const int n : {0, 2097, 4000 - 2097, 3999, 0, 1903}) {
    CHECK(route(p, n, (n + 2) % 4000).size() == 2);
    CHECK(route(p, n, (n + 3990) % 4000).size() == 10);
  }
}
