// An HTML page that opens offline, on any screen and on paper: one family, whose style, head and contents are here.
//
// Charts are static SVG (plot.hpp). Where Vega is at hand, plots can be unfolded as interactive ones, too.
#pragma once

#include "analysis/run/pages/palette.hpp"
#include "analysis/run/pages/plot.hpp"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gradflight {

/// A bar of parts beside each other, in a cell.
struct PageBar {
  struct Part {
    double length = 0; ///< of the bar's whole, which is 1 or what the parts make together
    Ink ink = Ink::series0;
    std::string name;
  };
  std::vector<Part> parts;
};

struct PageCell {
  PageCell(std::string shown) : text(std::move(shown)) {}
  PageCell(const char* shown) : text(shown) {}
  PageCell(PageBar shown) : bar(std::move(shown)) {}
  /// Cut to a line's part; all of it where the pointer rests.
  static PageCell cut(std::string shown, const std::string& more = {});
  /// Never broken, as a name.
  static PageCell unbroken(std::string shown);
  /// Options of a command: with room, since they break badly.
  static PageCell options(std::string shown);

  std::string text;
  std::string whole{}; ///< of a cut one
  bool whole_line = false, option = false;
  PageBar bar{};
};

struct PageTable {
  std::vector<std::string> header;
  std::vector<std::vector<PageCell>> rows;
};

class Page {
public:
  explicit Page(std::string title);

  /// Sentences that say it all, before the contents.
  void lead(const std::string& text);
  /// A section, which the list of contents names. `id`: what links name; empty: one is made.
  void heading(const std::string& text, const std::string& id = {});
  void subheading(const std::string& text);
  void paragraph(const std::string& text);
  void note(const std::string& text);
  /// As it stands, to be copied.
  void code(const std::string& text);
  void folded_code(const std::string& summary, const std::string& text);
  /// A section with the command line that makes the page again; nothing where it is not known.
  void command(const std::string& line);
  /// A column of which every cell is a number is set right.
  void table(const PageTable& table);
  /// Shut until somebody asks for it.
  void folded_table(const std::string& summary, const PageTable& rows);
  void list(const std::vector<std::string>& items);
  /// What colours of bars mean: names with theirs.
  void legend(const std::vector<PageBar::Part>& parts);
  /// A drawing (bars_markup, a Gantt chart, ...) with its caption; nothing where it is empty.
  void figure(const std::string& caption, const std::string& markup);
  /// A plot with its caption, which can be unfolded, where Vega is at hand, as one to zoom into; nothing where it has
  /// no points. `label`: what it shows, for those who cannot see it.
  void figure(const std::string& caption, const Plot& plot, const std::string& label);
  /// Several beside each other; one alone as if it stood there by itself.
  void figure(const std::string& caption, const std::vector<TitledPlot>& plots, const std::string& label);

  /// The libraries come from vega_directory(); without them there is no script in it.
  [[nodiscard]] std::string html() const;

private:
  struct Section {
    std::string text, id;
  };
  void unfolding_figure(const std::string& caption, const std::string& markup,
                        const nlohmann::ordered_json& specification);

  std::string title_, lead_, body_, charts_;
  std::vector<Section> sections_;
  int chart_count_ = 0;
};

/// What every page begins with.
inline constexpr const char* page_opening = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                                            "<meta name=\"generator\" content=\"gradflight\">\n";
/// All but colours: layout, text, tables, drawings, print.
extern const char* const page_style;

/// Where vega.min.js, vega-lite.min.js and vega-embed.min.js lie: $GRADFLIGHT_VEGA, vega/ beside the program, or
/// ../share/gradflight/vega. Empty: nowhere.
std::filesystem::path vega_directory();

} // namespace gradflight
