#include "scenarios/language/packs/pack_tables.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

/// Of a "for": each may be an experiment, so more are a slip, which would fill the memory.
constexpr int max_combinations = 10'000;

/// What {key} stands for: texts and numbers.
Value<Node> replacement_value() {
  Shape shape{.kind = Shape::Kind::anything};
  shape.text_form = "a text or a number";
  return {shape,
          [shape](const Node& node, Decoder& decoder) -> std::optional<Node> {
            if (is_text(node) || is_number(node)) return node;
            decoder.fail(node.position, fmt::format("expected {}, got {}", shape.text_form, kind_text(node)));
            return std::nullopt;
          },
          [](const Node& node) { return node; }};
}

Value<ForKeys> for_value() {
  const auto values = list(replacement_value(), 1);
  Shape shape{.kind = Shape::Kind::map};
  shape.parts = {values.shape};
  auto read = [values, shape](const Node& node, Decoder& decoder) -> std::optional<ForKeys> {
    if (node.kind != Node::Kind::object) {
      wrong_kind(shape, node, decoder);
      return std::nullopt;
    }
    ForKeys keys;
    for (const auto& member : node.members) {
      const auto step = decoder.into(member.key);
      if (auto list = values.read(member.value, decoder))
        keys.push_back({member.key, member.position, std::move(*list)});
    }
    if (keys.size() < node.members.size()) return std::nullopt;
    double combinations = 1;
    for (const auto& key : keys) combinations *= static_cast<double>(key.values.size());
    if (combinations > max_combinations) {
      decoder.fail(node.position,
                   fmt::format("{:.0f} combinations: at most {} are allowed", combinations, max_combinations));
      return std::nullopt;
    }
    return keys;
  };
  auto show = [](const ForKeys& keys) {
    auto node = Node::object();
    for (const auto& key : keys) node.set(key.key, Node::list(key.values));
    return node;
  };
  return {shape, read, show};
}

Value<std::vector<Member>> settings_value() {
  Shape shape{.kind = Shape::Kind::map};
  shape.parts = {anything("a value as --set takes it").shape};
  return {shape,
          [shape](const Node& node, Decoder& decoder) -> std::optional<std::vector<Member>> {
            if (node.kind == Node::Kind::object) return node.members;
            wrong_kind(shape, node, decoder);
            return std::nullopt;
          },
          [](const std::vector<Member>& members) {
            auto node = Node::object();
            for (const auto& member : members) node.set(member.key, member.value);
            return node;
          }};
}

/// A text, or a list of them.
Value<std::vector<Node>> one_or_more(const std::string& form) {
  const auto one = mapped<Node, std::vector<Node>>(
      placed_text(form), [](Node node) { return std::vector{std::move(node)}; },
      [](const std::vector<Node>& nodes) { return nodes.front(); });
  return either<std::vector<Node>>(
      list(placed_text(form), 1), one, [](const Node& node) { return node.kind == Node::Kind::list; },
      [](const std::vector<Node>& nodes) { return nodes.size() > 1; });
}

/// "for" of an entry that it multiplies.
template <class Form> void add_for(Table<Form>& table) {
  table.template custom<ForKeys>(
      "for", for_value(), [](Form& form, const ForKeys& keys) { form.keys = keys; },
      [](const Form& form) { return form.keys.empty() ? std::nullopt : std::optional(form.keys); },
      "Keys, each with a list of values: the entry stands once for every combination, with {key} in its texts "
      "replaced. Absent: once.");
}

const char* figure_id = "the id of a published figure";

const Table<ParameterForm>& parameter_table() {
  static const auto table = [] {
    const auto amount = anything("a number or a quantity such as \"2Gbps\", as the value is one");
    Table<ParameterForm> t("pack_parameter", "A number that was fitted, where it stands.");
    t.required("name", &ParameterForm::name, placed_text(), "What `fits` call it.");
    t.required("file", &ParameterForm::file, placed_text("the path of a JSON file"), "The file it stands in.");
    t.required(
        "at", &ParameterForm::at, one_or_more("a JSON pointer such as \"/network/link/bandwidth\""),
        "Where in the file: a literal number, or a quantity with its unit. Several places carry the same value.");
    t.required("bounds", &ParameterForm::bounds, list(amount, 2), "The least and the greatest value it may take.");
    t.maybe("uncertainty", &ParameterForm::uncertainty, amount,
            "One standard deviation, as `gradflight calibrate PACK --write` left it. Absent: not known.");
    t.defaulted("scale", &ParameterForm::logarithmic, choice<bool>("a scale", {{"log", true}, {"linear", false}}),
                "How the optimiser steps: in ratios (bounds above 0), or in differences.");
    t.required("why", &ParameterForm::why, text(), "What physical thing it is.");
    return t;
  }();
  return table;
}

const Table<FitForm>& fit_table() {
  static const auto table = [] {
    Table<FitForm> t("pack_fit", "Parameters that are fitted together.");
    add_for(t);
    t.required("parameters", &FitForm::parameters, list(placed_text("the name of a fitted number"), 1),
               "Each parameter stands in one fit.");
    t.required("to", &FitForm::to, list(placed_text(figure_id), 1),
               "The figures whose relative errors are made small. They are never counted as predicted.");
    return t;
  }();
  return table;
}

const Table<ExperimentForm>& experiment_table() {
  static const auto table = [] {
    Table<ExperimentForm> t("pack_experiment", "A scenario to simulate.");
    t.required("name", &ExperimentForm::name, placed_text(), "What figures call it.");
    add_for(t);
    t.required("scenario", &ExperimentForm::scenario, placed_text("the path of a scenario file"), "Its file.");
    t.defaulted("set", &ExperimentForm::set, settings_value(),
                "Values changed in it, by the paths that --set takes. A text is read as --set reads it.");
    return t;
  }();
  return table;
}

const Table<FigureForm>& figure_table() {
  static const auto table = [] {
    Table<FigureForm> t("pack_figure", "A published figure worked out from simulations.");
    t.required("id", &FigureForm::id, placed_text(figure_id), "Which one.");
    add_for(t);
    t.required(
        "value", &FigureForm::value, placed_text("an expression such as \"64 / iteration_time_s(AlexNet.P4)\""),
        "The same from results, in the unit that the paper prints: numbers, QUANTITY(EXPERIMENT), + - * / %, min, "
        "max. For a statement a condition, with comparisons, `and`, `or` and `not`.");
    return t;
  }();
  return table;
}

Table<ReasonForm> reasons(const std::string& name, const std::string& doc, const std::string& key,
                          const std::string& key_doc) {
  Table<ReasonForm> t(name, doc);
  t.required("id", &ReasonForm::id, placed_text(figure_id), "Which one.");
  add_for(t);
  t.required(key, &ReasonForm::why, text(), key_doc);
  return t;
}

const Table<ReasonForm>& reason_table() {
  static const auto table = reasons("pack_reason", "Figures that are not predicted, and why.", "why", "For people.");
  return table;
}

const Table<ReasonForm>& failure_table() {
  static const auto table = reasons("pack_failure", "Figures that need what the model has not.", "mechanism",
                                    "What is absent from the model. Never the size of the error.");
  return table;
}

const Table<GivenForm>& given_table() {
  static const auto table = [] {
    Table<GivenForm> t("pack_given", "Numbers that went into the scenarios, where they stand.");
    t.required("name", &GivenForm::name, placed_text(), "What the table of sensitivities calls them.");
    add_for(t);
    t.required("file", &GivenForm::file, placed_text("the path of a JSON file"), "The file they stand in.");
    t.required("at", &GivenForm::at, one_or_more("a JSON pointer such as \"/compute/forward\""),
               "Where in the file: a literal, or an object or a list, and then every quantity of time in it.");
    t.defaulted("time", &GivenForm::time, boolean(),
                "They are times, or a rate of computing: what they make of a figure is input time.");
    t.required("why", &GivenForm::why, text(), "Where they come from.");
    return t;
  }();
  return table;
}

const Table<WithoutForm>& without_table() {
  static const auto table = [] {
    Table<WithoutForm> t("pack_without", "A choice left out.");
    t.required("set", &WithoutForm::set, settings_value(), "Values changed, by the paths that --set takes.");
    t.defaulted("experiments", &WithoutForm::experiments, list(placed_text("the name of an experiment")),
                "In which of them. Empty: in all.");
    return t;
  }();
  return table;
}

const Table<ChoiceForm>& choice_table() {
  static const auto table = [] {
    Table<ChoiceForm> t("pack_choice", "How the model was built, where that was decided with figures in sight.");
    t.required("what", &ChoiceForm::what, text(), "What was chosen.");
    add_for(t);
    t.required("alternatives", &ChoiceForm::alternatives, text(), "Instead of what.");
    t.required("tried_on", &ChoiceForm::tried_on, text(), "Which figures were in sight.");
    t.defaulted("why", &ChoiceForm::why, text(), "Why it was chosen, or why leaving it out cannot be simulated.");
    t.maybe("without", &ChoiceForm::without, object(without_table()),
            "What leaves it out: the predicted figures are simulated so as well, nothing fitted anew. Absent: no "
            "setting does.");
    return t;
  }();
  return table;
}

const Table<TransferForm>& transfer_table() {
  static const auto table = [] {
    Table<TransferForm> t("pack_transfer", "Some figures fitted, others predicted from that alone.");
    t.required("name", &TransferForm::name, placed_text(), "For people.");
    add_for(t);
    t.required("fit", &TransferForm::fit, list(placed_text(figure_id), 1), "What is fitted to.");
    t.defaulted("predict", &TransferForm::predict, list(placed_text(figure_id)),
                "What is then predicted. Empty: every other fitted or predicted figure of the paper.");
    return t;
  }();
  return table;
}

} // namespace

const Table<PackForm>& pack_table() {
  static const auto table = [] {
    Table<PackForm> t("pack", "A paper's experiments and the figures worked out from them (`gradflight reproduce`).");
    t.info.kind = kind_field("pack");
    t.required("paper", &PackForm::paper, placed_text("the name of a paper in the published figures"), "Which paper.");
    t.defaulted("description", &PackForm::description, text(), "For people.");
    t.defaulted("published", &PackForm::published, placed_text("the path of a file"), "The published figures.");
    t.defaulted("fitted", &PackForm::fitted, list(object(parameter_table())), "Every number that was fitted.");
    t.defaulted("fits", &PackForm::fits, list(object(fit_table())), "Which numbers were fitted to what, in order.");
    t.required("experiments", &PackForm::experiments, list(object(experiment_table()), 1), "What is simulated.");
    t.required("figures", &PackForm::figures, list(object(figure_table()), 1), "What is worked out from that.");
    t.defaulted("inputs", &PackForm::inputs, list(object(reason_table())),
                "Figures that went into the scenarios, so cannot be predicted.");
    t.defaulted("excluded", &PackForm::excluded, list(object(reason_table())),
                "Figures that are not counted: no timing, a contradiction in the paper. Duplicates need not be named.");
    t.defaulted("dependent", &PackForm::dependent, list(object(reason_table())),
                "Figures that are simulated and shown, but not counted: they repeat, sum or divide inputs and figures "
                "that are counted. Those that are mostly input time or follow one fitted number need not be named.");
    t.defaulted("failed", &PackForm::failed, list(object(failure_table())),
                "Figures that are simulated without a mechanism that they need: counted apart.");
    t.defaulted("given", &PackForm::given, list(object(given_table())),
                "Numbers that went in. With the fitted ones they make the table of sensitivities.");
    t.defaulted("choices", &PackForm::choices, list(object(choice_table())),
                "What else was decided with figures in sight.");
    t.defaulted("transfer", &PackForm::transfers, list(object(transfer_table())),
                "What fits on a part of the figures say of the rest (`gradflight calibrate PACK --transfer`).");
    return t;
  }();
  return table;
}

} // namespace gradflight
