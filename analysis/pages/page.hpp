// An HTML page with Vega-Lite charts and tables that opens offline: data, specifications and libraries are inside it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gradflight {

/// A bar of parts beside each other, in a cell.
struct PageBar {
  struct Part {
    double length = 0; ///< of the bar's whole, which is 1 or what the parts make together
    std::string color, name;
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

  std::string text;
  std::string whole{}; ///< of a cut one
  bool whole_line = false;
  PageBar bar{};
};

struct PageTable {
  std::vector<std::string> header;
  std::vector<std::vector<PageCell>> rows;
};

struct PageLink {
  std::string text, id;
};

class Page {
public:
  explicit Page(std::string title);

  /// `id`: what links name; empty: none can.
  void heading(const std::string& text, const std::string& id = {});
  void contents(const std::vector<PageLink>& links);
  void paragraph(const std::string& text);
  void table(const PageTable& table);
  /// Shut until somebody asks for it.
  void folded_table(const std::string& summary, const PageTable& rows);
  void list(const std::vector<std::string>& items);
  /// What colours of bars mean: names with theirs.
  void legend(const std::vector<PageBar::Part>& parts);
  /// `specification`: Vega-Lite without "$schema"; data named in it as { "name": NAME } come from `data`.
  void chart(const std::string& caption, const nlohmann::ordered_json& specification);
  /// Rows that charts share.
  void data(const std::string& name, const nlohmann::ordered_json& rows);

  /// The libraries come from vega_directory(); without them the page says how to get them and shows the specifications.
  [[nodiscard]] std::string html() const;

private:
  std::string title_, body_, data_, charts_;
  int chart_count_ = 0;
};

/// What every page begins with.
inline constexpr const char* page_opening = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                                            "<meta name=\"generator\" content=\"gradflight\">\n";

/// Where vega.min.js, vega-lite.min.js and vega-embed.min.js lie: $GRADFLIGHT_VEGA, vega/ beside the program, or
/// ../share/gradflight/vega. Empty: nowhere.
std::filesystem::path vega_directory();

} // namespace gradflight
