#include "analysis/run/result/outages.hpp"

#include "analysis/run/result/change_rows.hpp"
#include "base/human.hpp"
#include "platforms/code/changes.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/result/result.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>

namespace gradflight {
namespace {

constexpr std::size_t names_shown = 3;
constexpr std::size_t windows_shown = 2; ///< for one link or GPU; with more, they are combined

/// A link or GPU that was down, and how long a step waited for it.
struct Window {
  std::string name;
  double from = 0, until = 0, seconds = 0;
  std::int64_t times = 1;
};

double overlap(double from, double until, double other_from, double other_until) {
  return std::max(0.0, std::min(until, other_until) - std::max(from, other_from));
}

/// Returns the name of the change or failure that took a link down, or else of the link.
std::string name_of(const LinkOutage& outage, const Scenario& scenario, const RunResult& result) {
  if (outage.entry >= 0) return change_target(scenario.changes[static_cast<std::size_t>(outage.entry)]);
  const LinkResult& link = result.links[static_cast<std::size_t>(outage.link)];
  if (!result.failures) return link.name;
  const auto began = [&](const OutageRow& row) { return row.at == outage.from && !row.name.starts_with("GPU "); };
  const auto& rows = result.failures->outages;
  return std::ranges::count_if(rows, began) == 1 ? std::ranges::find_if(rows, began)->name : link.name;
}

/// Combines outages of one target at the same time, and all outages of a target that was down often.
std::vector<Window> united(const std::vector<Window>& windows) {
  std::map<std::string, std::vector<Window>> by_name;
  for (const Window& window : windows) {
    std::vector<Window>& own = by_name[window.name];
    const auto same = [&](const Window& w) { return w.from == window.from && w.until == window.until; };
    const auto found = std::ranges::find_if(own, same);
    if (found == own.end())
      own.push_back(window);
    else
      found->seconds += window.seconds;
  }
  std::vector<Window> all;
  for (auto& [name, own] : by_name) {
    if (own.size() > windows_shown) {
      Window together = own.front();
      for (auto w = own.begin() + 1; w != own.end(); ++w) {
        together.from = std::min(together.from, w->from);
        together.until = std::max(together.until, w->until);
        together.seconds += w->seconds;
        together.times += w->times;
      }
      own = {together};
    }
    all.insert(all.end(), own.begin(), own.end());
  }
  std::ranges::stable_sort(all, {}, &Window::from);
  return all;
}

std::string text_of(const Window& window) {
  const std::string often = window.times > 1 ? fmt::format("{} times ", window.times) : "";
  const std::string end = std::isfinite(window.until)
                              ? fmt::format("from {} to {}", human_seconds(window.from), human_seconds(window.until))
                              : "from " + human_seconds(window.from) + " on";
  return fmt::format("{}, down {}{}", window.name, often, end);
}

std::vector<NamedOutage> named(const std::vector<Window>& windows) {
  std::vector<NamedOutage> all;
  NamedOutage together;
  std::int64_t count = 0;
  for (const Window& window : united(windows)) {
    all.push_back({text_of(window), window.seconds});
    together.seconds += window.seconds;
    count += window.times;
  }
  together.name = counted(count, "outage");
  std::ranges::stable_sort(all, [](const NamedOutage& a, const NamedOutage& b) {
    return a.seconds > b.seconds * (1 + 1e-6); // outages that differ only in the last digits stay in the order of time
  });
  if (all.size() > names_shown + 1) {
    NamedOutage rest{counted(std::ssize(all) - static_cast<std::int64_t>(names_shown), "other outage"), 0};
    for (auto one = all.begin() + names_shown; one != all.end(); ++one) rest.seconds += one->seconds;
    if (rest.seconds > all.front().seconds) return {together}; // names of a few would say little
    all.resize(names_shown);
    all.push_back(std::move(rest));
  }
  return all;
}

/// Whether a change with "up" ends an outage that another change began.
bool ends(const ChangeSpec& up, const ChangeSpec& down) {
  if (down.gpu) return up.gpu == down.gpu;
  return !down.nodes.empty() && std::ranges::includes(up.nodes, down.nodes);
}

} // namespace

std::vector<NamedOutage> link_outages(const Scenario& scenario, const RunResult& result,
                                      std::span<const LinkOutage> outages, double waited) {
  std::vector<Window> windows;
  double known = 0;
  for (const LinkOutage& outage : outages) {
    if (!(outage.seconds > 0)) continue;
    windows.push_back({name_of(outage, scenario, result), outage.from, outage.until, outage.seconds, outage.times});
    known += outage.seconds;
  }
  if (windows.empty()) return {{"links that are down", waited}};
  // Those for which the path before waited, and this one did not, have made it shorter.
  for (Window& window : windows) window.seconds *= waited / known;
  return named(windows);
}

std::vector<NamedOutage> gpu_outages(const Scenario& scenario, const RunResult& result, double from, double until,
                                     double waited, std::span<const ChangeCost> costs) {
  std::map<std::int32_t, double> cost_of; // of each entry of `changes`; -1: of failures
  for (const ChangeCost& cost : costs)
    if (cost.what == PlatformChange::What::place_state) cost_of[cost.entry] += cost.seconds;
  const auto most_of = [&](std::int32_t entry) {
    const auto found = cost_of.find(entry);
    return found != cost_of.end() ? found->second : cost_of.empty() ? std::numeric_limits<double>::infinity() : 0;
  };
  std::vector<Window> windows;
  const auto add = [&](const std::string& name, double begin, double end, double most) {
    const double down = overlap(begin, end, from, until);
    if (const double seconds = std::min(down, most); seconds > 0) windows.push_back({name, begin, end, seconds});
  };
  const std::vector<ChangeRow> came = changes_until(scenario.changes, until);
  const auto of = [&](const ChangeRow& row) -> const ChangeSpec& { return scenario.changes[row.entry]; };
  const auto takes_gpus_down = [](const ChangeSpec& c) { return c.up && !*c.up && (c.gpu || !c.nodes.empty()); };
  for (auto row = came.begin(); row != came.end(); ++row) {
    if (!takes_gpus_down(of(*row))) continue;
    const auto again = std::find_if(row + 1, came.end(), [&](const ChangeRow& later) {
      return of(later).up && *of(later).up && ends(of(later), of(*row));
    });
    // A target that is not up at the step's end may be up later; this is not searched.
    add(row->target, row->at, again == came.end() ? std::numeric_limits<double>::infinity() : again->at,
        most_of(static_cast<std::int32_t>(row->entry)));
  }
  const bool restarts = scenario.recovery && scenario.recovery->policy == RecoveryPolicy::restart;
  if (result.failures && !restarts) // with restarts, outages use another clock than the iterations
    for (const OutageRow& row : result.failures->outages)
      if (row.name.starts_with("GPU ") || row.name.starts_with("node ")) add(row.name, row.at, row.until, most_of(-1));
  std::ranges::stable_sort(windows, std::greater<>(), &Window::seconds);
  double all = 0;
  for (const Window& window : windows) all += window.seconds;
  if (!cost_of.empty() && all > waited)
    for (Window& window : windows) window.seconds *= waited / all;
  for (Window& window : windows) waited -= window.seconds = std::min(window.seconds, waited);
  std::erase_if(windows, [](const Window& window) { return window.seconds <= 0; });
  return named(windows);
}

} // namespace gradflight
