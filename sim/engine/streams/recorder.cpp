#include "sim/engine/streams/recorder.hpp"

#include <fmt/format.h>

namespace gradflight {

bool Recorder::full() {
  Timeline& t = *timeline_;
  if (t.intervals.size() + t.transfers.size() < t.limit) return false;
  t.truncated = true;
  return true;
}

void Recorder::name_links(const std::vector<DirectedLink>& links) {
  if (timeline_ == nullptr) return;
  for (const DirectedLink& link : links) {
    timeline_->link_names.push_back(link.name);
    timeline_->link_bandwidths.push_back(link.bandwidth);
  }
}

void Recorder::name(Track& track, bool first_plan) {
  if (timeline_ == nullptr) return;
  Timeline& t = *timeline_;
  const PlanNames names = track.plan->names();
  const auto append = [](std::vector<std::string>& all, const std::vector<std::string>& more) {
    const auto first = static_cast<int>(all.size());
    all.insert(all.end(), more.begin(), more.end());
    return first;
  };
  if (first_plan) track.first_layer_name = append(t.layer_names, names.layers);
  for (std::size_t rank = track.rank_names.size(); rank < names.roles.size(); ++rank) {
    const Place& place = platform_.place(track.place(static_cast<int>(rank)));
    const std::string gpu = place.gpu < 0 ? "" : fmt::format(" GPU {}", place.gpu);
    track.rank_names.push_back(static_cast<int>(t.rank_names.size()));
    t.rank_names.push_back(fmt::format("{} {} (node {}{})", names.roles[rank], rank, place.node, gpu));
  }
  track.first_bucket_name = append(t.bucket_names, names.buckets);
  track.first_cost_name = append(t.cost_names, names.costs);
}

void Recorder::add_interval(const Track& track, const Stream& stream, Activity activity, int label,
                            std::int64_t iteration, double begin, double end) {
  if (full()) return;
  switch (activity) {
  case Activity::cost: label += track.first_cost_name; break;
  case Activity::reduce:
  case Activity::merge:
  case Activity::encode:
  case Activity::exchange:
  case Activity::decode: label += track.first_bucket_name; break;
  case Activity::forward:
  case Activity::backward: label += track.first_layer_name; break;
  case Activity::update: break;
  }
  timeline_->intervals.push_back({track.rank_names[static_cast<std::size_t>(stream.rank)], stream.index, activity,
                                  label, iteration, epoch_ + begin, epoch_ + end});
}

void Recorder::add_transfer(const Track& track, const Stream& to, const Message& m, double tail,
                            std::span<const LinkShare> shares, double now) {
  if (full()) return;
  Timeline& t = *timeline_;
  const auto name = [&](int rank) { return track.rank_names[static_cast<std::size_t>(rank)]; };
  t.transfers.push_back({name(m.from), name(to.rank), to.index, m.bucket + track.first_bucket_name, m.iteration,
                         epoch_ + m.posted, epoch_ + m.begun, epoch_ + now, m.wire, epoch_ + m.launched});
  if (m.wire <= 0 || now - tail <= m.begun) return;
  const double end = now - tail, rate = m.wire / (end - m.begun);
  const auto note = [&](std::int32_t link, double weight) {
    t.links.push_back({link, epoch_ + m.begun, weight * rate});
    t.links.push_back({link, epoch_ + end, -weight * rate});
  };
  for (const std::int32_t l : m.links) note(l, 1);
  for (const LinkShare& share : shares) note(share.link, share.weight);
}

} // namespace gradflight
