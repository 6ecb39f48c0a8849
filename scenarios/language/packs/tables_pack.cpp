#include "scenarios/language/packs/pack_tables.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

/// Limit for one "for". Each combination may be an experiment, so a larger number is a mistake that would fill the
/// memory.
constexpr int max_combinations = 10'000;

/// The values of a {key}: texts and numbers.
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
    auto keys = members_of<ForKey>(shape, node, decoder, [&](const Member& member) -> std::optional<ForKey> {
      if (auto list = values.read(member.value, decoder)) return ForKey{member.key, member.position, *list};
      return std::nullopt;
    });
    if (!keys) return std::nullopt;
    double combinations = 1;
    for (const auto& key : *keys) combinations *= static_cast<double>(key.values.size());
    if (combinations > max_combinations) {
      decoder.fail(node.position, fmt::format("{:.0f} combinations are too many; at most {} are allowed", combinations,
                                              max_combinations));
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

} // namespace

Value<std::vector<Member>> settings_value(std::size_t min_members) {
  Shape shape{.kind = Shape::Kind::map};
  shape.parts = {anything("a value as --set takes it").shape};
  return {shape,
          [shape, min_members](const Node& node, Decoder& decoder) {
            return settings_of(shape, node, decoder, min_members);
          },
          [](const std::vector<Member>& members) {
            auto node = Node::object();
            for (const auto& member : members) node.set(member.key, member.value);
            return node;
          }};
}

namespace {

/// A text, or a list of texts.
Value<std::vector<Node>> one_or_more(const std::string& form) {
  const auto one = mapped<Node, std::vector<Node>>(
      placed_text(form), [](Node node) { return std::vector{std::move(node)}; },
      [](const std::vector<Node>& nodes) { return nodes.front(); });
  return either<std::vector<Node>>(
      list(placed_text(form), 1), one, [](const Node& node) { return node.kind == Node::Kind::list; },
      [](const std::vector<Node>& nodes) { return nodes.size() > 1; });
}

/// Adds the key "for", which repeats an entry.
template <class Form> void add_for(Table<Form>& table) {
  table.template custom<ForKeys>(
      "for", for_value(), [](Form& form, const ForKeys& keys) { form.keys = keys; },
      [](const Form& form) { return form.keys.empty() ? std::nullopt : std::optional(form.keys); },
      "Keys with lists of values. The entry is repeated for every combination, with {key} replaced in its texts. "
      "Absent: one entry.");
}

const char* figure_id = "the id of a published figure";

const Table<ParameterForm>& parameter_table() {
  static const auto table = [] {
    const auto amount = anything("a number or a quantity such as \"2Gbps\", like the value");
    Table<ParameterForm> t("pack_parameter", "A fitted number and its place in a file.");
    t.required("name", &ParameterForm::name, placed_text(), "The name used in `fits`.");
    t.required("file", &ParameterForm::file, placed_text("the path of a JSON file"), "The file that contains it.");
    t.required("at", &ParameterForm::at, one_or_more("a JSON pointer such as \"/network/link/bandwidth\""),
               "Its place in the file: a number, or a quantity with a unit. Several places must have the same value.");
    t.required("bounds", &ParameterForm::bounds, list(amount, 2), "The smallest and the largest allowed value.");
    t.maybe("uncertainty", &ParameterForm::uncertainty, amount,
            "One standard deviation, as written by `gradflight calibrate PACK --write`. Absent: not known.");
    t.defaulted("scale", &ParameterForm::logarithmic, choice<bool>("a scale", {{"log", true}, {"linear", false}}),
                "Steps of the optimiser: log takes ratios (bounds above 0), linear takes differences.");
    t.required("why", &ParameterForm::why, text(), "The physical meaning of the number.");
    return t;
  }();
  return table;
}

const Table<FitForm>& fit_table() {
  static const auto table = [] {
    Table<FitForm> t("pack_fit", "Parameters that are fitted together.");
    add_for(t);
    t.required("parameters", &FitForm::parameters, list(placed_text("the name of a fitted number"), 1),
               "The parameters; each belongs to exactly one fit.");
    t.required("to", &FitForm::to, list(placed_text(figure_id), 1),
               "The figures to fit to: the fit minimises their relative errors. They are never counted as predicted.");
    return t;
  }();
  return table;
}

const Table<ExperimentForm>& experiment_table() {
  static const auto table = [] {
    Table<ExperimentForm> t("pack_experiment", "A scenario to simulate.");
    t.required("name", &ExperimentForm::name, placed_text(), "The name that `figures` use.");
    add_for(t);
    t.required("scenario", &ExperimentForm::scenario, placed_text("the path of a scenario file"), "The scenario file.");
    t.defaulted("set", &ExperimentForm::set, settings_value(),
                "Changes to the scenario: paths and values, as for --set.");
    return t;
  }();
  return table;
}

const Table<FigureForm>& figure_table() {
  static const auto table = [] {
    Table<FigureForm> t("pack_figure", "A published figure, computed from simulations.");
    t.required("id", &FigureForm::id, placed_text(figure_id), "The id of the figure.");
    add_for(t);
    t.required("value", &FigureForm::value, placed_text("an expression such as \"64 / iteration_time_s(AlexNet.P4)\""),
               "The figure as an expression over results, in the unit of the paper: numbers, QUANTITY(EXPERIMENT), + - "
               "* / %, min, max. A statement needs a condition with comparisons, `and`, `or` and `not`.");
    return t;
  }();
  return table;
}

Table<ReasonForm> reasons(const std::string& name, const std::string& doc, const std::string& key,
                          const std::string& key_doc) {
  Table<ReasonForm> t(name, doc);
  t.required("id", &ReasonForm::id, placed_text(figure_id), "The id of the figure.");
  add_for(t);
  t.required(key, &ReasonForm::why, text(), key_doc);
  return t;
}

const Table<ReasonForm>& reason_table() {
  static const auto table =
      reasons("pack_reason", "Figures that are not predicted, and why.", "why", "The reason, for readers.");
  return table;
}

const Table<ReasonForm>& failure_table() {
  static const auto table = reasons("pack_failure", "Figures that need a mechanism that the model lacks.", "mechanism",
                                    "The missing mechanism. The size of the error is not a reason.");
  return table;
}

const Table<InputNumbersForm>& input_numbers_table() {
  static const auto table = [] {
    Table<InputNumbersForm> t("pack_given", "Numbers that the scenarios use as inputs, with their places.");
    t.required("name", &InputNumbersForm::name, placed_text(), "The name in the table of sensitivities.");
    add_for(t);
    t.required("file", &InputNumbersForm::file, placed_text("the path of a JSON file"), "The file that contains them.");
    t.required("at", &InputNumbersForm::at, one_or_more("a JSON pointer such as \"/compute/forward\""),
               "The place in the file: a number, or an object or a list; then all times in it count.");
    t.defaulted("time", &InputNumbersForm::time, boolean(),
                "true: the numbers are times or compute rates, so their part of a figure is input time.");
    t.required("why", &InputNumbersForm::why, text(), "The source of the numbers.");
    return t;
  }();
  return table;
}

const Table<WithoutForm>& without_table() {
  static const auto table = [] {
    Table<WithoutForm> t("pack_without", "Settings without a modelling choice.");
    t.required("set", &WithoutForm::set, settings_value(), "Changes to the scenarios: paths and values, as for --set.");
    t.defaulted("experiments", &WithoutForm::experiments, list(placed_text("the name of an experiment")),
                "The experiments to change. Empty: all.");
    return t;
  }();
  return table;
}

const Table<ChoiceForm>& choice_table() {
  static const auto table = [] {
    Table<ChoiceForm> t("pack_choice", "A modelling choice that was made with knowledge of the figures.");
    t.required("what", &ChoiceForm::what, text(), "The chosen option.");
    add_for(t);
    t.required("alternatives", &ChoiceForm::alternatives, text(), "The rejected alternative.");
    t.required("tried_on", &ChoiceForm::tried_on, text(), "The figures that were known.");
    t.defaulted("why", &ChoiceForm::why, text(),
                "The reason for the choice, or why the alternative cannot be simulated.");
    t.maybe("without", &ChoiceForm::without, object(without_table()),
            "Settings for the alternative. The predicted figures are also simulated with them, without a new fit. "
            "Absent: no setting selects it.");
    return t;
  }();
  return table;
}

const Table<TransferForm>& transfer_table() {
  static const auto table = [] {
    Table<TransferForm> t("pack_transfer", "A fit to some figures, and predictions of others from that fit alone.");
    t.required("name", &TransferForm::name, placed_text(), "A name for readers.");
    add_for(t);
    t.required("fit", &TransferForm::fit, list(placed_text(figure_id), 1), "The figures to fit to.");
    t.defaulted("predict", &TransferForm::predict, list(placed_text(figure_id)),
                "The figures to predict. Empty: every other fitted or predicted figure of the paper.");
    return t;
  }();
  return table;
}

} // namespace

const Table<PackForm>& pack_table() {
  static const auto table = [] {
    Table<PackForm> t("pack",
                      "The experiments of a paper, and the figures computed from them (`gradflight reproduce`).");
    t.info.kind = kind_field("pack");
    t.required("paper", &PackForm::paper, placed_text("the name of a paper in the published figures"), "The paper.");
    t.defaulted("description", &PackForm::description, text(), "A description for readers.");
    t.defaulted("published", &PackForm::published, placed_text("the path of a file"), "The published figures.");
    t.defaulted("fitted", &PackForm::fitted, list(object(parameter_table())), "All fitted numbers.");
    t.defaulted("fits", &PackForm::fits, list(object(fit_table())),
                "The fits in order: parameters and the figures they were fitted to.");
    t.required("experiments", &PackForm::experiments, list(object(experiment_table()), 1),
               "The scenarios to simulate.");
    t.required("figures", &PackForm::figures, list(object(figure_table()), 1),
               "The figures computed from the simulations.");
    t.defaulted("inputs", &PackForm::inputs, list(object(reason_table())),
                "Figures that the scenarios use as inputs, so they cannot be predicted.");
    t.defaulted("excluded", &PackForm::excluded, list(object(reason_table())),
                "Figures that are not counted, such as figures without a timing or with a contradiction in the paper. "
                "Duplicates need not be listed.");
    t.defaulted("dependent", &PackForm::dependent, list(object(reason_table())),
                "Figures that are simulated and shown but not counted, because they repeat, sum or divide inputs and "
                "counted figures. Figures that are mostly input time or follow one fitted number need not be listed.");
    t.defaulted("failed", &PackForm::failed, list(object(failure_table())),
                "Figures that need a mechanism that the model lacks. They are simulated and counted separately.");
    t.defaulted("given", &PackForm::input_numbers, list(object(input_numbers_table())),
                "Input numbers. Together with the fitted numbers, they form the table of sensitivities.");
    t.defaulted("choices", &PackForm::choices, list(object(choice_table())),
                "Modelling choices that were made with knowledge of the figures.");
    t.defaulted("transfer", &PackForm::transfers, list(object(transfer_table())),
                "Fits to a part of the figures that predict the rest (`gradflight calibrate PACK --transfer`).");
    return t;
  }();
  return table;
}

} // namespace gradflight
