// An HTML page that opens offline, on any screen and on paper. All pages share style, head and table of contents.
//
// Charts are static SVG (plot.hpp). If the Vega libraries are available, plots can also be opened as interactive ones.
#pragma once

#include "analysis/run/pages/palette.hpp"
#include "analysis/run/pages/plot.hpp"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gradflight {

/// A bar of adjacent parts, in a table cell.
struct PageBar {
  struct Part {
    double length = 0; ///< relative to the whole bar, which is 1 or the sum of the parts if that is larger
    Ink ink = Ink::series0;
    std::string name;
  };
  std::vector<Part> parts;
};

struct PageCell {
  PageCell(std::string shown) : text(std::move(shown)) {}
  PageCell(const char* shown) : text(shown) {}
  PageCell(PageBar shown) : bar(std::move(shown)) {}
  /// Text that is cut to a part of a line; the pointer shows all of it.
  static PageCell cut(std::string shown, const std::string& more = {});
  /// Text that is never broken, such as a name.
  static PageCell unbroken(std::string shown);
  /// Options of a command: with more space, because they break badly.
  static PageCell options(std::string shown);

  std::string text;
  std::string whole{}; ///< full text of a cut one
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

  /// A summary in sentences, before the table of contents.
  void lead(const std::string& text);
  /// A section in the table of contents. `id` is the target of links; empty: generated.
  void heading(const std::string& text, const std::string& id = {});
  void subheading(const std::string& text);
  void paragraph(const std::string& text);
  void note(const std::string& text);
  /// Preformatted text for copying.
  void code(const std::string& text);
  void folded_code(const std::string& summary, const std::string& text);
  /// A section with the command line that generates the page; omitted if it is unknown.
  void command(const std::string& line);
  /// A column with only numbers is aligned to the right.
  void table(const PageTable& table);
  /// A table that is closed until the reader opens it.
  void folded_table(const std::string& summary, const PageTable& rows);
  void list(const std::vector<std::string>& items);
  /// The meanings of colours in bars: names with their colours.
  void legend(const std::vector<PageBar::Part>& parts);
  /// A drawing (bars_markup, a Gantt chart, ...) with its caption; omitted if empty.
  void figure(const std::string& caption, const std::string& markup);
  /// A plot with its caption; omitted if it has no points. With the Vega libraries, the reader can open it as an
  /// interactive plot with zoom. `label` describes the plot for readers who cannot see it.
  void figure(const std::string& caption, const Plot& plot, const std::string& label);
  /// Several plots side by side; a single one is shown as a normal figure.
  void figure(const std::string& caption, const std::vector<TitledPlot>& plots, const std::string& label);

  /// Returns the page. The libraries come from vega_directory(); without them the page has no script.
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

/// The beginning of every page.
inline constexpr const char* page_opening = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                                            "<meta name=\"generator\" content=\"gradflight\">\n";
/// All style except colours: layout, text, tables, drawings, print.
extern const char* const page_style;

/// Returns the directory of vega.min.js, vega-lite.min.js and vega-embed.min.js: $GRADFLIGHT_VEGA, vega/ beside the
/// program, or ../share/gradflight/vega. Empty if none exists.
std::filesystem::path vega_directory();

} // namespace gradflight
