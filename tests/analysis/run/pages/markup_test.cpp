#include "analysis/run/pages/markup.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("running text of a page keeps a number and its unit on one line") {
  CHECK(markup_prose("94.0 % of 148.89 ms; then <0.1 %.") == "94.0&nbsp;% of 148.89&nbsp;ms; then &lt;0.1&nbsp;%.");
  CHECK(markup_prose("(10 Gbps), 4 MiB") == "(10&nbsp;Gbps), 4&nbsp;MiB");
  CHECK(markup_prose("2 local steps of 8 GPUs") == "2 local steps of 8 GPUs");
  CHECK(markup_prose("rank 3  s") == "rank 3  s"); // two blanks stay
  CHECK(markup_prose("ends in 3 ") == "ends in 3 ");
}
