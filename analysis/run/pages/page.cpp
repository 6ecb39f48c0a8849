#include "analysis/run/pages/page.hpp"

#include "analysis/run/files/process.hpp"
#include "analysis/run/pages/markup.hpp"
#include "analysis/run/pages/plot.hpp"
#include "analysis/run/pages/plot_specification.hpp"
#include "scenarios/language/decode/machines.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace gradflight {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// In the order of their dependencies.
constexpr std::array libraries = {"vega.min.js", "vega-lite.min.js", "vega-embed.min.js"};

/// Returns JSON for a script element, without text that would end the element.
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
  std::string text = "<svg width=\"120\" height=\"10\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" "
                     "aria-hidden=\"true\"><rect width=\"1000\" height=\"10\" style=\"fill: var(--line)\"/>";
  double at = 0;
  for (const auto& part : bar.parts) {
    text += fmt::format(R"(<rect x="{:.0f}" width="{:.0f}" height="10" style="fill: {}"><title>{}</title></rect>)",
                        at * unit, part.length * unit, ink_css(part.ink), markup_text(part.name));
    at += part.length;
  }
  return text + "</svg>";
}

/// Whether the text is "12", "-3.4 %", "150 ms", "<0.1 %", "-", or empty.
bool is_number(const PageCell& cell) {
  if (!cell.bar.parts.empty() || !cell.whole.empty()) return false;
  if (cell.text.empty() || cell.text == "-") return true;
  std::string_view text = cell.text;
  while (!text.empty() && std::string_view("+-<>").find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  const auto end = text.find_first_not_of("0123456789.,e+-");
  if (text.empty() || end == 0) return false;
  if (end == std::string_view::npos) return true;
  // A unit must follow, and nothing after it.
  text.remove_prefix(end);
  constexpr std::string_view no_break = "\u00A0";
  if (text.starts_with(' '))
    text.remove_prefix(1);
  else if (text.starts_with(no_break))
    text.remove_prefix(no_break.size());
  return text.size() <= 6 && text.find(' ') == std::string_view::npos &&
         text.find_first_of("0123456789") == std::string_view::npos;
}

std::vector<bool> number_columns(const PageTable& table) {
  std::vector<bool> numbers(table.header.size(), !table.rows.empty());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    bool any = false;
    for (const auto& row : table.rows) {
      if (i >= row.size()) continue;
      numbers[i] = numbers[i] && is_number(row[i]);
      any = any || !row[i].text.empty();
    }
    numbers[i] = numbers[i] && any;
  }
  return numbers;
}

/// `repeats`: the bar shows the same value as the number beside it.
std::string cell_markup(const PageCell& cell, bool number, bool repeats) {
  if (number) return "<td class=\"n\">" + markup_text(cell.text) + "</td>";
  if (!cell.bar.parts.empty())
    return fmt::format("<td class=\"bar{}\">{}</td>", repeats ? " repeats" : "", bar_markup(cell.bar));
  if (cell.whole_line) return "<td class=\"line\">" + markup_text(cell.text) + "</td>";
  if (cell.option) return "<td class=\"option\">" + markup_text(cell.text) + "</td>";
  constexpr std::size_t prose = 60; // a cell with more characters is displayed as running text
  if (cell.whole.empty())
    return (cell.text.size() < prose ? "<td>" : "<td class=\"prose\">") + markup_prose(cell.text) + "</td>";
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

// Creates charts on demand, and again after a change of the colour scheme.
constexpr const char* unfold_script = R"js(<script>
const charts = document.getElementById("charts").textContent, dark = matchMedia("(prefers-color-scheme: dark)");
const ink = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
function unfold(place) {
  const text = { labelColor: ink("text"), titleColor: ink("text"), gridColor: ink("line"), tickColor: ink("line"),
                 domainColor: ink("line") };
  const series = [0, 1, 2, 3, 4, 5, 6, 7].map(i => ink("s" + i));
  const config = { background: "transparent", axis: text, legend: text, header: text, title: { color: ink("text") },
                   view: { stroke: ink("line") }, range: { category: series } };
  const inked = (key, value) => typeof value === "string" && value.startsWith("ink:") ? ink(value.slice(4)) : value;
  const spec = { "$schema": "https://vega.github.io/schema/vega-lite/v5.json", config,
                 ...JSON.parse(charts, inked)[place.id] };
  vegaEmbed(place, spec, { actions: { export: true, source: false, compiled: false, editor: false }, renderer: "svg" })
    .catch(error => { place.textContent = String(error); });
}
for (const folded of document.querySelectorAll("details.vega")) {
  folded.hidden = false;
  const place = folded.querySelector("div");
  folded.addEventListener("toggle", () => { if (folded.open && !place.hasChildNodes()) unfold(place); });
  dark.addEventListener("change", () => { if (place.hasChildNodes()) unfold(place); });
}
</script>
)js";

} // namespace

fs::path vega_directory() {
  std::vector<fs::path> places;
  std::error_code error;
  if (const char* named = std::getenv("GRADFLIGHT_VEGA"); named != nullptr && *named != 0) {
    places.emplace_back(named); // no other places are searched
  } else {
    if (const auto program = program_path(); !program.empty()) places.push_back(program.parent_path() / "vega");
    places.push_back(catalogue_folder("vega"));
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

PageCell PageCell::options(std::string shown) {
  PageCell cell(std::move(shown));
  cell.option = true;
  return cell;
}

void Page::lead(const std::string& text) { lead_ += fmt::format("<p class=\"lead\">{}</p>\n", markup_prose(text)); }

void Page::heading(const std::string& text, const std::string& id) {
  sections_.push_back({text, id.empty() ? fmt::format("section-{}", sections_.size() + 1) : id});
  body_ += fmt::format("<h2{}>{}</h2>\n", markup_attribute("id", sections_.back().id), markup_text(text));
}

void Page::subheading(const std::string& text) { body_ += fmt::format("<h3>{}</h3>\n", markup_prose(text)); }

void Page::list(const std::vector<std::string>& items) {
  body_ += "<ul>\n";
  for (const auto& item : items) body_ += fmt::format("<li>{}</li>\n", markup_prose(item));
  body_ += "</ul>\n";
}

void Page::legend(const std::vector<PageBar::Part>& parts) {
  std::vector<LegendEntry> entries;
  for (const auto& part : parts) entries.push_back({part.name, part.ink});
  body_ += legend_markup(entries);
}

void Page::folded_table(const std::string& summary, const PageTable& rows) {
  body_ += fmt::format("<details><summary>{}</summary>\n", markup_text(summary));
  table(rows);
  body_ += "</details>\n";
}

void Page::paragraph(const std::string& text) { body_ += fmt::format("<p>{}</p>\n", markup_prose(text)); }
void Page::note(const std::string& text) { body_ += fmt::format("<p class=\"note\">{}</p>\n", markup_prose(text)); }
void Page::code(const std::string& text) { body_ += fmt::format("<pre>{}</pre>\n", markup_text(text)); }

void Page::folded_code(const std::string& summary, const std::string& text) {
  body_ +=
      fmt::format("<details><summary>{}</summary>\n<pre>{}</pre></details>\n", markup_text(summary), markup_text(text));
}

void Page::command(const std::string& line) {
  if (line.empty()) return;
  heading("Command", "command");
  body_ += fmt::format("<pre class=\"command\">{}</pre>\n", markup_text(line));
}

void Page::table(const PageTable& table) {
  const auto numbers = number_columns(table);
  const auto is_right = [&](std::size_t i) { return i < numbers.size() && numbers[i]; };
  const auto repeats = [&](std::size_t i) {
    return i < table.header.size() && table.header[i].empty() && std::ranges::all_of(table.rows, [i](const auto& row) {
             return i < row.size() && !row[i].bar.parts.empty();
           });
  };
  const bool has_options = std::ranges::any_of(table.rows, [](const auto& row) {
    return std::ranges::any_of(row, [](const auto& cell) { return cell.option; });
  });
  body_ += fmt::format("<div class=\"scroll\"><table{}><thead><tr>", has_options ? " class=\"stacked\"" : "");
  for (std::size_t i = 0; i < table.header.size(); ++i)
    body_ += fmt::format("<th scope=\"col\"{}>{}</th>",
                         is_right(i)  ? " class=\"n\""
                         : repeats(i) ? " class=\"repeats\""
                                      : "",
                         markup_text(table.header[i]));
  body_ += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    body_ += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) body_ += cell_markup(row[i], is_right(i), repeats(i));
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void Page::figure(const std::string& caption, const std::string& markup) {
  if (!markup.empty())
    body_ += fmt::format("<figure><figcaption>{}</figcaption>\n{}</figure>\n", markup_prose(caption), markup);
}

void Page::figure(const std::string& caption, const Plot& plot, const std::string& label) {
  unfolding_figure(caption, plot_markup(plot, label), plot_specification(plot));
}

void Page::figure(const std::string& caption, const std::vector<TitledPlot>& plots, const std::string& label) {
  if (plots.size() == 1) return figure(caption, plots.front().plot, label);
  unfolding_figure(caption, multiples_markup(plots), plot_specification(plots));
}

void Page::unfolding_figure(const std::string& caption, const std::string& markup, const Json& specification) {
  if (markup.empty()) return;
  const auto id = fmt::format("chart{}", ++chart_count_);
  charts_ += fmt::format("{}{}: {}", charts_.empty() ? "" : ",\n", script_json(id), script_json(specification));
  const auto unfolded =
      fmt::format("<details class=\"vega\" hidden><summary>Interactive</summary><div id=\"{}\"></div></details>\n", id);
  body_ += fmt::format("<figure><figcaption>{}</figcaption>\n{}{}</figure>\n", markup_prose(caption), markup, unfolded);
}

std::string Page::html() const {
  const auto directory = vega_directory();
  const auto scripts = directory.empty() || charts_.empty() ? std::string() : library_text(directory);
  std::string out = fmt::format("{}<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                                "<title>{}</title>\n<style>{}{}</style>\n</head><body>\n<h1>{}</h1>\n",
                                page_opening, markup_text(title_), palette_css(), page_style, markup_text(title_));
  out += lead_;
  if (sections_.size() > 1) {
    out += "<nav aria-label=\"Contents\"><ul>\n";
    for (const auto& section : sections_)
      out +=
          fmt::format("<li><a{}>{}</a></li>\n", markup_attribute("href", '#' + section.id), markup_text(section.text));
    out += "</ul></nav>\n";
  }
  out += "<main>\n" + body_ + "</main>\n";
  if (!scripts.empty()) out += "<script type=\"application/json\" id=\"charts\">{\n" + charts_ + "}</script>\n";
  // Scripts are last, so that the browser shows the page before it parses them.
  if (!scripts.empty()) out += scripts + unfold_script;
  return out + "</body></html>\n";
}

} // namespace gradflight
