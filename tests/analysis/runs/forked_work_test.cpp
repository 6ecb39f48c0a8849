#include "analysis/runs/forked_work.hpp"

#include "analysis/runs/address_sanitizer.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>
#include <unistd.h>

using namespace gradflight;
using Catch::Contains;
using Kind = ForkedAnswer::Kind;

namespace {

ForkedAnswer answer_of(const std::function<std::string()>& work, const ForkLimits& limits = {}) {
  ForkedWork child(work, limits);
  while (!child.read_some()) {
  }
  return child.finish();
}

} // namespace

TEST_CASE("the answer arrives whole") {
  const std::string long_text(1'000'000, 'x');
  const auto answer = answer_of([&] { return long_text; });
  CHECK(answer.kind == Kind::answered);
  CHECK(answer.text == long_text);
  CHECK(answer.max_rss_bytes > 0);
}

TEST_CASE("an empty answer is an answer") {
  CHECK(answer_of([] { return std::string(); }).kind == Kind::answered);
}

TEST_CASE("an exception is told") {
  const auto answer = answer_of([]() -> std::string { throw std::runtime_error("why"); });
  CHECK(answer.kind == Kind::threw);
  CHECK(answer.text == "why");
  CHECK(answer_of([]() -> std::string { throw 3; }).kind == Kind::threw);
}

TEST_CASE("a death by signal is told") {
  const auto answer = answer_of([]() -> std::string {
    raise(SIGKILL);
    return {};
  });
  CHECK(answer.kind == Kind::stopped);
  CHECK_THAT(answer.text, Contains("signal 9"));
}

TEST_CASE("an end without an answer is told") {
  const auto answer = answer_of([]() -> std::string { _exit(5); });
  CHECK(answer.kind == Kind::vanished);
  CHECK(answer.text == "status 5");
}

TEST_CASE("stop ends a child that would go on") {
  ForkedWork child(
      []() -> std::string {
        for (;;) pause();
      },
      {.wall_s = 0.0, .memory_bytes = {}});
  CHECK(child.time_left() == 0.0);
  child.stop();
  CHECK(child.finish().kind == Kind::stopped);
}

#ifndef GF_ADDRESS_SANITIZER // its shadow memory counts
TEST_CASE("memory is limited") {
  const auto hungry = [](std::size_t bytes) {
    return [bytes] {
      const std::string memory(bytes, 'x');
      return memory.substr(bytes / 2, 1);
    };
  };
  const ForkLimits limits{.wall_s = {}, .memory_bytes = 200'000'000};
  CHECK(answer_of(hungry(400'000'000), limits).kind == Kind::no_memory);
  CHECK(answer_of(hungry(50'000'000), limits).text == "x");
}
#endif
