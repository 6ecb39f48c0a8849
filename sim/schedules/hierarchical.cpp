#include "sim/schedules/hierarchical.hpp"

#include <algorithm>
#include <stdexcept>

namespace gradflight {

namespace {

int group_count(int members, const HierarchyLevel& level) {
  if (level.group_size < 1) throw std::invalid_argument("a group has at least one member");
  return (members - 1) / level.group_size + 1;
}

} // namespace

int hierarchy_masters(int workers, const std::vector<HierarchyLevel>& levels) {
  int left = workers;
  for (const HierarchyLevel& level : levels) left = group_count(left, level);
  return left;
}

int hierarchy_aggregators(int workers, const std::vector<HierarchyLevel>& levels) {
  int left = workers, aggregators = 0;
  for (const HierarchyLevel& level : levels) {
    left = group_count(left, level);
    if (level.dedicated) aggregators += left;
  }
  return aggregators;
}

std::optional<int> Hierarchical::Row::find(int participant) const {
  const int offset = participant - first;
  if (offset < 0 || offset % stride != 0 || offset / stride >= count) return std::nullopt;
  return offset / stride;
}

Hierarchical::Row Hierarchical::Level::masters() const {
  if (spec.dedicated) return {aggregators, 1, groups};
  // A stride past the last member is never used; keeping it small avoids overflow.
  return {members.first, groups == 1 ? 1 : members.stride * spec.group_size, groups};
}

Hierarchical::Hierarchical(int workers, const std::vector<HierarchyLevel>& levels, std::unique_ptr<Schedule> top)
    : workers_(workers), participants_(workers), masters_{0, 1, workers}, top_(std::move(top)) {
  if (workers < 1) throw std::invalid_argument("a hierarchy needs at least one worker");
  for (const HierarchyLevel& spec : levels) {
    Level level{spec, masters_, participants_, group_count(masters_.count, spec), false};
    level.informed = level.groups == 1 && spec.reduce == GroupReduce::allreduce && !spec.dedicated;
    if (spec.dedicated) participants_ += level.groups;
    masters_ = level.masters();
    levels_.push_back(level);
  }
  if (masters_.count > 1 && !top_) throw std::invalid_argument("several masters are left and have no top schedule");
  if (top_ && (top_->participants() != masters_.count || top_->workers() != masters_.count || top_->lag() != 0))
    throw std::invalid_argument("the top schedule must be a plain all-reduce among the masters that are left");
}

std::optional<Hierarchical::Place> Hierarchical::find(const Level& level, int participant) {
  const int size = level.spec.group_size;
  const auto place = [&](int group, int position) {
    const int members = std::min(size, level.members.count - group * size);
    return Place{group, {members, level.spec.dedicated, position < 0 ? members : position}};
  };
  if (const auto member = level.members.find(participant)) return place(*member / size, *member % size);
  if (!level.spec.dedicated) return std::nullopt;
  if (const auto group = level.masters().find(participant)) return place(*group, -1);
  return std::nullopt;
}

Step Hierarchical::mapped(Step step, const Level& level, const Place& place) {
  for (int* position : {&step.to, &step.from}) {
    if (*position < 0) continue;
    *position = *position == place.seat.members
                    ? level.masters().participant(place.group)
                    : level.members.participant(place.group * level.spec.group_size + *position);
  }
  return step;
}

int Hierarchical::steps(int participant) const {
  int count = 0;
  for (const Level& level : levels_) {
    const auto place = find(level, participant);
    if (!place) continue;
    count += place->seat.reduce_steps(level.spec.reduce);
    if (!level.informed) count += place->seat.broadcast_steps(level.spec.broadcast);
  }
  if (const auto master = masters_.find(participant); master && top_) count += top_->steps(*master);
  return count;
}

Step Hierarchical::step(std::int64_t n, int participant, int index) const {
  for (const Level& level : levels_) {
    const auto place = find(level, participant);
    if (!place) continue;
    const int count = place->seat.reduce_steps(level.spec.reduce);
    if (index < count) return mapped(place->seat.reduce_step(level.spec.reduce, n, index), level, *place);
    index -= count;
  }
  if (const auto master = masters_.find(participant); master && top_) {
    const int count = top_->steps(*master);
    if (index < count) {
      Step step = top_->step(n, *master, index);
      for (int* member : {&step.to, &step.from})
        if (*member >= 0) *member = masters_.participant(*member);
      return step;
    }
    index -= count;
  }
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    const auto place = find(*level, participant);
    if (!place || level->informed) continue;
    const int count = place->seat.broadcast_steps(level->spec.broadcast);
    if (index < count) return mapped(place->seat.broadcast_step(level->spec.broadcast, n, index), *level, *place);
    index -= count;
  }
  throw std::logic_error("hierarchical: step index out of range");
}

} // namespace gradflight
