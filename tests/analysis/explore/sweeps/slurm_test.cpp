#include "analysis/explore/sweeps/slurm.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <stdexcept>

using namespace gradflight;
using Catch::Contains;

namespace {

/// Slurm's environment of one task; removed at the end.
class ArrayTask {
public:
  ArrayTask(const char* id, const char* count, const char* first, const char* last) {
    const char* values[] = {id, count, first, last};
    for (std::size_t i = 0; i < 4; ++i)
      if (values[i] != nullptr) setenv(names[i], values[i], 1);
  }
  ~ArrayTask() {
    for (const char* name : names) unsetenv(name);
  }
  ArrayTask(const ArrayTask&) = delete;
  ArrayTask& operator=(const ArrayTask&) = delete;

private:
  static constexpr const char* names[] = {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
                                          "SLURM_ARRAY_TASK_MAX"};
};

void check_shard(const Shard& shard, int index, int count) {
  CHECK(shard.index == index);
  CHECK(shard.count == count);
}

} // namespace

TEST_CASE("a shard is what is said, else Slurm's task, else all") {
  check_shard(shard_of(""), 0, 1);
  check_shard(shard_of("3/4"), 3, 4);
  const ArrayTask task("7", "3", "5", "7");
  check_shard(shard_of(""), 2, 3);
  check_shard(shard_of("0/2"), 0, 2);
}

TEST_CASE("a shard that is none is refused, and so is an array with gaps") {
  for (const char* text : {"4/4", "-1/4", "1", "1/", "/4", "1/4x", "1/0", "a/b"})
    CHECK_THROWS_AS(shard_of(text), std::invalid_argument);
  const ArrayTask gaps("7", "5", "0", "7");
  CHECK_THROWS_WITH(shard_of(""), Contains("0 to 7 are only 5 tasks"));
}

TEST_CASE("the script names everything by its full path and hands on what was asked for") {
  const auto script = slurm_script({3, "/opt/gradflight", "/here/sweep.json", "/here/a b", 2, "60s", "2GB", true});
  CHECK_THAT(script, Contains("--array=0-2 --cpus-per-task=2"));
  CHECK_THAT(script, Contains("exec /opt/gradflight sweep /here/sweep.json --out '/here/a b' --jobs 2 --wall 60s "
                              "--memory 2GB --retry\n"));
  CHECK_THAT(script, Contains("exec /opt/gradflight merge '/here/a b'\n"));
}
