#include "scenarios/language/sweeps/axis_file.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

namespace {

/// Returns the error for a column "nodes".
std::string error_of_csv(const std::string& content) {
  std::string error;
  axis_values(content, {"platform.nodes", true, {}}, 0, error);
  return error;
}

} // namespace

TEST_CASE("a quote that never ends in an axis' file is a mistake, wherever it stands") {
  CHECK(error_of_csv("name,nodes\n\"a\",4\n\"b, c\",\"8\"\n") == "");
  CHECK(error_of_csv("nodes,name\n4,a\n8,\"b\n16,c\n") == "the quote at column 3 of line 3 is never closed");
  CHECK(error_of_csv("nodes,\"name\n4,a\n") == "the quote at column 7 of line 1 is never closed");
  CHECK(error_of_csv("name,nodes\n\"a,4\n") == "the quote at column 1 of line 2 is never closed");
  CHECK(error_of_csv("nodes\n\"4\n") == "the quote at column 1 of line 2 is never closed");
}
