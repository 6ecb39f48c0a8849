// Ranges and geometric series. Values are rounded to 12 significant digits. So they are the same on every machine,
// without values such as 0.30000000000000004.
#include "base/human.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"

#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr double max_axis_values = 1e6;

struct Range {
  Node from, to;
  std::optional<Node> step;
};
struct Geometric {
  Node from, to;
  double factor = 0;
  int points = 0;
};

/// Both ends of a series with one dimension, or plain numbers.
struct Ends {
  double from = 0, to = 0;
  std::optional<Dimension> dimension;
  bool whole = false; ///< integers, or sizes of whole 4-byte elements; all values between them are, too
};

/// Returns a node with `value` in the notation of the ends.
Node node_of(double value, const Ends& ends, Position position) {
  const double grain = ends.dimension ? 4 : 1;
  if (ends.whole)
    value = std::round(value / grain) * grain;
  else if (value != ends.from && value != ends.to)
    value = rounded_to(value, 12);
  auto node = ends.dimension ? Node::of(format_quantity(value, *ends.dimension)) : Node::of(value);
  node.position = position;
  return node;
}

std::optional<double> amount(const Node& node, const std::optional<Dimension>& dimension, const char* key,
                             Decoder& decoder) {
  const auto step = decoder.into(key);
  if (!dimension && is_number(node)) return node.number;
  if (dimension && is_text(node)) {
    try {
      return parse_quantity(node.text, *dimension);
    } catch (const UnitError& error) {
      decoder.fail(node.position, error.what());
      return std::nullopt;
    }
  }
  decoder.fail(node.position, fmt::format("expected {}, like \"from\"; got {}",
                                          dimension ? "a quantity with a unit" : "a number", kind_text(node)));
  return std::nullopt;
}

bool multiple_of(double value, double grain) { return std::fmod(value, grain) == 0; }

std::optional<Ends> ends_of(const Node& from, const Node& to, Decoder& decoder) {
  Ends ends;
  if (is_text(from)) ends.dimension = dimension_of(from.text);
  if (is_text(from) ? !ends.dimension : !is_number(from)) {
    const auto step = decoder.into("from");
    decoder.fail(from.position, "expected a number, or a quantity such as \"64MB\", got " + kind_text(from));
    return std::nullopt;
  }
  const auto first = amount(from, ends.dimension, "from", decoder), last = amount(to, ends.dimension, "to", decoder);
  if (!first || !last) return std::nullopt;
  ends.from = *first;
  ends.to = *last;
  const double grain = ends.dimension ? 4 : 1;
  ends.whole = (!ends.dimension || ends.dimension == Dimension::bytes) && multiple_of(ends.from, grain) &&
               multiple_of(ends.to, grain);
  if (ends.from <= ends.to) return ends;
  const auto step = decoder.into("to");
  decoder.fail(to.position, fmt::format("{} must be at least \"from\", {}", brief_text(to), brief_text(from)));
  return std::nullopt;
}

bool too_many(double count, const Node& node, Decoder& decoder) {
  if (count <= max_axis_values) return false;
  decoder.fail(node.position, fmt::format("too many values; at most {} are possible", max_axis_values));
  return true;
}

/// Adds a value, unless rounding made it equal to the last one.
void add(std::vector<Node>& values, Node node) {
  if (values.empty() || values.back().text != node.text) values.push_back(std::move(node));
}

void expand(const Range& range, const Node& node, Decoder& decoder, std::vector<Node>& values) {
  auto ends = ends_of(range.from, range.to, decoder);
  if (!ends) return;
  std::optional<double> step = 1;
  if (range.step) {
    step = amount(*range.step, ends->dimension, "step", decoder);
  } else if (ends->dimension) {
    return decoder.fail(node.position, "\"step\" is missing: a quantity with a unit, like \"from\"");
  }
  if (!step) return;
  const double grain = ends->dimension ? 4 : 1;
  ends->whole = ends->whole && multiple_of(*step, grain);
  if (*step <= 0) {
    const auto into = decoder.into("step");
    return decoder.fail(range.step->position,
                        fmt::format("{} is out of range; expected a step above 0", brief_text(*range.step)));
  }
  const double count = std::floor((ends->to - ends->from) / *step * (1 + 1e-12)) + 1;
  if (too_many(count, node, decoder)) return;
  for (int i = 0; i < static_cast<int>(count); ++i) add(values, node_of(ends->from + i * *step, *ends, node.position));
}

void expand(const Geometric& series, const Node& node, Decoder& decoder, std::vector<Node>& values) {
  if ((series.factor > 0) == (series.points > 0))
    return decoder.fail(node.position, "expected exactly one of \"factor\" and \"points\"");
  auto ends = ends_of(series.from, series.to, decoder);
  if (!ends) return;
  if (ends->from <= 0) {
    const auto into = decoder.into("from");
    return decoder.fail(series.from.position,
                        fmt::format("{} is out of range; a series of equal ratios needs a first value above 0",
                                    brief_text(series.from)));
  }
  const double ratio = ends->to / ends->from;
  if (series.points > 0) {
    for (int i = 0; i + 1 < series.points; ++i)
      add(values,
          node_of(ends->from * std::pow(ratio, static_cast<double>(i) / (series.points - 1)), *ends, node.position));
    return add(values, node_of(ends->to, *ends, node.position));
  }
  const double count = std::floor(std::log(ratio) / std::log(series.factor) * (1 + 1e-12) + 1e-12) + 1;
  if (too_many(count, node, decoder)) return;
  for (int i = 0; i < static_cast<int>(count); ++i)
    add(values, node_of(ends->from * std::pow(series.factor, i), *ends, node.position));
}

/// An object of type F, which is expanded to values.
template <class F> Value<std::vector<Node>> expanded(const Table<F>& table) {
  const auto form = object(table);
  return {form.shape,
          [form](const Node& node, Decoder& decoder) -> std::optional<std::vector<Node>> {
            const auto read = form.read(node, decoder);
            std::vector<Node> values;
            if (read) expand(*read, node, decoder, values);
            if (values.empty()) return std::nullopt;
            return values;
          },
          [](const std::vector<Node>& values) { return Node::list(values); }};
}

Value<Node> end_point() { return anything("a number, or a quantity such as \"64MB\""); }

const Table<Range>& range_table() {
  static const auto table = [] {
    Table<Range> t("range", "Values from `from` up to `to` with a fixed difference. { \"from\": 2, \"to\": 8, "
                            "\"step\": 2 } gives 2, 4, 6, 8. `to` is a value only if the steps reach it.");
    t.required("from", &Range::from, end_point(), "The first value.");
    t.required("to", &Range::to, end_point(), "The upper limit of the values.");
    t.maybe("step", &Range::step, end_point(),
            "Difference between a value and the next one. Absent: 1; quantities such as \"64MB\" need it.");
    return t;
  }();
  return table;
}

const Table<Geometric>& geometric_table() {
  static const auto table = [] {
    Table<Geometric> t(
        "geometric", "Values from `from` up to `to` with a fixed ratio. { \"from\": 1, \"to\": 8, \"factor\": 2 } "
                     "gives 1, 2, 4, 8. Give either `factor` or `points`. Values are rounded: to integers if both ends "
                     "are integers, to multiples of 4 bytes if both are sizes. Values that become equal count once.");
    t.required("from", &Geometric::from, end_point(), "The first value, above zero.");
    t.required("to", &Geometric::to, end_point(), "The upper limit of the values.");
    t.custom<double>(
        "factor", number(1, unlimited, true), [](Geometric& g, double factor) { g.factor = factor; },
        [](const Geometric& g) { return g.factor > 0 ? std::optional(g.factor) : std::nullopt; },
        "Ratio of a value to the one before it. Give this or `points`.");
    t.custom<int>(
        "points", integer(2, static_cast<int>(max_axis_values)), [](Geometric& g, int points) { g.points = points; },
        [](const Geometric& g) { return g.points > 0 ? std::optional(g.points) : std::nullopt; },
        "Number of values, including `from` and `to`. Give this or `factor`.");
    return t;
  }();
  return table;
}

struct RangeAxis {
  std::vector<Node> values;
};
struct FileAxis {
  std::string file, column;
};

const Table<RangeAxis>& range_axis() {
  static const auto table = [] {
    Table<RangeAxis> t(
        "range_axis",
        "An axis of values with a fixed difference, such as { \"range\": { \"from\": 2, \"to\": 8, \"step\": 2 } }.");
    t.required("range", &RangeAxis::values, expanded(range_table()),
               "The first value, the last value, and the distance of the values between them.");
    return t;
  }();
  return table;
}
const Table<RangeAxis>& geometric_axis() {
  static const auto table = [] {
    Table<RangeAxis> t("geometric_axis", "An axis of values with a fixed ratio, such as { \"geometric\": { \"from\": "
                                         "\"4KB\", \"to\": \"64MB\", \"points\": 4 } }.");
    t.required(
        "geometric", &RangeAxis::values, expanded(geometric_table()),
        "The first value, the last value, and either the ratio of two neighbouring values or the number of values.");
    return t;
  }();
  return table;
}
const Table<FileAxis>& file_axis() {
  static const auto table = [] {
    Table<FileAxis> t("file_axis", "Values from a file.");
    t.required(
        "file", &FileAxis::file, text("the path of a file"),
        "A file with one value per line (JSON, else text; # begins a comment line), or a column of a *.csv file.");
    t.defaulted("column", &FileAxis::column, text("the name of a column"),
                "Column of a *.csv file. Absent: the column with the name of the axis path or of its last part, or the "
                "only column.");
    return t;
  }();
  return table;
}

} // namespace

Value<std::vector<Node>> axis_value() {
  const auto values = list(anything("a value as --set takes it"), 1);
  const auto range = object(range_axis()), geometric = object(geometric_axis());
  const auto file = object(file_axis());
  Shape shape{.kind = Shape::Kind::any};
  shape.parts = {values.shape, range.shape, geometric.shape, file.shape};
  auto read = [=](const Node& node, Decoder& decoder) -> std::optional<std::vector<Node>> {
    if (node.kind == Node::Kind::list) return values.read(node, decoder);
    if (node.find("geometric") != nullptr) {
      if (auto form = geometric.read(node, decoder)) return form->values;
    } else if (node.find("file") != nullptr) {
      file.read(node, decoder); // reports the remaining mistakes
    } else if (node.find("range") != nullptr) {
      if (auto form = range.read(node, decoder)) return form->values;
    } else {
      decoder.fail(node.position, fmt::format("expected a list of values, or an object with range, geometric, file or "
                                              "zip, got {}",
                                              node.kind == Node::Kind::object ? brief_text(node) : kind_text(node)));
    }
    return std::nullopt;
  };
  return {shape, read, [](const std::vector<Node>& nodes) { return Node::list(nodes); }};
}

} // namespace gradflight
