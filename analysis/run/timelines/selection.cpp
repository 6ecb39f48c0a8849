#include "analysis/run/timelines/selection.hpp"

#include "base/human.hpp"
#include "base/parse_number.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace gradflight {
namespace {

bool is_collective(Activity activity) {
  return activity != Activity::forward && activity != Activity::backward && activity != Activity::update;
}

class Selecting {
public:
  Selecting(const Timeline& all, const TimelineSelection& wanted) : all_(all), wanted_(wanted) {
    int last = static_cast<int>(all.rank_names.size()) - 1;
    for (const Interval& v : all.intervals) last = std::max(last, v.rank);
    for (const Transfer& t : all.transfers) last = std::max({last, t.from, t.to});
    out_.shown.assign(static_cast<std::size_t>(last) + 1, wanted.ranks.empty());
    for (const auto& [from, to] : wanted.ranks)
      for (int rank = from; rank <= to && rank <= last; ++rank) out_.shown[static_cast<std::size_t>(rank)] = true;
  }

  SelectedTimeline select(double bytes_per_slice) {
    const auto most = static_cast<std::size_t>(std::clamp(wanted_.bytes / bytes_per_slice, 1.0, 1e15));
    name_path();
    fit_links(most / 4);
    fit_ranks(most - most / 4);
    fill();
    return std::move(out_);
  }

private:
  [[nodiscard]] bool is_shown(int rank) const { return out_.shown[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool in_time(double begin, double end) const { return end >= wanted_.from && begin <= wanted_.to; }
  [[nodiscard]] bool is_wanted(const Interval& v) const {
    return in_time(v.begin, v.end) && (!wanted_.collectives_only || is_collective(v.activity));
  }

  void name_path() {
    out_.path = critical_path(all_);
    std::erase_if(out_.path, [&](const CriticalStep& step) { return !in_time(step.begin, step.end); });
    for (const CriticalStep& step : out_.path) {
      const auto rank = [&](int r) { return record_name(all_.rank_names, r, "rank"); };
      switch (step.kind) {
      case CriticalStep::Kind::work:
        out_.path_names.push_back(
            fmt::format("{}: {}", rank(step.rank), slice_name(all_, all_.intervals[step.record])));
        break;
      case CriticalStep::Kind::message: {
        const Transfer& t = all_.transfers[step.record];
        out_.path_names.push_back(fmt::format("{}: {} from {}", rank(t.to),
                                              record_name(all_.bucket_names, t.bucket, "bucket"), rank(t.from)));
        break;
      }
      case CriticalStep::Kind::wait: out_.path_names.push_back(fmt::format("{}: waits", rank(step.rank))); break;
      }
    }
  }

  /// Keeps the links with most bytes, as long as their changes together do not exceed `most`.
  void fit_links(std::size_t most) {
    std::map<int, std::pair<double, std::size_t>> of_link; // seconds times rate, number of changes
    for (const LinkChange& change : all_.links) {
      auto& [carried, changes] = of_link[change.link];
      carried -= change.rate * change.time;
      ++changes;
    }
    std::vector<std::tuple<double, int, std::size_t>> order;
    for (const auto& [link, load] : of_link) {
      const auto at = static_cast<std::size_t>(link);
      const double bandwidth = at < all_.link_bandwidths.size() ? all_.link_bandwidths[at] : 1;
      order.emplace_back(-load.first / bandwidth, link, load.second);
    }
    std::ranges::sort(order);
    links_.assign(all_.link_names.size(), false);
    std::size_t changes = 0;
    for (const auto& [load, link, own] : order) {
      changes += own;
      if (changes > most)
        ++out_.links_left_out;
      else if (static_cast<std::size_t>(link) < links_.size())
        links_[static_cast<std::size_t>(link)] = true;
    }
  }

  /// Returns the number of slices of each rank.
  [[nodiscard]] std::vector<std::size_t> slices_of_ranks() const {
    std::vector<std::size_t> slices(out_.shown.size(), 0);
    for (const Interval& v : all_.intervals)
      if (is_wanted(v)) ++slices[static_cast<std::size_t>(v.rank)];
    for (const Transfer& t : all_.transfers) {
      if (!in_time(t.posted, t.end)) continue;
      slices[static_cast<std::size_t>(t.from)] += 2; // the end of a flow takes as much space as a slice
      slices[static_cast<std::size_t>(t.to)] += 2;
    }
    return slices;
  }

  /// Returns the rank on which the critical path ends, then evenly spaced ranks: 0, 1/2, 1/4, 3/4, 1/8, ...
  [[nodiscard]] std::vector<int> order_of_ranks() const {
    std::vector<int> chosen;
    for (std::size_t rank = 0; rank < out_.shown.size(); ++rank)
      if (out_.shown[rank]) chosen.push_back(static_cast<int>(rank));
    std::vector<int> order;
    std::vector<bool> taken(out_.shown.size(), false);
    const auto take = [&](int rank) {
      if (!is_shown(rank) || taken[static_cast<std::size_t>(rank)]) return;
      taken[static_cast<std::size_t>(rank)] = true;
      order.push_back(rank);
    };
    if (!out_.path.empty()) take(out_.path.back().rank);
    for (std::size_t parts = 1; parts < 2 * chosen.size(); parts *= 2)
      for (std::size_t i = 0; i < parts; ++i) take(chosen[i * chosen.size() / parts]);
    for (const int rank : chosen) take(rank);
    return order;
  }

  void fit_ranks(std::size_t most) {
    if (wanted_.collectives_only) return; // each rank has few slices
    const auto slices = slices_of_ranks();
    std::size_t all = 0;
    bool first = true;
    for (const int rank : order_of_ranks()) {
      const std::size_t own = slices[static_cast<std::size_t>(rank)];
      if (first && own > most) find_shortest(rank, most);
      if (!first && all + own > most) {
        out_.shown[static_cast<std::size_t>(rank)] = false;
        ++out_.ranks_left_out;
        continue;
      }
      all += own;
      first = false;
    }
  }

  void find_shortest(int rank, std::size_t most) {
    std::vector<double> lengths;
    for (const Interval& v : all_.intervals)
      if (v.rank == rank && is_wanted(v)) lengths.push_back(v.end - v.begin);
    for (const Transfer& t : all_.transfers)
      if ((t.from == rank || t.to == rank) && in_time(t.posted, t.end))
        for (int i = 0; i < (t.from == t.to ? 4 : 2); ++i) lengths.push_back(t.end - t.posted);
    std::ranges::sort(lengths, std::greater<>());
    out_.shortest = std::nextafter(lengths[most], std::numeric_limits<double>::infinity());
  }

  [[nodiscard]] bool is_long(double length) {
    if (length >= out_.shortest) return true;
    ++out_.short_left_out;
    return false;
  }

  void fill() {
    Timeline& t = out_.timeline;
    t.truncated = all_.truncated;
    t.rank_names = all_.rank_names;
    t.link_names = all_.link_names;
    t.layer_names = all_.layer_names;
    t.bucket_names = all_.bucket_names;
    t.cost_names = all_.cost_names;
    t.link_bandwidths = all_.link_bandwidths;
    for (const TimelineMark& mark : all_.marks)
      if (in_time(mark.time, mark.time)) t.marks.push_back(mark);
    for (const LinkChange& change : all_.links)
      if (in_time(change.time, change.time) && links_[static_cast<std::size_t>(change.link)]) t.links.push_back(change);
    if (wanted_.collectives_only) return fill_collectives();
    for (const Interval& v : all_.intervals)
      if (is_shown(v.rank) && is_wanted(v) && is_long(v.end - v.begin)) t.intervals.push_back(v);
    for (const Transfer& m : all_.transfers)
      if ((is_shown(m.from) || is_shown(m.to)) && in_time(m.posted, m.end) && is_long(m.end - m.posted))
        t.transfers.push_back(m);
  }

  /// Adds slices for each rank, stream, bucket and iteration, from the first to the last of its messages and sums.
  void fill_collectives() {
    std::map<std::tuple<int, int, int, std::int64_t>, Interval> whole;
    const auto add = [&](int rank, int stream, int bucket, std::int64_t iteration, double begin, double end) {
      if (!is_shown(rank)) return;
      const auto [at, fresh] = whole.try_emplace(
          {rank, stream, bucket, iteration}, Interval{rank, stream, Activity::exchange, bucket, iteration, begin, end});
      if (fresh) return;
      at->second.begin = std::min(at->second.begin, begin);
      at->second.end = std::max(at->second.end, end);
    };
    for (const Interval& v : all_.intervals)
      if (is_collective(v.activity) && v.activity != Activity::cost && v.stream > 0)
        add(v.rank, v.stream, v.label, v.iteration, v.begin, v.end);
    for (const Transfer& m : all_.transfers) {
      add(m.from, m.stream, m.bucket, m.iteration, m.posted, m.end);
      add(m.to, m.stream, m.bucket, m.iteration, m.begin, m.end);
    }
    for (const auto& [key, interval] : whole)
      if (in_time(interval.begin, interval.end)) out_.timeline.intervals.push_back(interval);
  }

  const Timeline& all_;
  const TimelineSelection& wanted_;
  SelectedTimeline out_;
  std::vector<bool> links_;
};

int parse_rank(std::string_view text) {
  const auto rank = parse_number<int>(text);
  if (!rank || *rank < 0)
    throw std::invalid_argument(fmt::format("\"{}\" is not a rank; expected ranks such as 0-7,12", text));
  return *rank;
}

} // namespace

std::vector<std::pair<int, int>> parse_ranks(std::string_view text) {
  std::vector<std::pair<int, int>> ranks;
  for (;;) {
    const auto comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    const auto dash = one.find('-');
    const int first = parse_rank(one.substr(0, dash));
    const int last = dash == std::string_view::npos ? first : parse_rank(one.substr(dash + 1));
    if (last < first) throw std::invalid_argument(fmt::format("\"{}\": {} is after {}", one, first, last));
    ranks.emplace_back(first, last);
    if (comma == std::string_view::npos) return ranks;
    text.remove_prefix(comma + 1);
  }
}

SelectedTimeline select(const Timeline& timeline, const TimelineSelection& selection, double bytes_per_slice) {
  return Selecting(timeline, selection).select(bytes_per_slice);
}

std::string record_name(const std::vector<std::string>& names, int index, const char* what) {
  if (index >= 0 && static_cast<std::size_t>(index) < names.size()) return names[static_cast<std::size_t>(index)];
  return fmt::format("{} {}", what, index);
}

std::string slice_name(const Timeline& timeline, const Interval& interval) {
  const auto bucket = [&] { return record_name(timeline.bucket_names, interval.label, "bucket"); };
  switch (interval.activity) {
  case Activity::forward: return "forward " + record_name(timeline.layer_names, interval.label, "layer");
  case Activity::backward: return "backward " + record_name(timeline.layer_names, interval.label, "layer");
  case Activity::update: return "update";
  case Activity::reduce: return "reduce " + bucket();
  case Activity::merge: return "merge " + bucket();
  case Activity::encode: return "encode " + bucket();
  case Activity::decode: return "decode " + bucket();
  case Activity::cost: return record_name(timeline.cost_names, interval.label, "cost");
  case Activity::exchange: return "exchange " + bucket();
  }
  return "?";
}

const char* activity_category(Activity activity) {
  switch (activity) {
  case Activity::forward: return "forward";
  case Activity::backward: return "backward";
  case Activity::update: return "update";
  case Activity::reduce: return "reduce";
  case Activity::merge: return "merge";
  case Activity::encode:
  case Activity::decode: return "codec";
  case Activity::cost: return "cost";
  case Activity::exchange: return "exchange";
  }
  return "?";
}

std::string left_out_text(const SelectedTimeline& selected) {
  std::string text;
  const auto add = [&](std::size_t count, const std::string& what) {
    if (count > 0)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", counted(static_cast<std::int64_t>(count), what));
  };
  add(selected.ranks_left_out, "rank");
  if (selected.links_left_out > 0)
    text += fmt::format("{}the utilisation of {}", text.empty() ? "" : ", ",
                        counted(static_cast<std::int64_t>(selected.links_left_out), "link"));
  if (selected.short_left_out > 0)
    text += fmt::format("{}{} shorter than {}", text.empty() ? "" : ", ",
                        counted(static_cast<std::int64_t>(selected.short_left_out), "slice"),
                        human_seconds(selected.shortest));
  return text;
}

} // namespace gradflight
