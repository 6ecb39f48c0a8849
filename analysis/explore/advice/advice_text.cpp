#include "analysis/explore/advice/advice.hpp"
#include "analysis/run/files/json_text.hpp"
#include "analysis/run/result/bounds_json.hpp"
#include "base/human.hpp"
#include "base/visible.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the choice for the largest call if a change of something else makes the library choose differently.
std::string other_call(const Advice& advice, const Tried& tried) {
  const bool own_choice = tried.what.topic.find("exchange") == std::string::npos;
  return own_choice && !advice.step.call.empty() && tried.step.call != advice.step.call ? tried.step.call : "";
}

/// Chains and trees choose their chunks by the links. Returns a sentence if other links lead to other chunks.
std::string other_chunks(const Advice& advice, const Tried& tried) {
  const bool same_schedule = tried.what.kind == WhatIfKind::hardware || tried.what.kind == WhatIfKind::unlimited;
  if (!same_schedule || advice.step.launches || tried.step.messages == advice.step.messages) return "";
  return fmt::format("The schedule then makes {} messages instead of {}.", human_count(tried.step.messages),
                     human_count(advice.step.messages));
}

std::string line(const Advice& advice, const Tried& tried) {
  std::string text =
      fmt::format("  {:>7.1f} %  {:>10}  {}\n", 100 * tried.gain, human_seconds(tried.seconds), tried.what.change);
  if (const std::string call = other_call(advice, tried); !call.empty())
    text += fmt::format("{:25}The library then chooses {}.\n", "", call);
  if (const std::string chunks = other_chunks(advice, tried); !chunks.empty())
    text += fmt::format("{:25}{}\n", "", chunks);
  for (const std::string& set : tried.what.sets()) text += fmt::format("{:25}--set {}\n", "", shell_line({set}));
  return text;
}

/// Returns what else shortens the share of a library's protocol; empty if nothing that was tried does.
std::string about_protocol(const Advice& advice) {
  const auto protocol = std::ranges::find(advice.step.bounds, Bounding::protocol, &Bound::what);
  if (advice.step.call.empty() || protocol == advice.step.bounds.end() || protocol->share < worth_saying) return "";
  if (protocol->name == "waiting for credits")
    return "\nLinks with a lower latency also shorten the waiting for credits, because a credit has to come back.\n";
  const auto gains_more = [&](const Tried& tried) { // than the links' own share
    if (tried.what.kind != WhatIfKind::unlimited || tried.what.tiers.empty()) return false;
    double share = 0;
    for (const Bound& bound : advice.step.bounds)
      if (std::ranges::any_of(tried.what.tiers, [&](LinkTier tier) { return bounding_of(tier) == bound.what; }))
        share += bound.share;
    return tried.gain >= share + worth_saying;
  };
  if (std::ranges::none_of(advice.tried, gains_more)) return "";
  return "\nFaster links also shorten the protocol's share, because its bytes are on the same links.\n";
}

std::string section(const Advice& advice, const char* title, std::size_t most, const std::vector<WhatIfKind>& kinds,
                    std::initializer_list<Fidelity> fidelities) {
  const std::vector<const Tried*> shown = worth_showing(advice, kinds, fidelities);
  if (shown.empty()) return "";
  std::string text = fmt::format("\n{}\n", title);
  for (std::size_t i = 0; i < std::min(most, shown.size()); ++i) text += line(advice, *shown[i]);
  if (shown.size() > most) text += fmt::format("  and {} more (--json has all)\n", shown.size() - most);
  return text;
}

/// Whether it is a resource without limits that makes the step slower. A library's calls depend on the rates of links
/// in several ways, so such a time is no bound.
bool is_no_bound(const Tried& tried) { return tried.what.kind == WhatIfKind::unlimited && tried.gain < -worth_saying; }

} // namespace

bool leaves_library(const Advice& advice, const Tried& tried) { return advice.step.launches && !tried.step.launches; }

std::string other_library_text(const Advice& advice) {
  const auto helps = [&](const Tried& tried) { return tried.gain >= worth_saying && leaves_library(advice, tried); };
  if (std::ranges::none_of(advice.tried, helps)) return "";
  return "Other algorithms than the library's are simulated without its launches, hops and protocols. Part of their "
         "gain "
         "is what these cost.";
}

std::string basis_text(const Advice& advice) {
  const TrainedStep& step = advice.step;
  if (step.goodput)
    return fmt::format("Mean goodput {}: with the cost of failures, a step takes {}; gains are relative to that.",
                       human_percent(*step.goodput), human_seconds(step.cost()));
  if (step.own_pace && (advice.of_run || step.has_mean()))
    return fmt::format("Workers do not wait for each other: they complete one iteration each in {} on average{}; gains "
                       "are relative to that.",
                       human_seconds(advice.seconds(step)), advice.of_run ? " over the whole run" : "");
  if (advice.of_run)
    return fmt::format("The steps {}differ, so gains are of the whole run of {}.", step.differ ? "" : "may ",
                       human_seconds(step.time));
  return {};
}

std::string gain_text(double gain) {
  const double percent = 100 * gain;
  return fmt::format("{:+.1f} %", std::abs(percent) < 0.05 ? 0.0 : percent);
}

std::string failed_text(const Advice& advice) {
  if (advice.failed.empty()) return "";
  return fmt::format("{} failed, first {}.", counted(std::ssize(advice.failed), "change"), advice.failed.front());
}

std::string advice_json(const Advice& advice) {
  Json object;
  object["scenario"] = advice.scenario;
  object["iteration_time_s"] = advice.step.iteration_time;
  if (advice.step.goodput) object["goodput"] = *advice.step.goodput;
  const bool own_pace = advice.step.own_pace;
  const auto mean_of = [&](const TrainedStep& step) { return advice.of_run ? step.run_mean : step.mean_time; };
  if (own_pace || advice.step.has_mean()) object["mean_iteration_time_s"] = mean_of(advice.step);
  if (advice.of_run) object["time_s"] = advice.step.time;
  const bool of_cost = advice.step.goodput.has_value();
  if (of_cost) object["step_cost_s"] = advice.seconds(advice.step);
  if (own_pace || advice.of_run || of_cost)
    object["gains_of"] = of_cost ? "step_cost" : own_pace ? "mean_iteration" : "run";
  object["bound_by"] = bounds_json(advice.step.bounds);
  if (!advice.step.call.empty()) object["call"] = advice.step.call;
  object["what_if"] = Json::array();
  for (const Tried& tried : advice.tried) {
    Json set = Json::object();
    for (const auto& [path, value] : tried.what.set) set[path] = value;
    object["what_if"].push_back({{"change", tried.what.change},
                                 {"kind", what_if_kind_name(tried.what.kind)},
                                 {"set", std::move(set)},
                                 {"iteration_time_s", tried.step.iteration_time},
                                 {"gain", tried.gain}});
    if (own_pace || tried.step.has_mean()) object["what_if"].back()["mean_iteration_time_s"] = mean_of(tried.step);
    if (advice.of_run) object["what_if"].back()["time_s"] = tried.step.time;
    if (of_cost) object["what_if"].back()["step_cost_s"] = tried.seconds;
    if (const std::string call = other_call(advice, tried); !call.empty()) object["what_if"].back()["call"] = call;
    if (tried.what.fidelity == Fidelity::lossy) object["what_if"].back()["lossy"] = true;
    if (leaves_library(advice, tried)) object["what_if"].back()["without_library_costs"] = true;
    if (tried.step.goodput) object["what_if"].back()["goodput"] = *tried.step.goodput;
  }
  object["left_out"] = advice.left_out;
  if (!advice.failed.empty()) object["failed"] = advice.failed;
  if (!advice.step.warnings.empty()) object["warnings"] = advice.step.warnings;
  return json_text(object);
}

std::string advice_text(const Advice& advice) {
  std::string text = fmt::format("{}\n{}\n", advice.scenario, advice.step.verdict);
  if (const std::string basis = basis_text(advice); !basis.empty()) text += basis + "\n";
  for (const std::string& warning : advice.step.warnings) text += fmt::format("Warning: {}.\n", warning);
  using enum Fidelity;
  const std::vector<WhatIfKind> alone = {WhatIfKind::hardware, WhatIfKind::setting};
  const std::string found = section(advice,
                                    advice.of_whole_runs() ? "What would help, alone        (of the run)"
                                                           : "What would help, alone        (of the step)",
                                    8, alone, {exact}) +
                            section(advice, "With gradients of 16 bits on the wire", 4, alone, {half}) +
                            section(advice, "Together", 5, {WhatIfKind::together}, {exact, half}) +
                            section(advice, "What each resource costs at most (10^6 times faster, or none)", 10,
                                    {WhatIfKind::unlimited}, {exact}) +
                            section(advice, "With lossy codecs (training sees other gradients)", 8, alone, {lossy});
  if (advice.tried.empty())
    text += "\nNothing was tried: the budget left no time for it.\n";
  else
    text += found.empty() ? "\nNone of the tried changes helps.\n" : found;
  std::string useless, no_bound, other_choice;
  for (const Tried& tried : advice.tried) {
    if (tried.gain >= worth_saying || tried.what.kind == WhatIfKind::together) continue;
    const std::string call = tried.what.kind == WhatIfKind::setting ? "" : other_call(advice, tried);
    if (!call.empty() && tried.gain < -worth_saying)
      other_choice += fmt::format("{}{} ({}, {})", other_choice.empty() ? "" : "; ", tried.what.change,
                                  gain_text(tried.gain), call);
    else if (is_no_bound(tried))
      no_bound += (no_bound.empty() ? "" : ", ") + tried.what.change;
    else
      useless += fmt::format("{}{} ({})", useless.empty() ? "" : ", ", tried.what.change, gain_text(tried.gain));
  }
  if (!found.empty()) text += about_protocol(advice);
  if (const std::string others = other_library_text(advice); !others.empty()) text += fmt::format("\n{}\n", others);
  if (!useless.empty()) text += fmt::format("\nGains below 0.5 %: {}.\n", useless);
  if (!other_choice.empty())
    text += fmt::format("\nSlower, because the library then chooses otherwise: {}.\n", other_choice);
  if (!no_bound.empty()) text += fmt::format("\nSlower, and so no bound: {}.\n", no_bound);
  const auto codec = [](const Tried& t) { return t.gain >= worth_saying && t.what.fidelity != exact; };
  if (std::ranges::any_of(advice.tried, codec))
    text += "\nA codec also changes what the model learns. Only its time is simulated, at an assumed ratio.\n";
  if (advice.left_out > 0)
    text += fmt::format("\nNot tried within the budget: {}; --budget 5min tries more.\n",
                        counted(advice.left_out, "change"));
  if (const std::string failed = failed_text(advice); !failed.empty()) text += fmt::format("\n{}\n", failed);
  return text;
}

} // namespace gradflight
