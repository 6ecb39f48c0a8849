// An HTML page with Vega-Lite charts and tables that opens offline: data, specifications and libraries are inside it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace gradflight {

struct PageTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

class Page {
public:
  explicit Page(std::string title);

  void heading(const std::string& text);
  void paragraph(const std::string& text);
  void table(const PageTable& table);
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
