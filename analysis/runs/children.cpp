#include "analysis/runs/children.hpp"

#include "analysis/runs/prepare.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <poll.h>
#include <sched.h>

namespace gradflight {

int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

void simulate_in_order(const std::vector<const Prepared*>& cases, int jobs,
                       const std::function<void(std::size_t index, ChildAnswer answer)>& report) {
  struct Running {
    std::size_t index;
    SimulationChild child;
  };
  std::deque<Running> running;
  std::vector<std::optional<ChildAnswer>> answers(cases.size());
  std::size_t next = 0, reported = 0;
  while (reported < cases.size()) {
    for (; next < cases.size() && std::ssize(running) < jobs; ++next)
      running.push_back({next, SimulationChild(cases[next]->scenario, cases[next]->platform)});
    std::vector<pollfd> waits;
    for (const Running& r : running) waits.push_back({r.child.descriptor(), POLLIN, 0});
    poll(waits.data(), waits.size(), -1);
    for (std::size_t i = running.size(); i-- > 0;) {
      if (waits[i].revents == 0 || !running[i].child.read_some()) continue;
      answers[running[i].index] = running[i].child.finish();
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (; reported < cases.size() && answers[reported]; ++reported) {
      report(reported, std::move(*answers[reported]));
      answers[reported].emplace(); // long lists of iterations need not wait for the last case
    }
  }
}

} // namespace gradflight
