#include "analysis/pages/page.hpp"

#include "analysis/files/program_path.hpp"
#include "analysis/pages/markup.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace gradflight {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// In the order in which they need each other.
constexpr std::array libraries = {"vega.min.js", "vega-lite.min.js", "vega-embed.min.js"};

constexpr const char* page_style = R"(
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; max-width: 84rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
p, ul, figcaption { max-width: 62rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; display: block;
        overflow-x: auto; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #d8dee4; }
figure { margin: 1rem 0 1.6rem; } figcaption { color: #57606a; font-size: .9rem; margin-bottom: .5rem; }
td.cut { max-width: 13rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
td.bar, td.line { white-space: nowrap; } .swatch { display: inline-block; width: .8em; height: .8em; margin: 0 .35em 0 .9em; }
.note { background: #fff8c5; padding: .6rem .9rem; } pre { overflow-x: auto; font-size: .8rem; }
)";

/// JSON inside a script element: nothing in it may end the element.
std::string script_json(const Json& json) {
  auto text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3) text.replace(at, 2, "<\\/");
  for (std::size_t at = 0; (at = text.find("<!--", at)) != std::string::npos; at += 6) text.replace(at, 1, "\\u003c");
  return text;
}

/// Lengths are in thousandths, so that the picture has round numbers.
std::string bar_markup(const PageBar& bar) {
  double whole = 0;
  for (const auto& part : bar.parts) whole += part.length;
  const double unit = 1000 / std::max(1.0, whole);
  std::string text = "<svg width=\"120\" height=\"10\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\">"
                     "<rect width=\"1000\" height=\"10\" fill=\"#eaeef2\"/>";
  double at = 0;
  for (const auto& part : bar.parts) {
    text += fmt::format(R"(<rect x="{:.0f}" width="{:.0f}" height="10" fill="{}"><title>{}</title></rect>)", at * unit,
                        part.length * unit, part.color, markup_text(part.name));
    at += part.length;
  }
  return text + "</svg>";
}

std::string cell_markup(const PageCell& cell) {
  if (!cell.bar.parts.empty()) return "<td class=\"bar\">" + bar_markup(cell.bar) + "</td>";
  if (cell.whole_line) return "<td class=\"line\">" + markup_text(cell.text) + "</td>";
  if (cell.whole.empty()) return "<td>" + markup_text(cell.text) + "</td>";
  return fmt::format("<td class=\"cut\"{}>{}</td>", markup_attribute("title", cell.whole), markup_text(cell.text));
}

std::string library_text(const fs::path& directory) {
  std::string text;
  for (const auto* library : libraries) {
    std::ifstream in(directory / library, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    if (content.empty()) return {};
    text += "<script>" + content + "</script>\n";
  }
  return text;
}

} // namespace

fs::path vega_directory() {
  std::vector<fs::path> places;
  if (const char* named = std::getenv("GRADFLIGHT_VEGA"); named != nullptr && *named != 0) places.emplace_back(named);
  std::error_code error;
  if (const auto program = program_path(); !program.empty()) {
    places.push_back(program.parent_path() / "vega");
    places.push_back(program.parent_path().parent_path() / "share/gradflight/vega");
  }
  for (const auto& place : places)
    if (fs::exists(place / libraries.front(), error)) return place;
  return {};
}

Page::Page(std::string title) : title_(std::move(title)) {}

PageCell PageCell::cut(std::string shown, const std::string& more) {
  PageCell cell(std::move(shown));
  cell.whole = cell.text.empty() || more.empty() ? cell.text + more : cell.text + "; " + more;
  return cell;
}

PageCell PageCell::unbroken(std::string shown) {
  PageCell cell(std::move(shown));
  cell.whole_line = true;
  return cell;
}

void Page::heading(const std::string& text, const std::string& id) {
  body_ += fmt::format("<h2{}>{}</h2>\n", id.empty() ? "" : markup_attribute("id", id), markup_text(text));
}

void Page::contents(const std::vector<PageLink>& links) {
  body_ += "<nav><ul>\n";
  for (const auto& link : links)
    body_ += fmt::format("<li><a{}>{}</a></li>\n", markup_attribute("href", '#' + link.id), markup_text(link.text));
  body_ += "</ul></nav>\n";
}

void Page::list(const std::vector<std::string>& items) {
  body_ += "<ul>\n";
  for (const auto& item : items) body_ += fmt::format("<li>{}</li>\n", markup_text(item));
  body_ += "</ul>\n";
}

void Page::legend(const std::vector<PageBar::Part>& parts) {
  body_ += "<p>";
  for (const auto& part : parts)
    body_ +=
        fmt::format("<span class=\"swatch\" style=\"background: {}\"></span>{}", part.color, markup_text(part.name));
  body_ += "</p>\n";
}

void Page::folded_table(const std::string& summary, const PageTable& rows) {
  body_ += fmt::format("<details><summary>{}</summary>\n", markup_text(summary));
  table(rows);
  body_ += "</details>\n";
}

void Page::paragraph(const std::string& text) { body_ += fmt::format("<p>{}</p>\n", markup_text(text)); }

void Page::table(const PageTable& table) {
  body_ += "<table><tr>";
  for (const auto& cell : table.header) body_ += fmt::format("<th>{}</th>", markup_text(cell));
  body_ += "</tr>\n";
  for (const auto& row : table.rows) {
    body_ += "<tr>";
    for (const auto& cell : row) body_ += cell_markup(cell);
    body_ += "</tr>\n";
  }
  body_ += "</table>\n";
}

void Page::chart(const std::string& caption, const Json& specification) {
  const auto id = fmt::format("chart{}", ++chart_count_);
  body_ += fmt::format("<figure><figcaption>{}</figcaption><div id=\"{}\"></div></figure>\n", markup_text(caption), id);
  charts_ += fmt::format("  {}: {},\n", id, script_json(specification));
}

void Page::data(const std::string& name, const Json& rows) {
  data_ += fmt::format("  {}: {},\n", script_json(name), script_json(rows));
}

std::string Page::html() const {
  const auto directory = vega_directory();
  const auto scripts = directory.empty() ? std::string() : library_text(directory);
  std::string out = fmt::format("{3}<title>{0}</title>\n<style>{1}</style>\n{2}</head><body>\n<h1>{0}</h1>\n",
                                markup_text(title_), page_style, scripts, page_opening);
  if (scripts.empty())
    out += "<p class=\"note\">The charts need Vega, which was not there when this page was made: run "
           "<code>tools/fetch-vega</code> once and make it again. Until then each chart is its Vega-Lite "
           "specification; the data are in this page's source.</p>\n";
  out += body_;
  out += "<script>\nconst data = {\n" + data_ + "};\nconst charts = {\n" + charts_ + "};\n";
  out += R"(for (const [id, chart] of Object.entries(charts)) {
  const place = document.getElementById(id);
  if (typeof vegaEmbed === "undefined") {
    const folded = document.createElement("details");
    folded.append(Object.assign(document.createElement("summary"), { textContent: "Vega-Lite specification" }));
    folded.append(Object.assign(document.createElement("pre"), { textContent: JSON.stringify(chart, null, 1) }));
    place.append(folded);
    continue;
  }
  const spec = { "$schema": "https://vega.github.io/schema/vega-lite/v5.json", datasets: data, ...chart };
  vegaEmbed(place, spec, { actions: { export: true, source: false, compiled: false, editor: false }, renderer: "svg" })
    .catch(error => { place.textContent = String(error); });
}
</script>
</body></html>
)";
  return out;
}

} // namespace gradflight
