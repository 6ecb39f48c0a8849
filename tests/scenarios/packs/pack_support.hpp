// A small pack with its own published figures, part by part.
#pragma once

#include "scenarios/language/packs/pack_fits.hpp"
#include "tests/scenarios/support.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight::test {

inline std::string figure(const std::string& id, const std::string& value, const std::string& more = "") {
  return fmt::format(R"J({{ "id": "{}", "paper": "Toy", "table_or_figure": "Table 1", "quantity": "q", "unit": "s",
    "value": {}, "kind": "time", "source": "text", "conditions": {{}}{} }})J",
                     id, value, more);
}

/// a.1, a.2, a.4 are times; b prints a.4 again, and c prints b; d is a statement, e a range; x is alpha.
inline const std::string published = "[" + figure("a.1", "1") + "," + figure("a.2", "2") + "," + figure("a.4", "4") +
                                     "," + figure("b", "25", R"J(, "dup_of": "a.4")J") + "," +
                                     figure("c", "0.25", R"J(, "dup_of": "b")J") + "," + figure("d", "true") + "," +
                                     figure("e", "[1, 3]") + "," + figure("x", "5e-6") + "," + figure("z", "0") + "]";

inline const std::string cluster = R"J({ "nodes": 8, "network": { "topology": "star",
  "link": { "bandwidth": "10Gbps", "latency": "5us" } }, "message_overhead": "1us" })J";

/// The parts of a pack; a test may change each of them.
struct PackText {
  std::string fitted = R"J([{ "name": "beta", "file": "cluster.json", "at": "/network/link/bandwidth",
      "bounds": ["1Gbps", "100Gbps"], "why": "the link" }])J";
  std::string fits = R"J([{ "parameters": ["beta"], "to": ["a.1"] }])J";
  std::string experiments = R"J([{ "name": "p{p}", "for": { "p": [1, 2, 4] }, "scenario": "s.json",
      "set": { "platform.nodes": "{p}" } }])J";
  std::string figures = R"J([{ "id": "a.{p}", "for": { "p": [1, 2, 4] }, "value": "2 * time_s(p{p})" },
      { "id": "d", "value": "time_s(p1) < time_s(p2)" }, { "id": "e", "value": "time_s(p1)" }])J";
  std::string inputs = R"J([{ "id": "x", "why": "latency" }])J";
  std::string excluded = R"J([{ "id": "z", "why": "zero" }])J";
  std::string more;

  [[nodiscard]] std::string json() const {
    return fmt::format(R"J({{ "paper": "Toy", "published": "figures.json",
  "fitted": {}, "fits": {},
  "experiments": {},
  "figures": {},
  "inputs": {},
  "excluded": {}{} }})J",
                       fitted, fits, experiments, figures, inputs, excluded, more);
  }
};

class Packs {
public:
  Packs() {
    directory.write("figures.json", published);
    directory.write("cluster.json", cluster);
  }
  Pack load(const PackText& text) const { return load_pack(directory.write("reproduce.json", text.json())); }
  std::string errors(const PackText& text) const {
    return errors_of([&] { load(text); });
  }
  TemporaryDirectory directory;
};

inline const PackFigure& figure_of(const Pack& pack, const std::string& id) {
  return *std::find_if(pack.figures.begin(), pack.figures.end(),
                       [&](const PackFigure& figure) { return figure.published.id == id; });
}

inline std::string role_of(const Pack& pack, const std::string& id) { return role_name(figure_of(pack, id).role); }

} // namespace gradflight::test
