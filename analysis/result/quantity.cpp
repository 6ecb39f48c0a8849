#include "analysis/result/quantity.hpp"

#include "analysis/result/comparison.hpp"
#include "analysis/text/result_json.hpp"
#include "models/nearest_name.hpp"
#include "scenarios/language/tables/shape.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <set>

namespace gradflight {
namespace {

template <class From> struct Field {
  const char* name;
  std::optional<double> (*read)(const From&);
};

constexpr std::array run_fields = {
    Field<RunResult>{"time_s", [](const RunResult& r) { return std::optional(r.time); }},
    Field<RunResult>{"iteration_time_s", [](const RunResult& r) { return std::optional(r.iteration_time); }},
    Field<RunResult>{"compute_time_s", [](const RunResult& r) { return std::optional(r.compute_time); }},
    Field<RunResult>{"communication_time_s", [](const RunResult& r) { return std::optional(r.communication_time); }},
    Field<RunResult>{"exposed_communication_time_s",
                     [](const RunResult& r) { return std::optional(r.exposed_communication_time); }},
    Field<RunResult>{"messages", [](const RunResult& r) { return std::optional(static_cast<double>(r.messages)); }},
    Field<RunResult>{"payload_bytes", [](const RunResult& r) { return std::optional(r.payload_bytes); }},
    Field<RunResult>{"wire_bytes", [](const RunResult& r) { return std::optional(r.wire_bytes); }},
    Field<RunResult>{"dropped_gradients",
                     [](const RunResult& r) { return std::optional(static_cast<double>(r.dropped_gradients)); }},
};

constexpr std::array form_fields = {
    Field<Outcome>{"time_s", [](const Outcome& o) { return std::optional(o.form.form->terms.time); }},
    Field<Outcome>{"alpha_s", [](const Outcome& o) { return std::optional(o.form.form->terms.alpha); }},
    Field<Outcome>{"beta_s", [](const Outcome& o) { return std::optional(o.form.form->terms.beta); }},
    Field<Outcome>{"gamma_s", [](const Outcome& o) { return std::optional(o.form.form->terms.gamma); }},
    Field<Outcome>{"compute_s", [](const Outcome& o) { return std::optional(o.form.form->terms.compute); }},
    Field<Outcome>{"other_s", [](const Outcome& o) { return std::optional(o.form.form->terms.other); }},
    Field<Outcome>{"relative_error", [](const Outcome& o) { return compare(o.result.time, o.form).relative_error; }},
};

struct LinkOfRun {
  const LinkResult& link;
  double time;
};
constexpr std::array link_fields = {
    Field<LinkOfRun>{"busy_s", [](const LinkOfRun& l) { return std::optional(l.link.busy); }},
    Field<LinkOfRun>{"bytes", [](const LinkOfRun& l) { return std::optional(l.link.bytes); }},
    Field<LinkOfRun>{"bandwidth_bytes_per_s", [](const LinkOfRun& l) { return std::optional(l.link.bandwidth); }},
    Field<LinkOfRun>{"utilisation", [](const LinkOfRun& l) { return std::optional(utilisation(l.link, l.time)); }},
};

double previous_end(const RunResult& result, std::size_t i) { return i > 0 ? result.iterations[i - 1].end : 0; }

template <class Fields> auto field_of(const Fields& fields, std::string_view name) {
  return std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == name; });
}
template <class Fields> void add_names(const Fields& fields, const std::string& prefix, std::vector<std::string>& all) {
  for (const auto& field : fields) all.push_back(prefix + field.name);
}

std::vector<std::string> part_names(const std::string& prefix) {
  std::vector<std::string> names;
  for (int i = 0; i < part_count; ++i) names.push_back(fmt::format("{}{}_s", prefix, part_name(static_cast<Part>(i))));
  return names;
}

QuantityLookup unknown(const std::string& what, const std::string& noun, const std::string& name,
                       const std::vector<std::string>& allowed) {
  return {{}, fmt::format("\"{}\" is not {}{}", what, noun, did_you_mean(name, allowed))};
}

QuantityLookup part_quantity(const std::string& group, const std::string& part, Path RunResult::*path) {
  const auto names = part_names("");
  const auto found = std::find(names.begin(), names.end(), part);
  if (found == names.end()) return unknown(part, fmt::format("a part of \"{}\"", group), part, names);
  const auto index = static_cast<std::size_t>(found - names.begin());
  return {[index, path](const Outcome& o) { return std::optional((o.result.*path)[index]); }, {}};
}

QuantityLookup form_quantity(const std::string& term, const Scenario& scenario, const Platform& platform) {
  const auto field = field_of(form_fields, term);
  if (field == form_fields.end()) {
    std::vector<std::string> names;
    add_names(form_fields, "", names);
    return unknown(term, "a number of \"closed_form\"", term, names);
  }
  const ClosedFormAnswer answer = closed_form(scenario, platform);
  if (!answer.form) return {{}, "this scenario has no closed form: " + answer.why_none};
  return {[read = field->read](const Outcome& o) { return o.form.form ? read(o) : std::nullopt; }, {}};
}

QuantityLookup iteration_quantity(const std::string& rest, const Scenario& scenario) {
  const auto dot = std::min(rest.find('.'), rest.size());
  const std::string number = rest.substr(0, dot), field = dot < rest.size() ? rest.substr(dot + 1) : "";
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  const auto last = std::min(total_iterations(scenario), static_cast<std::int64_t>(iterations_kept)) - 1;
  if (number.empty() || error != std::errc() || end != number.data() + number.size() ||
      index > static_cast<std::size_t>(last))
    return {{}, fmt::format("there is no iteration \"{}\": the result has those from 0 to {}", number, last)};
  const auto have = [index](const Outcome& o) { return index < o.result.iterations.size(); };
  if (field == "end_s")
    return {[=](const Outcome& o) { return have(o) ? std::optional(o.result.iterations[index].end) : std::nullopt; },
            {}};
  if (field == "time_s")
    return {[=](const Outcome& o) {
              return have(o) ? std::optional(o.result.iterations[index].end - previous_end(o.result, index))
                             : std::nullopt;
            },
            {}};
  return unknown(field, "a number of an iteration", field, {"end_s", "time_s"});
}

QuantityLookup link_quantity(const std::string& rest, const Platform& platform) {
  constexpr std::size_t shown = 8;
  const auto dot = rest.rfind('.');
  const std::string link = rest.substr(0, dot), name = dot == std::string::npos ? "" : rest.substr(dot + 1);
  const auto& links = platform.links();
  const auto found = std::find_if(links.begin(), links.end(), [&](const DirectedLink& l) { return l.name == link; });
  const auto field = field_of(link_fields, name);
  if (found == links.end() && field != link_fields.end()) {
    std::vector<std::string> names;
    for (const DirectedLink& l : links) names.push_back(l.name);
    const auto near = nearest_name(link, names);
    std::string text = fmt::format("there is no link \"{}\"", link);
    if (!near.empty()) text += fmt::format("; did you mean \"{}\"?", near);
    text += near.empty() ? ". Links: " : " Links: ";
    for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
    if (names.size() > shown) text += fmt::format(", ... ({} in all)", names.size());
    return {{}, text};
  }
  if (field == link_fields.end()) {
    std::vector<std::string> names;
    add_names(link_fields, "", names);
    return unknown(name, fmt::format("a number of a link (links.LINK.FIELD)"), name, names);
  }
  const auto index = static_cast<std::size_t>(found - links.begin());
  return {[index, read = field->read](const Outcome& o) {
            return index < o.result.links.size() ? read({o.result.links[index], o.result.time}) : std::nullopt;
          },
          {}};
}

QuantityLookup no_such_quantity(const std::string& name, const std::string& head, const std::string& rest) {
  std::vector<std::string> known;
  add_names(run_fields, "", known);
  const std::string allowed = fmt::format("{}, breakdown.PART_s, iteration_breakdown.PART_s, closed_form.TERM, "
                                          "iterations.N.FIELD, links.LINK.FIELD",
                                          fmt::join(known, ", "));
  for (const char* prefix : {"breakdown.", "iteration_breakdown."})
    for (auto& part : part_names(prefix)) known.push_back(std::move(part));
  add_names(form_fields, "closed_form.", known);
  std::string near = nearest_name(name, known);
  if (near.empty() && !rest.empty()) {
    near = nearest_name(head, {"breakdown", "iteration_breakdown", "closed_form", "iterations", "links"});
    if (!near.empty()) near += '.' + rest;
  }
  return {{},
          fmt::format("\"{}\" is not a number of the result{} Allowed: {}", name,
                      near.empty() ? "." : fmt::format("; did you mean \"{}\"?", near), allowed)};
}

} // namespace

QuantityLookup find_quantity(const std::string& name, const Scenario& scenario, const Platform& platform) {
  const auto dot = std::min(name.find('.'), name.size());
  const std::string head = name.substr(0, dot), rest = dot < name.size() ? name.substr(dot + 1) : "";
  if (head == "breakdown") return part_quantity(head, rest, &RunResult::path);
  if (head == "iteration_breakdown") return part_quantity(head, rest, &RunResult::iteration_path);
  if (head == "closed_form") return form_quantity(rest, scenario, platform);
  if (head == "iterations") return iteration_quantity(rest, scenario);
  if (head == "links") return link_quantity(rest, platform);
  const auto field = field_of(run_fields, name);
  if (field == run_fields.end()) return no_such_quantity(name, head, rest);
  return {[read = field->read](const Outcome& o) { return read(o.result); }, {}};
}

std::vector<PlatformError> expectation_errors(const Scenario& scenario, const Platform& platform) {
  std::vector<PlatformError> errors;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < scenario.expect.size(); ++i) {
    const std::string& name = scenario.expect[i].quantity;
    auto lookup = find_quantity(name, scenario, platform);
    if (lookup.error.empty() && !seen.insert(name).second)
      lookup.error = fmt::format("\"{}\" is expected a second time", name);
    if (!lookup.error.empty()) errors.push_back({fmt::format("/expect/{}/quantity", i), std::move(lookup.error)});
  }
  return errors;
}

} // namespace gradflight
