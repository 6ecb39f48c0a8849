#include "models/forms/form_sharded.hpp"

#include <stdexcept>

namespace gradflight {

SideBySide side_by_side(const SideBySide& begin, const std::vector<GatheredPass>& passes,
                        const std::vector<StreamTask>& tasks) {
  std::vector<Moment> ended{begin.passes}; // entry k: end of the first k passes
  SideBySide at = begin;
  std::size_t done = 0;
  const auto run_tasks = [&](std::size_t until) {
    for (; done < until; ++done) {
      const StreamTask& task = tasks.at(done);
      if (task.after != no_pass) {
        if (task.after >= ended.size()) throw std::logic_error("a pass and a task wait for each other");
        at.tasks = later(at.tasks, ended[task.after]);
      }
      at.tasks = at.tasks + task.cost;
    }
  };
  // A pass that needs fewer tasks than have run already waits only for the tasks that it needs.
  std::vector<Moment> task_ends{begin.passes};
  for (const GatheredPass& pass : passes) {
    while (task_ends.size() <= pass.needs) {
      run_tasks(task_ends.size());
      task_ends.push_back(at.tasks);
    }
    at.passes = later(at.passes, task_ends[pass.needs]) + pass.compute;
    ended.push_back(at.passes);
  }
  run_tasks(tasks.size());
  return at;
}

} // namespace gradflight
