// Simulations in several threads of one process: for ThreadSanitizer (preset tsan), and for equal bits.
#include "analysis/run/child_process.hpp"
#include "analysis/run/prepare.hpp"
#include "analysis/run/worker_process.hpp"
#include "source_dir.hpp"
#include "tests/support/effort.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <thread>

using namespace gradflight;

namespace {

/// Returns short scenarios of every kind, including real tensors and their codecs; with a sanitizer, those with few
/// ranks.
std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> paths;
  const auto all = scenario_files({std::string(GF_SOURCE_DIR) + "/scenarios/golden"});
  for (std::size_t i = 0; i < all.size(); i += test::is_sanitized ? 3 : 1)
    if (!test::is_sanitized || prepare(all[i]).scenario().workers() <= 64) paths.push_back(all[i].path);
  return paths;
}

bool is_hybrid(const Prepared& prepared) { return prepared.scenario().engine.kind == EngineKind::hybrid; }

} // namespace

TEST_CASE("two simulations in two threads find the same bits as one after the other", "[system]") {
  for (const auto& file : files()) {
    const Prepared prepared = prepare(file);
    if (!is_hybrid(prepared)) continue;
    INFO(file.string());
    const auto alone = to_bytes(simulate(prepared));
    std::string first, second;
    {
      // One simulation uses the shared platform. The other decodes and uses its own at the same time.
      const std::jthread one([&] { first = to_bytes(simulate(prepared)); });
      const std::jthread other([&] { second = to_bytes(simulate(prepare(file))); });
    }
    CHECK(first == alone);
    CHECK(second == alone);
  }
}

TEST_CASE("the threads of a worker process answer every index", "[system]") {
  const auto all = files();
  const Work work = [&](std::size_t index, Process process) {
    const Prepared prepared = prepare(all[index % all.size()]);
    return to_bytes(evaluate(prepared, {.process = process}).result);
  };
  auto [here, there] = connection();
  std::map<std::size_t, WorkEnd> ends;
  {
    const std::jthread worker([&, fd = there.get()] { serve(fd, work, 4); });
    for (std::size_t i = 0; i < 2 * all.size(); ++i)
      REQUIRE(send_all(here.get(), {reinterpret_cast<const char*>(&i), sizeof i}));
    for (std::size_t i = 0; i < 2 * all.size(); ++i) {
      std::size_t head[2] = {};
      REQUIRE(receive_all(here.get(), reinterpret_cast<char*>(head), sizeof head));
      std::string bytes(head[1], '\0');
      REQUIRE(receive_all(here.get(), bytes.data(), bytes.size()));
      ends[head[0]] = end_of(bytes);
    }
    here.reset(); // the worker process ends
  }
  REQUIRE(ends.size() == 2 * all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(ends[i].kind == ends[i + all.size()].kind);
    CHECK(ends[i].found == ends[i + all.size()].found);
    CHECK(ends[i].found.empty() == (ends[i].kind == WorkEnd::Kind::needs_process));
  }
}
