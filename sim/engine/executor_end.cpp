// How a run ends: with its result, or stuck, with a list of what its streams wait for.
#include "sim/engine/executor.hpp"
#include "sim/engine/streams/failure.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace gradflight {

/// Returns whether a stream's work never ends because its GPU or server is down for good.
static bool stands(const Stream& stream) {
  const bool works = stream.stage == StreamStage::working || stream.stage == StreamStage::queued;
  return works && std::holds_alternative<WorkOp>(stream.op) && stream.work_end == Calendar::never;
}

/// Other traffic may flow for ever, so this checks now and then whether any plan can still continue.
void Executor::glance(double now) {
  constexpr std::uint64_t glance_after = 1 << 12;
  if (background_.stirs() < glance_at_) return;
  glance_at_ = background_.stirs() + glance_after;
  if (stuck(now)) background_.give_up(now);
}

/// Returns whether no stream of any plan will ever continue, whatever other traffic flows.
bool Executor::stuck(double now) const {
  std::int64_t in_flight = 0;
  for (const Track& track : tracks_.all) {
    if (track.plan == nullptr) return false;
    in_flight += track.accounts.in_flight();
  }
  const auto waits = [](const Stream& s) {
    return s.stage == StreamStage::receiving || s.stage == StreamStage::sending || s.stage == StreamStage::meeting ||
           s.stage == StreamStage::counting || s.stage == StreamStage::ended || stands(s);
  };
  if (!std::ranges::all_of(streams_.all, waits) || changes_.revives(machine_.links)) return false;
  if (in_flight == 0) return true;
  for (const Message& m : transport_.messages().slots())
    if (m.flowing && !m.beside() && m.rate == 0) --in_flight; // on a link that is down
  in_flight -= transport_.stranded_for_good(now);
  return in_flight == 0 && !transport_.network().has_unscheduled_bytes();
}

/// Returns when the last stream ran, or when the last message or work stopped that a stream waits for.
double Executor::last_progress() const {
  double last = std::max({end(), last_run_, transport_.last_stop(outages_)});
  for (const Stream& stream : streams_.all)
    if (stands(stream))
      last = std::max(last, speeds_.down_since(tracks_[stream.plan].place(stream.rank)).value_or(last));
  return last;
}

namespace {

/// The changes that took links and places down, by target and time.
class TakenDown {
public:
  explicit TakenDown(const EngineOptions& options) : names_(options.change_names) {
    for (const PlatformChange& change : options.changes)
      if (change.value == 0 && entries_.emplace(Key{change.what, change.target, change.at}, change.entry).second)
        ++targets_[change.entry];
  }
  /// Returns the name of what changed; nothing if it is the target itself, or if no change of the scenario did it.
  [[nodiscard]] const std::string* name(PlatformChange::What what, std::int32_t target, double since) const {
    const auto found = entries_.find({what, target, since});
    if (found == entries_.end() || found->second < 0 || found->second >= std::ssize(names_)) return nullptr;
    return targets_.at(found->second) > 1 ? &names_[static_cast<std::size_t>(found->second)] : nullptr;
  }

private:
  using Key = std::tuple<PlatformChange::What, std::int32_t, double>;
  const std::vector<std::string>& names_;
  std::map<Key, std::int32_t> entries_;
  std::map<std::int32_t, int> targets_; ///< number of an entry's links and places
};

} // namespace

/// Returns "; permanently down: node3.up (since 0.5 s), switch rack1 (since 0.7 s)", or nothing. Links come first, then
/// GPUs and servers, in their state at `now`. What one change took down has the name of its target.
std::string Executor::down_links_text(double now) const {
  using What = PlatformChange::What;
  constexpr int most = 8;
  std::string text;
  const TakenDown changes(options_);
  std::set<std::pair<std::string, double>> named;
  int down = 0, more = 0;
  const auto add = [&](const std::string& name, std::optional<double> since) {
    text += fmt::format("{}{}", down++ == 0 ? "; permanently down: " : ", ", name);
    if (since) text += fmt::format(" (since {:.6g} s)", *since);
  };
  /// Adds the change that took it down, once; returns false if none is known.
  const auto add_change = [&](What what, std::int32_t target, std::optional<double> since) {
    const std::string* change = since ? changes.name(what, target, *since) : nullptr;
    if (change != nullptr && named.emplace(*change, *since).second) add(*change, since);
    return change != nullptr;
  };
  for (std::size_t l = 0; l < machine_.platform.links().size(); ++l) {
    const auto link = static_cast<std::int32_t>(l);
    if (machine_.links.up(link)) continue;
    const std::optional<double> since = outages_.since(link);
    if (down < most && !add_change(What::link_state, link, since))
      add(machine_.platform.link(link).name, since);
    else if (down >= most)
      ++more;
  }
  if (more > 0) text += fmt::format(" and {} more links", more);
  more = 0;
  const int links = down;
  for (std::size_t p = 0; p < machine_.platform.places().size() && speeds_.any(); ++p) {
    PlatformChange change{.what = What::place_state, .target = static_cast<std::int32_t>(p)};
    const std::optional<double> since = speeds_.down_since(change.target);
    if (!since || *since > now) continue;
    if (down < links + most && !add_change(What::place_state, change.target, since))
      add(changed_thing(change, machine_.platform), since);
    else if (down >= links + most)
      ++more;
  }
  if (more > 0) text += fmt::format(" and {} more GPUs", more);
  return text;
}

double Executor::end() const {
  double latest = 0;
  for (const Track& track : tracks_.all) latest = std::max(latest, track.end);
  return latest;
}

void Executor::fail_beyond_doubles() const {
  fail(streams_,
       fmt::format("the simulated time exceeds {:.2g} s, the largest double", std::numeric_limits<double>::max()));
}

void Executor::check_complete(const Track& track) const {
  if (track.over) return;
  if (track.ended < track.count || !track.plans->last()) {
    if (!calendar_.empty()) fail_beyond_doubles(); // later events exist, but a double cannot hold their times
    const std::string name = track.plans->name();
    const double now = last_progress();
    fail(streams_, fmt::format("{}deadlock at {:.9g} s: {} of {} streams did not finish{}",
                               name.empty() ? "" : "job " + name + ": ", now, track.count - track.ended, track.count,
                               down_links_text(now)));
  }
  const Accounts& accounts = track.accounts;
  if (accounts.received_bytes != accounts.wire_bytes &&
      std::abs(accounts.received_bytes - accounts.wire_bytes) > 1e-9 * accounts.wire_bytes)
    fail(streams_, fmt::format("{} bytes were sent but {} received", accounts.wire_bytes, accounts.received_bytes));
}

PlansResult Executor::finish() {
  for (const Track& track : tracks_.all) check_complete(track);
  const std::size_t left = transport_.messages().in_use() - background_.under_way();
  if (!tracks_.some_over && left > 0) fail(streams_, fmt::format("{} messages were never received", left));
  PlansResult result;
  for (Track& track : tracks_.all) {
    RunResult& own = result.plans.emplace_back();
    track.accounts.fill(own, track.end, has_events(), machine_.delays, outages_);
    own.time = track.end;
    own.repeated_messages = calls_.messages();
    own.path = static_cast<const Path&>(track.end_path);
    own.delays = machine_.delays.links_on(track.end_path.last_delay);
  }
  const std::vector<std::int32_t> changed = changed_links(options_.changes, machine_.links.size(), end());
  std::vector<double> bandwidths;
  for (const auto* links : {&machine_.platform.links(), &machine_.nics.stages()})
    for (const DirectedLink& link : *links) bandwidths.push_back(link.bandwidth);
  const auto means = mean_bandwidths(options_.changes, bandwidths, end());
  for (const auto* links : {&machine_.platform.links(), &machine_.nics.stages()})
    for (const DirectedLink& link : *links) {
      const LinkUse& use = machine_.ledger.use()[result.links.size()];
      const double open = use.transfers > 0 ? end() - use.since : 0; // of late backup workers
      const std::size_t number = result.links.size();
      result.links.push_back(
          {link.name, use.bytes, use.busy + open, link.bandwidth, link.role, changed[number], means[number]});
    }
  result.traffic = background_.results();
  return result;
}

} // namespace gradflight
