// The trees that chunks pass through.
#include "models/schedules/operations/parts/group_trees.hpp"

#include "models/forms/collective_cost.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace gradflight;

namespace {

std::vector<int> parents_of(const GroupTree& tree, int members) {
  std::vector<int> parents;
  for (int member = 0; member < members; ++member) parents.push_back(tree.parent(member));
  return parents;
}

/// Checks that children and parents agree, and that all members are below one root. Returns the number of levels below
/// it.
int levels_of(const GroupTree& tree, int members) {
  int roots = 0, edges = 0, deepest = 0;
  for (int member = 0; member < members; ++member) {
    if (tree.parent(member) == no_rank) ++roots;
    for (int i = 0; i < tree.children(member); ++i, ++edges) REQUIRE(tree.parent(tree.child(member, i)) == member);
    int above = 0;
    for (int up = tree.parent(member); up != no_rank; up = tree.parent(up)) REQUIRE(++above < members);
    deepest = std::max(deepest, above);
  }
  REQUIRE(roots == 1);
  REQUIRE(edges == members - 1);
  return deepest;
}

} // namespace

TEST_CASE("trees of groups: NCCL's as in its source") {
  CHECK(parents_of(*double_tree(8, 0), 8) == std::vector{no_rank, 2, 4, 2, 0, 6, 4, 6});
  CHECK(parents_of(*double_tree(5, 0), 5) == std::vector{no_rank, 2, 4, 2, 0});
  CHECK(parents_of(*double_tree(8, 1), 8) == std::vector{1, 3, 1, 7, 5, 3, 5, no_rank}); // mirrored
  CHECK(parents_of(*double_tree(5, 1), 5) == std::vector{1, no_rank, 3, 0, 3});          // shifted
}

TEST_CASE("trees of groups: whole for any p and root, and as flat as they should be") {
  for (int p = 2; p <= 64; ++p)
    for (const int root : {0, p / 2, p - 1}) {
      CAPTURE(p, root);
      CHECK(levels_of(*chain_tree(p, root), p) == p - 1);
      CHECK(levels_of(*heap_tree(p, root), p) == floor_lg(p));
      CHECK(levels_of(*switch_tree(p), p + 1) == 1);
      CHECK(levels_of(*switch_tree_below(p, root), p + 1) == 2);
    }
}

TEST_CASE("trees of groups: a rank is inside one of NCCL's two trees at most, but for an odd root") {
  for (int p = 2; p <= 65; ++p) {
    CAPTURE(p);
    const auto first = double_tree(p, 0), second = double_tree(p, 1);
    CHECK(levels_of(*first, p) <= ceil_lg(p) + 1);
    CHECK(levels_of(*second, p) <= ceil_lg(p) + 1);
    int inside_both = 0;
    for (int rank = 0; rank < p; ++rank)
      if (first->children(rank) > 0 && second->children(rank) > 0) ++inside_both;
    CHECK(inside_both <= p % 2);
    for (int root = 0; root < p; root += 7)
      for (const int which : {0, 1}) {
        const auto below = double_tree_below(p, root, which);
        CHECK(levels_of(*below, p) <= ceil_lg(p) + 2);
        CHECK(below->parent(root) == no_rank);
      }
  }
}
