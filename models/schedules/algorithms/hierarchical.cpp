#include "models/schedules/algorithms/hierarchical.hpp"

#include "models/schedules/parts/collective.hpp"

#include <algorithm>
#include <stdexcept>

namespace gradflight {

namespace {

int group_count(int members, const HierarchyLevel& level) {
  if (level.group_size < 1) throw std::invalid_argument("a group needs at least one member");
  return (members - 1) / level.group_size + 1;
}

} // namespace

std::optional<int> HierarchyLayout::Row::find(int participant) const {
  const int offset = participant - first;
  if (offset < 0 || offset % stride != 0 || offset / stride >= count) return std::nullopt;
  return offset / stride;
}

HierarchyLayout::Row HierarchyLayout::Level::masters() const {
  if (spec.dedicated) return {aggregators, 1, groups};
  // A stride past the last member is never used; keeping it small avoids overflow.
  return {members.first, groups == 1 ? 1 : members.stride * spec.group_size, groups};
}

std::optional<HierarchyLayout::Seat> HierarchyLayout::Level::find(int participant) const {
  const int full = spec.group_size;
  const auto seat = [&](int group, int position) {
    const int count = std::min(full, members.count - group * full);
    return Seat{group, {count, spec.dedicated, position < 0 ? count : position}};
  };
  if (const auto member = members.find(participant)) return seat(*member / full, *member % full);
  if (!spec.dedicated) return std::nullopt;
  if (const auto group = masters().find(participant)) return seat(*group, -1);
  return std::nullopt;
}

Step HierarchyLayout::Level::mapped(Step step, const Seat& seat) const {
  for (int* position : {&step.to, &step.from}) {
    if (*position < 0) continue;
    *position = *position == seat.seat.members ? masters().participant(seat.group)
                                               : members.participant(seat.group * spec.group_size + *position);
  }
  return step;
}

HierarchyLayout::HierarchyLayout(int workers, const std::vector<HierarchyLevel>& specs)
    : participants(workers), masters{0, 1, workers} {
  if (workers < 1) throw std::invalid_argument("a hierarchy needs at least one worker");
  for (const HierarchyLevel& spec : specs) {
    Level level{spec, masters, participants, group_count(masters.count, spec), false};
    level.informed = level.groups == 1 && spec.reduce == GroupReduce::allreduce && !spec.dedicated;
    if (spec.dedicated) participants += level.groups;
    masters = level.masters();
    levels.push_back(level);
  }
}

int HierarchyPart::steps(int participant) const {
  const auto seat = level_.find(participant);
  return seat ? seat->seat.span(part_, level_.spec.reduce, level_.spec.broadcast).count : 0;
}

Step HierarchyPart::step(std::int64_t n, int participant, int index) const {
  const auto seat = level_.find(participant);
  const int at = seat->seat.span(part_, level_.spec.reduce, level_.spec.broadcast).first + index;
  const bool up = part_ == GroupPart::ring_up || part_ == GroupPart::up;
  return level_.mapped(up ? seat->seat.reduce_step(level_.spec.reduce, n, at)
                          : seat->seat.broadcast_step(level_.spec.broadcast, n, at),
                       *seat);
}

int HierarchyPart::distinct_steps(int participant) const {
  const bool ring = part_ == GroupPart::ring_up || part_ == GroupPart::ring_down;
  return ring ? std::min(1, steps(participant)) : steps(participant);
}

Hierarchical::Hierarchical(int workers, const std::vector<HierarchyLevel>& levels, std::unique_ptr<Schedule> top)
    : workers_(workers), layout_(workers, levels), top_(std::move(top)) {
  const int masters = layout_.masters.count;
  if (masters > 1 && !top_) throw std::invalid_argument("several masters remain without a top schedule");
  if (top_ && (top_->participants() != masters || top_->workers() != masters || top_->lag() != 0))
    throw std::invalid_argument("the top schedule must be a plain all-reduce among the remaining masters");
}

int Hierarchical::steps(int participant) const {
  int count = 0;
  for (const HierarchyLayout::Level& level : layout_.levels) {
    const auto place = level.find(participant);
    if (!place) continue;
    count += place->seat.reduce_steps(level.spec.reduce);
    if (!level.informed) count += place->seat.broadcast_steps(level.spec.broadcast);
  }
  if (const auto master = layout_.masters.find(participant); master && top_) count += top_->steps(*master);
  return count;
}

Step Hierarchical::step(std::int64_t n, int participant, int index) const {
  for (const HierarchyLayout::Level& level : layout_.levels) {
    const auto place = level.find(participant);
    if (!place) continue;
    const int count = place->seat.reduce_steps(level.spec.reduce);
    if (index < count) return level.mapped(place->seat.reduce_step(level.spec.reduce, n, index), *place);
    index -= count;
  }
  if (const auto master = layout_.masters.find(participant); master && top_) {
    const int count = top_->steps(*master);
    if (index < count) {
      Step step = top_->step(n, *master, index);
      for (int* member : {&step.to, &step.from})
        if (*member >= 0) *member = layout_.masters.participant(*member);
      return step;
    }
    index -= count;
  }
  for (auto level = layout_.levels.rbegin(); level != layout_.levels.rend(); ++level) {
    const auto place = level->find(participant);
    if (!place || level->informed) continue;
    const int count = place->seat.broadcast_steps(level->spec.broadcast);
    if (index < count) return level->mapped(place->seat.broadcast_step(level->spec.broadcast, n, index), *place);
    index -= count;
  }
  throw std::logic_error("hierarchical: step index out of range");
}

template <class F> void Hierarchical::for_each_group_step(int participant, const F& found) const {
  for (std::size_t l = 0; l < layout_.levels.size(); ++l) {
    if (!layout_.levels[l].find(participant)) continue;
    for (const GroupPart part : {GroupPart::ring_up, GroupPart::up, GroupPart::down, GroupPart::ring_down}) {
      if (layout_.levels[l].informed && (part == GroupPart::down || part == GroupPart::ring_down)) continue;
      const HierarchyPart steps(layout_, l, part);
      const int distinct = steps.distinct_steps(participant);
      const int times = distinct > 0 ? steps.steps(participant) / distinct : 0;
      for (int s = 0; s < distinct; ++s) found(steps.step(1, participant, s), times);
    }
  }
}

std::int64_t Hierarchical::messages(int participant) const {
  const auto master = layout_.masters.find(participant);
  std::int64_t sends = master && top_ ? top_->messages(*master) : 0;
  for_each_group_step(participant, [&](const Step& step, int times) { sends += step.to != no_rank ? times : 0; });
  return sends;
}

std::optional<RingPart> Hierarchical::ring() const {
  if (!top_ || !top_->ring()) return std::nullopt;
  return RingPart{layout_.masters.first, layout_.masters.stride, layout_.masters.count};
}

RingSteps Hierarchical::ring_steps(int participant) const {
  const auto master = layout_.masters.find(participant);
  if (!master || !ring()) return {};
  int before = 0;
  for (const HierarchyLayout::Level& level : layout_.levels)
    if (const auto place = level.find(participant)) before += place->seat.reduce_steps(level.spec.reduce);
  return {before, top_->steps(*master)};
}

void Hierarchical::send_outside_ring(int participant, std::vector<int>& to) const {
  for_each_group_step(participant, [&](const Step& step, int) {
    if (step.to != no_rank) to.push_back(step.to);
  });
}

std::unique_ptr<Schedule> make_hierarchical(const ExchangeSpec& exchange, int workers) {
  const int masters = HierarchyLayout(workers, exchange.levels).masters.count;
  if (masters == 1) return std::make_unique<Hierarchical>(workers, exchange.levels, nullptr);
  const auto among_masters = collective(exchange.top).among_masters;
  if (among_masters == nullptr)
    throw std::invalid_argument("the top of a hierarchy must be an all-reduce of dense vectors");
  return std::make_unique<Hierarchical>(workers, exchange.levels, among_masters(masters));
}

std::unique_ptr<Schedule> gather_and_send_back(int masters) {
  return std::make_unique<Hierarchical>(
      masters, std::vector<HierarchyLevel>{{masters, GroupReduce::flat, GroupBroadcast::flat, false}}, nullptr);
}

} // namespace gradflight
