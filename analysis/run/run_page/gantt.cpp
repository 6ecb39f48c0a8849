#include "analysis/run/run_page/gantt.hpp"

#include "analysis/run/pages/markup.hpp"
#include "analysis/run/pages/part_inks.hpp"
#include "analysis/run/pages/plot.hpp"
#include "analysis/run/timelines/critical_path.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace gradflight {
namespace {

constexpr double work_height = 14, message_height = 6, strip_height = 3, row_height = 40, ink_height = 12,
                 axis_height = 34;
enum class Lane { work, send, receive };

/// Pieces of one colour on one lane, in pixels; merges pieces that a screen cannot separate.
class Pieces {
public:
  void add(double begin, double end) { pieces_.emplace_back(begin, end); }
  [[nodiscard]] std::string markup(double y, double height, Ink ink, const char* word) {
    constexpr double smallest_gap = 0.4;
    std::ranges::sort(pieces_);
    std::string d;
    for (std::size_t i = 0; i < pieces_.size();) {
      auto [begin, end] = pieces_[i];
      for (++i; i < pieces_.size() && pieces_[i].first <= end + smallest_gap; ++i)
        end = std::max(end, pieces_[i].second);
      end = std::max(end, begin + smallest_gap);
      d += fmt::format("M{:.1f} {:.1f}H{:.1f}v{:.0f}H{:.1f}z", begin, y, end, height, begin);
    }
    return fmt::format(R"(<path d="{}" style="fill: {}"><title>{}</title></path>)", d, ink_css(ink), word);
  }

private:
  std::vector<std::pair<double, double>> pieces_;
};

class GanttDrawing {
public:
  GanttDrawing(const Timeline& timeline, const GanttView& view, int width)
      : timeline_(timeline), view_(view), width_(width), narrow_(width == narrow_drawing) {
    for (std::size_t row = 0; row < view.ranks.size(); ++row) row_of_[view.ranks[row]] = row;
    double widest = 0;
    for (const int rank : view.ranks) widest = std::max(widest, drawn_width(name_of(rank)));
    left_ = std::min(widest + 8, narrow_ ? 80.0 : 200.0);
  }

  std::string markup(const std::vector<CriticalStep>& path, const std::string& label) {
    const int height = static_cast<int>(row_height * static_cast<double>(view_.ranks.size()) + axis_height);
    std::string out = svg_opening(width_, height, label);
    for (std::size_t row = 0; row < view_.ranks.size(); ++row) {
      out += fmt::format(R"(<rect class="lane" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.0f}"/>)", left_,
                         top_of(row), width_ - left_, row_height - 6);
      out += svg_text(left_ - 6, top_of(row) + ink_height, fitted_text(name_of(view_.ranks[row]), left_ - 6), "end");
    }
    out += lanes() + marks() + critical(path) + axis();
    return out + "</svg>\n";
  }

private:
  [[nodiscard]] std::string name_of(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    std::string name = i < timeline_.rank_names.size() ? timeline_.rank_names[i] : fmt::format("rank {}", rank);
    return narrow_ ? name.substr(0, name.find(" (")) : name; // without its place
  }
  [[nodiscard]] static double top_of(std::size_t row) { return row_height * static_cast<double>(row); }
  [[nodiscard]] static double lane_y(std::size_t row, Lane lane) {
    const double top = top_of(row) + 2;
    if (lane == Lane::work) return top;
    return top + work_height + (lane == Lane::send ? 0 : message_height + 1);
  }
  [[nodiscard]] static double strip_y(std::size_t row) { return lane_y(row, Lane::receive) + message_height + 1; }
  [[nodiscard]] double px(double time) const {
    const double part = (time - view_.from) / (view_.to - view_.from);
    return left_ + std::clamp(part, 0.0, 1.0) * (width_ - left_);
  }
  [[nodiscard]] bool seen(double begin, double end) const {
    return end > begin && end > view_.from && begin < view_.to;
  }

  [[nodiscard]] std::string lanes() const {
    std::map<std::tuple<std::size_t, Lane, std::string>, std::pair<Ink, Pieces>> all;
    const auto add = [&](int rank, Lane lane, const char* word, Ink ink, double begin, double end) {
      const auto row = row_of_.find(rank);
      if (row == row_of_.end() || !seen(begin, end)) return;
      auto& pieces = all[{row->second, lane, word}];
      pieces.first = ink;
      pieces.second.add(px(begin), px(end));
    };
    for (const Interval& v : timeline_.intervals)
      add(v.rank, Lane::work, activity_word(v.activity), activity_ink(v.activity), v.begin, v.end);
    for (const Transfer& t : timeline_.transfers) {
      add(t.from, Lane::send, "sending", part_ink(Part::beta), t.launched, t.end);
      add(t.to, Lane::receive, "receiving", part_ink(Part::beta), t.launched, t.end);
    }
    std::string out;
    for (auto& [where, pieces] : all) {
      const auto& [row, lane, word] = where;
      out += pieces.second.markup(lane_y(row, lane), lane == Lane::work ? work_height : message_height, pieces.first,
                                  word.c_str());
    }
    return out;
  }

  [[nodiscard]] std::string marks() const {
    std::string out;
    for (const TimelineMark& mark : timeline_.marks)
      if (mark.time >= view_.from && mark.time <= view_.to)
        out += fmt::format(R"(<path class="reference" d="M{:.1f} 0V{:.1f}"><title>{}</title></path>)", px(mark.time),
                           top_of(view_.ranks.size()), markup_text(mark.text));
    return out;
  }

  /// Returns the critical path as a strip below a rank's lanes. If few enough, also draws its messages between strips.
  [[nodiscard]] std::string critical(const std::vector<CriticalStep>& path) const {
    constexpr std::size_t most_hops = 150;
    std::map<std::size_t, Pieces> strips;
    std::string hops;
    std::size_t hop_count = 0;
    for (const CriticalStep& step : path) {
      if (!seen(step.begin, step.end)) continue;
      const auto until = row_of_.find(step.rank);
      if (until != row_of_.end()) strips[until->second].add(px(step.begin), px(step.end));
      if (step.kind != CriticalStep::Kind::message) continue;
      const auto from = row_of_.find(timeline_.transfers[step.record].from);
      if (from == row_of_.end() || until == row_of_.end()) continue;
      ++hop_count;
      hops += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", px(step.begin), strip_y(from->second) + 1, px(step.end),
                          strip_y(until->second) + 1);
    }
    std::string out;
    for (auto& [row, pieces] : strips) out += pieces.markup(strip_y(row), strip_height, Ink::text, "critical path");
    if (hop_count > 0 && hop_count <= most_hops) out += fmt::format(R"(<path class="hop" d="{}"/>)", hops);
    return out;
  }

  [[nodiscard]] std::string axis() const {
    const double bottom = top_of(view_.ranks.size());
    std::string out;
    double free_from = 0;
    for (const double tick : plot_ticks(view_.from, view_.to, false, narrow_ ? 4 : 8)) {
      if (tick < view_.from || tick > view_.to) continue;
      const std::string text = plot_value(tick, PlotUnit::seconds);
      const double half = drawn_width(text) / 2, x = std::clamp(px(tick), half, width_ - half);
      out += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}v5"/>)", px(tick), bottom);
      if (x - half < free_from) continue;
      out += svg_text(x, bottom + 20, text, "middle", "tick");
      free_from = x + half + 6;
    }
    return out;
  }

  const Timeline& timeline_;
  const GanttView& view_;
  int width_;
  bool narrow_;
  double left_ = 0;
  std::map<int, std::size_t> row_of_;
};

std::vector<LegendEntry> names_of(const Timeline& timeline, const GanttView& view) {
  std::vector<LegendEntry> names;
  const auto add = [&](const char* word, Ink ink) {
    if (std::ranges::find(names, word, &LegendEntry::name) == names.end()) names.push_back({word, ink});
  };
  const auto shown = [&](double begin, double end) { return end > view.from && begin < view.to; };
  for (const Interval& v : timeline.intervals)
    if (shown(v.begin, v.end)) add(activity_word(v.activity), activity_ink(v.activity));
  for (const Transfer& t : timeline.transfers)
    if (shown(t.launched, t.end)) {
      add("messages (sent above, received below)", part_ink(Part::beta));
      break;
    }
  if (!names.empty()) names.push_back({"critical path", Ink::text});
  return names;
}

} // namespace

GanttView gantt_view(const Timeline& timeline, double from, double to) {
  int ranks = static_cast<int>(timeline.rank_names.size());
  for (const Interval& v : timeline.intervals) ranks = std::max(ranks, v.rank + 1);
  for (const Transfer& t : timeline.transfers) ranks = std::max({ranks, t.from + 1, t.to + 1});
  GanttView view{from, to, std::vector<int>(static_cast<std::size_t>(ranks))};
  std::iota(view.ranks.begin(), view.ranks.end(), 0);
  if (view.ranks.size() <= gantt_ranks) return view;
  std::vector<double> spent(view.ranks.size(), 0);
  for (const CriticalStep& step : critical_path(timeline))
    if (const double time = std::min(step.end, to) - std::max(step.begin, from); time > 0) {
      spent[static_cast<std::size_t>(step.rank)] += time;
      if (step.kind == CriticalStep::Kind::message)
        spent[static_cast<std::size_t>(timeline.transfers[step.record].from)] += time;
    }
  std::ranges::stable_sort(view.ranks, std::ranges::greater(),
                           [&](int rank) { return spent[static_cast<std::size_t>(rank)]; });
  view.ranks.resize(gantt_ranks);
  std::ranges::sort(view.ranks);
  return view;
}

std::string gantt_markup(const Timeline& timeline, const GanttView& view, const std::string& label) {
  const auto names = names_of(timeline, view);
  if (names.empty() || view.ranks.empty()) return {};
  const auto path = critical_path(timeline);
  std::string out = legend_markup(names);
  for (const int width : {wide_drawing, narrow_drawing}) out += GanttDrawing(timeline, view, width).markup(path, label);
  return out;
}

} // namespace gradflight
