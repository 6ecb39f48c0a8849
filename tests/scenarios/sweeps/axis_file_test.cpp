#include "scenarios/language/sweeps/axis_file.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;

namespace {

using Mistakes = std::vector<std::string>;

/// Returns the mistakes of a CSV file for a column "nodes".
Mistakes mistakes_of_csv(const std::string& content) {
  std::vector<Problem> problems;
  axis_values(content, {"platform.nodes", true, {}}, 0, "/axes/n/file", problems);
  Mistakes all;
  for (const Problem& problem : problems)
    all.push_back(fmt::format("{}:{}: {}", problem.position.line, problem.position.column, problem.message));
  return all;
}

} // namespace

TEST_CASE("every mistake in an axis' file is told at its place") {
  CHECK(mistakes_of_csv("name,nodes\n# a comment\n\"a\",4\n\"b, c\",\"8\"\n").empty());
  CHECK(mistakes_of_csv("nodes,name\n4,a\n8,\"b\n16,c\n32,\"d\n") ==
        Mistakes{"3:3: this quote is never closed", "5:4: this quote is never closed"});
  CHECK(mistakes_of_csv("nodes,\"name\n4,a\n") == Mistakes{"1:7: this quote is never closed"});
  CHECK(mistakes_of_csv("name,nodes\n\"a,4\n") == Mistakes{"2:1: this quote is never closed"});
  CHECK(mistakes_of_csv("nodes,name\n4\n") == Mistakes{"2:1: this row has 1 fields, but the header has 2 columns"});
  CHECK(mistakes_of_csv("# sizes\nsize,name\n\"4,a\n") ==
        Mistakes{"3:1: this quote is never closed",
                 "2:1: the file has neither a column \"platform.nodes\" nor \"nodes\": name a column with \"column\". "
                 "Allowed: size, name"});
  CHECK(mistakes_of_csv("nodes\n") == Mistakes{"1:1: the file has no values"});
}
