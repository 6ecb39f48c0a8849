// What the executor does when links change.
#include "sim/engine/executor.hpp"

#include <algorithm>

namespace gradflight {

/// A change alone has no effect except that links come up. Repeating changes alone would keep a run alive for ever.
/// What happens at one instant as a change comes before it, whichever of both times was rounded down.
double Executor::next_change(double event) const {
  if (over_ || (event < Calendar::never && same_instant(changes_.next(), event))) return event;
  const bool something = event < Calendar::never || transport_.network().has_unscheduled_bytes();
  return something || changes_.revives(machine_.links) ? changes_.next() : event;
}

/// Applies all changes of one instant.
void Executor::change(double now) {
  changes_.take(due_changes_);
  for (const PlatformChange* due : due_changes_) {
    if (now > 0 && alters(*due)) tracks_.ties.equal = true;
    apply(*due, now);
  }
  if (transport_.loses()) transport_.follow_links(due_changes_, now);
  for (Track& track : tracks_.all) {
    if (!track.ring || track.ring_links.empty()) continue;
    const auto of_ring = [&](const PlatformChange* c) { return track.ring_links[static_cast<std::size_t>(c->target)]; };
    if (std::ranges::any_of(due_changes_, of_ring)) track.ring_changed = now;
    track.ring_changes = changes_.next_on(track.ring_links);
  }
}

/// Whether the change gives its target another value than it has.
bool Executor::alters(const PlatformChange& change) const {
  const LinkState& links = machine_.links;
  switch (change.what) {
  case PlatformChange::What::bandwidth: return links.bandwidth(change.target) != change.value;
  case PlatformChange::What::latency: return links.latency(change.target) != change.value;
  case PlatformChange::What::link_state: return links.up(change.target) != (change.value > 0);
  case PlatformChange::What::compute_speed:
  case PlatformChange::What::place_state: break; // none of ChangeCalendar's
  }
  return false;
}

void Executor::apply(const PlatformChange& change, double now) {
  LinkState& links = machine_.links;
  if (change.what == PlatformChange::What::latency) {
    links.set_latency(change.target, change.value);
    machine_.delays.begin_change(change);
    transport_.latencies_changed();
    return;
  }
  transport_.network().changing(change.target, now);
  if (change.what == PlatformChange::What::bandwidth) {
    links.set_bandwidth(change.target, change.value);
    machine_.delays.begin_change(change);
  } else {
    const bool up = change.value > 0, was_up = links.up(change.target);
    links.set_up(change.target, up);
    if (was_up && !up) machine_.delays.begin_outage(change.target, outages_.begin(change.target, change.entry, now));
    if (!was_up && up) outages_.end(change.target, now);
  }
  transport_.network().changed(change.target);
}

/// A ring that is computed at once must not continue past a change of its links.
void Executor::watch_ring(Track& track) {
  track.ring_links.clear();
  if (!track.ring) return;
  track.ring_links = track.ring->marked_links(machine_.links.size());
  track.ring_changed = -1;
  track.ring_changes = changes_.next_on(track.ring_links);
}

} // namespace gradflight
