#include "base/letters.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("only ASCII's letters change their case") {
  CHECK(lower_case("NCCL-Tests 2.3 \xC3\x84") == "nccl-tests 2.3 \xC3\x84");
  CHECK(capitalised("the NICs") == "The NICs");
  CHECK(capitalised("NICs") == "NICs");
  CHECK(capitalised("xGMI") == "xGMI");
  CHECK(capitalised("\xC3\xA4 b") == "\xC3\xA4 b");
  CHECK(capitalised("4 KiB") == "4 KiB");
  CHECK(capitalised("").empty());
}

TEST_CASE("spellings of a name share their letters, digits and other signs") {
  CHECK(common_spelling("All-Reduce") == "allreduce");
  CHECK(common_spelling("ALL_REDUCE") == "allreduce");
  CHECK(common_spelling("all reduce") == "allreduce");
  CHECK(common_spelling("GPT-3.5") == "gpt3.5");
  CHECK(common_spelling("_- ").empty());
}

TEST_CASE("the last item of an enumeration has a word of its own before it") {
  CHECK(enumerated({}).empty());
  CHECK(enumerated({"ring"}) == "ring");
  CHECK(enumerated({"ring", "tree"}) == "ring or tree");
  CHECK(enumerated({"ring", "tree", "flat"}, ", and ") == "ring, tree, and flat");
}
