// Calls every function of the library from an external project; ends with 0 if all answers are correct.
#include <cmath>
#include <gradflight/gradflight.hpp>
#include <iostream>
#include <thread>

namespace {

int wrong = 0;

void hold(bool right, const char* what) {
  if (right) return;
  std::cerr << "wrong: " << what << '\n';
  ++wrong;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void runs(const std::string& ring) {
  const gradflight::Result once = gradflight::run(ring);
  hold(once.time_s() > 0 && once.iteration_time_s() > 0, "a ring takes time");
  hold(has(once.json(), "\"scenario\": \"ring all-reduce\""), "the result is the scenario's");
  hold(has(once.summary(), "bound the step"), "the summary says what bounds the step");
  const gradflight::Result slower = gradflight::run(ring, {{"platform.network.link.bandwidth", "5Gbps"}});
  hold(slower.time_s() > 1.5 * once.time_s(), "half the bandwidth takes longer");
  const gradflight::Result reference = gradflight::run(ring, {{"engine", "simgrid"}});
  // A second run: each is in a separate child process.
  const gradflight::Result again = gradflight::run(ring, {{"engine", "simgrid"}});
  hold(reference.json() == again.json(), "SimGrid's engine runs twice in one process");
  hold(std::abs(reference.time_s() / once.time_s() - 1) < 1e-6, "both engines agree");
  const gradflight::Scenario loaded = gradflight::load(ring);
  hold(gradflight::run(gradflight::parse(loaded.json())).json() == once.json(), "what was loaded reads back");
  std::vector<std::thread> threads;
  std::vector<std::string> found(4);
  for (std::string& each : found) threads.emplace_back([&] { each = gradflight::run(loaded).json(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& each : found) hold(each == once.json(), "threads find the same");
}

void mistakes(const std::string& ring) {
  try {
    gradflight::run(ring, {{"platform.nodes", "0"}, {"training.exchange.algorithm", "rign"}});
    hold(false, "two mistakes are refused");
  } catch (const gradflight::InputError& error) {
    hold(error.mistakes().size() == 2, "both mistakes are told");
    for (const gradflight::Mistake& mistake : error.mistakes())
      hold(!mistake.pointer.empty() && !mistake.message.empty() && has(error.what(), mistake.message),
           "a mistake says where and what");
  }
  const auto refused = [](const auto& call, const char* what) {
    try {
      call();
      hold(false, what);
    } catch (const gradflight::InputError& error) {
      hold(!error.mistakes().empty(), what);
    }
  };
  refused([] { gradflight::load("no-such-file.json"); }, "a file that is not there");
  refused([] { gradflight::compare({}); }, "nothing to compare");
  refused([&] { gradflight::scale(gradflight::load(ring), "platform.nodes", {}); }, "no values");
  refused([&] { gradflight::run(ring, {{"a=b", "1"}}); }, "a path with =");
  refused([] { gradflight::collective("all_reduse", "dgx-a100"); }, "an unknown operation");
  gradflight::CollectiveOptions odd;
  odd.element_size = 3;
  refused([&] { gradflight::collective("all_reduce", "dgx-a100", odd); }, "an element of 3 bytes");
}

void answers(const std::string& ring) {
  const auto ring16 = gradflight::load(ring, {{"platform.nodes", "16"}});
  hold(has(gradflight::compare({gradflight::load(ring), ring16}, 2), "\"best\""), "compare");
  hold(has(gradflight::scale(gradflight::load(ring), "platform.nodes", {"2", "4", "8"}), "\"points\""), "scale");
  gradflight::AdviseOptions brief;
  brief.budget_s = 5;
  hold(has(gradflight::advise(gradflight::load(ring), brief), "\"what_if\""), "advise");
  gradflight::CollectiveOptions sizes;
  sizes.nodes = 2;
  sizes.sizes = {1048576, 16777216};
  const std::string table = gradflight::collective("all_reduce", "dgx-a100", sizes);
  hold(has(table, "\"busbw_GBps\"") && has(table, "16777216"), "a machine of the catalogue that was installed");
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string catalogue = argv[1], ring = catalogue + "/scenarios/examples/ring.json";
  try {
    runs(ring);
    mistakes(ring);
    answers(ring);
    double part = 0;
    gradflight::SweepOptions watched;
    watched.progress = [&](double now) { part = now; };
    const auto all = gradflight::sweep(catalogue + "/analysis/sweeps/ring-or-tree.json", "swept", watched);
    hold(part == 1, "progress is told to the end");
    hold(all.points > 0 && all.missing == 0 && all.failed == 0 && has(all.csv, "time_s"), "a sweep");
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  std::cout << gradflight::version() << '\n';
  return wrong == 0 ? 0 : 1;
}
