// The field tables of packs of measured tables.
#include "scenarios/language/packs/pack_tables.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

using Where = std::vector<MeasuredWhere>;

/// Columns with what may stand in them: a text, a number, or a list of these.
Value<Where> where_value() {
  Shape one{.kind = Shape::Kind::anything};
  one.text_form = "a text or a number, or a list of them";
  Shape shape{.kind = Shape::Kind::map};
  shape.parts = {one};
  const auto plain = [](const Node& node) { return is_text(node) || is_number(node); };
  auto read = [one, shape, plain](const Node& node, Decoder& decoder) -> std::optional<Where> {
    if (node.kind != Node::Kind::object) {
      wrong_kind(shape, node, decoder);
      return std::nullopt;
    }
    Where where;
    for (const auto& member : node.members) {
      const auto step = decoder.into(member.key);
      const auto& value = member.value;
      MeasuredWhere column{member.key, {}, member.position};
      if (plain(value)) column.values.push_back(value.text);
      if (value.kind == Node::Kind::list && !value.items.empty() && std::ranges::all_of(value.items, plain))
        for (const auto& item : value.items) column.values.push_back(item.text);
      if (column.values.empty())
        decoder.fail(value.position, fmt::format("expected {}, got {}", one.text_form, brief_text(value)));
      where.push_back(std::move(column));
    }
    if (std::ranges::any_of(where, [](const auto& column) { return column.values.empty(); })) return std::nullopt;
    return where;
  };
  auto show = [](const Where& where) {
    auto node = Node::object();
    for (const auto& column : where) {
      std::vector<Node> values;
      for (const auto& value : column.values) values.push_back(Node::of(value));
      node.set(column.column, Node::list(std::move(values)));
    }
    return node;
  };
  return {shape, read, show};
}

Value<std::vector<Member>> assignments() {
  Shape shape{.kind = Shape::Kind::map};
  shape.parts = {anything("a value as --set takes it").shape};
  return {shape,
          [shape](const Node& node, Decoder& decoder) -> std::optional<std::vector<Member>> {
            if (node.kind != Node::Kind::object || node.members.empty()) {
              wrong_kind(shape, node, decoder);
              return std::nullopt;
            }
            return node.members;
          },
          [](const std::vector<Member>& members) {
            auto node = Node::object();
            for (const auto& member : members) node.set(member.key, member.value);
            return node;
          }};
}

const Table<MeasuredFact>& measured_fact_table() {
  static const auto table = [] {
    Table<MeasuredFact> t("measured_fact", "What is documented of a machine and differs from the catalogue.");
    t.required("path", &MeasuredFact::path, placed_text("a path as --set takes it, \"platform.node.nic.bandwidth\""),
               "Of the platform.");
    t.required("value", &MeasuredFact::value, anything("a value as --set takes it"), "What stands there.");
    t.required("reason", &MeasuredFact::reason, text(), "Where that is documented.");
    return t;
  }();
  return table;
}

const Table<MeasuredEntry>& measured_entry_table() {
  static const auto table = [] {
    Table<MeasuredEntry> t("measured_entry", "Rows of a log, and what they are for. A row is in one entry at most.");
    t.required("file", &MeasuredEntry::file, placed_text("a file"),
               "A log of nccl-tests or OSU, or a table of them as CSV.");
    t.defaulted("where", &MeasuredEntry::where, where_value(),
                "Columns, each with what may stand in it: run, collective, nodes, ranks, and those that tell tables "
                "apart. Empty: every row.");
    t.defaulted("role", &MeasuredEntry::role,
                choice<MeasuredRole>("role", {{"scored", MeasuredRole::scored},
                                              {"fitted", MeasuredRole::fitted},
                                              {"noted", MeasuredRole::noted}}),
                "scored: predicted and counted; fitted: what `fitted` was fitted to, shown and not counted; noted: not "
                "simulated.");
    t.defaulted("reason", &MeasuredEntry::reason, text(), "Why it has this role; noted needs one.");
    t.defaulted("type", &MeasuredEntry::element_size, choice<int>("type", {{"float", 4}, {"double", 8}, {"half", 2}}),
                "Of the elements.");
    t.maybe("nodes", &MeasuredEntry::nodes, integer(1, 1'000'000), "Of tables that do not say. Absent: they do.");
    t.finally([](const MeasuredEntry& entry, const Node& node, Decoder& decoder) {
      if (entry.role == MeasuredRole::noted && entry.reason.empty())
        decoder.fail(node.position, "\"reason\" is missing: a text that says why these rows are not simulated");
    });
    return t;
  }();
  return table;
}

/// What a scored entry has to say.
void check_training(const MeasuredTraining& entry, const Node& node, Decoder& decoder) {
  const auto missing = [&](const std::string& what) { decoder.fail(node.position, what + " is missing"); };
  if (entry.role == MeasuredRole::noted) {
    if (entry.reason.empty()) missing("\"reason\": a text that says why these rows are not simulated");
    return;
  }
  if (!entry.column) missing("\"column\", in which stands what was measured,");
  if (!entry.scheme) missing("\"scheme\": ddp, horovod, parameter_server, fsdp or all_reduce");
  if (!entry.scenario) missing("\"scenario\": the file of the job");
  if (entry.measure == TrainingMeasure::job_time && !entry.samples)
    missing("\"samples\", which the job goes through in that time,");
  if (entry.measure != TrainingMeasure::job_time && entry.samples)
    decoder.fail(node.find("samples")->position, "only with measure job_time");
  const bool step = entry.measure == TrainingMeasure::step_time || entry.measure == TrainingMeasure::step_time_us;
  if (entry.beside && !step)
    decoder.fail(node.find("beside")->position, "of jobs beside each other steps are scored: measure step_time");
}

const Table<MeasuredTraining>& measured_training_table() {
  static const auto table = [] {
    Table<MeasuredTraining> t("measured_training", "Rows of a table of training: jobs at several scales. The smallest "
                                                   "scale of a job is what its compute time is fitted to.");
    t.required("file", &MeasuredTraining::file, placed_text("a file"), "A table as CSV with a header.");
    t.defaulted("where", &MeasuredTraining::where, where_value(),
                "Columns, each with what may stand in it. Empty: every row.");
    t.defaulted("role", &MeasuredTraining::role,
                choice<MeasuredRole>("role", {{"scored", MeasuredRole::scored}, {"noted", MeasuredRole::noted}}),
                "scored: each job's larger scales are predicted and counted; noted: not simulated.");
    t.defaulted("reason", &MeasuredTraining::reason, text(), "Why it has this role; noted needs one.");
    t.defaulted("jobs", &MeasuredTraining::jobs, list(placed_text("a column")),
                "Rows that agree in all of these columns are of one job, and where their GPUs are as many, too, "
                "measurements of the same.");
    t.defaulted("gpus", &MeasuredTraining::gpus, placed_text("a column"), "The column of how many GPUs there are.");
    t.maybe("beside", &MeasuredTraining::beside, placed_text("a column"),
            "The column of how many such jobs ran at once, with one process of each on every node, of which `gpus` "
            "has the number: the time of a step is scored, not a ratio. Absent: one.");
    t.maybe("column", &MeasuredTraining::column, placed_text("a column"), "The column of what was measured.");
    t.defaulted("measure", &MeasuredTraining::measure,
                choice<TrainingMeasure>("measure", {{"throughput", TrainingMeasure::throughput},
                                                    {"throughput_per_gpu", TrainingMeasure::throughput_per_gpu},
                                                    {"step_time", TrainingMeasure::step_time},
                                                    {"step_time_us", TrainingMeasure::step_time_us},
                                                    {"job_time", TrainingMeasure::job_time}}),
                "throughput: samples a second of all GPUs; throughput_per_gpu: of one; step_time: seconds of a step; "
                "step_time_us: microseconds; job_time: seconds of `samples` samples. Samples are what the scenario's "
                "batch counts.");
    t.maybe("samples", &MeasuredTraining::samples, number(0, 1e18, true), "Of the whole job, with job_time.");
    t.maybe("scheme", &MeasuredTraining::scheme,
            choice<TrainingScheme>("scheme", {{"ddp", TrainingScheme::ddp},
                                              {"horovod", TrainingScheme::horovod},
                                              {"parameter_server", TrainingScheme::parameter_server},
                                              {"fsdp", TrainingScheme::fsdp},
                                              {"all_reduce", TrainingScheme::all_reduce}}),
            "What the board tells apart. fsdp: the loss of efficiency is scored, not the ratio.");
    t.maybe("scenario", &MeasuredTraining::scenario, placed_text("a file"),
            "The job: nodes and GPUs are as many as the row says, and compute times are scaled.");
    t.defaulted("set", &MeasuredTraining::set, assignments(), "What differs in it: paths and values as `--set` takes.");
    t.finally(check_training);
    return t;
  }();
  return table;
}

const Table<MeasuredFit>& measured_fit_table() {
  static const auto table = [] {
    Table<MeasuredFit> t("measured_fit", "What was fitted to the entries whose role says so.");
    t.required("to", &MeasuredFit::to, text(), "Which rows.");
    t.required("set", &MeasuredFit::set, assignments(), "Paths of the platform with their values, as `--set` takes.");
    return t;
  }();
  return table;
}

} // namespace

const Table<MeasuredPack>& measured_pack_table() {
  static const auto table = [] {
    Table<MeasuredPack> t("measured_pack", "Tables measured on one machine, for `gradflight reproduce --measured`.");
    t.info.kind = kind_field("measured");
    t.required("name", &MeasuredPack::name, placed_text("a text"), "What the command line calls it.");
    t.required("source", &MeasuredPack::source, text(), "Who measured, where it is published.");
    t.required("licence", &MeasuredPack::licence, text(), "Of the figures.");
    t.maybe("machine", &MeasuredPack::machine, placed_text("a machine of the catalogue, or a platform file"),
            "What it was measured on. Absent: what is known of it does not suffice to simulate anything.");
    t.maybe("fabric", &MeasuredPack::fabric,
            choice<NetworkFabric>("a fabric", {{"infiniband", NetworkFabric::infiniband},
                                               {"efa", NetworkFabric::efa},
                                               {"slingshot", NetworkFabric::slingshot},
                                               {"tcpx", NetworkFabric::tcpx},
                                               {"roce", NetworkFabric::roce},
                                               {"ethernet", NetworkFabric::ethernet}}),
            "The network between its nodes. When the machine is left out, typical values of this fabric replace "
            "`fitted`; they come from the other machines. Absent: the catalogue's values replace it.");
    t.defaulted("set", &MeasuredPack::set, list(object(measured_fact_table())), "Where it differs from that.");
    t.defaulted("library", &MeasuredPack::library, placed_text("what `collective --algorithm` takes"),
                "Whose calls were measured.");
    t.defaulted("library_version", &MeasuredPack::library_version, text(), "As the source states it.");
    t.defaulted("tables", &MeasuredPack::tables, list(object(measured_entry_table()), 1), "Rows of collectives.");
    t.defaulted("training", &MeasuredPack::training, list(object(measured_training_table()), 1), "Rows of training.");
    t.maybe("fitted", &MeasuredPack::fitted, object(measured_fit_table()), "Absent: nothing was.");
    t.finally([](const MeasuredPack& pack, const Node& node, Decoder& decoder) {
      if (node.find("tables") == nullptr && node.find("training") == nullptr)
        decoder.fail(node.position, "\"tables\" is missing, or \"training\": a list of rows that were measured");
      const bool any = std::ranges::any_of(
          pack.tables, [](const MeasuredEntry& entry) { return entry.role == MeasuredRole::fitted; });
      if (pack.fitted && !any)
        decoder.fail(node.find("fitted")->position,
                     "no entry of \"tables\" has the role fitted: what was fitted to is never scored");
      const bool simulated = std::ranges::any_of(
          pack.tables, [](const MeasuredEntry& entry) { return entry.role != MeasuredRole::noted; });
      if (!pack.machine && simulated)
        decoder.fail(node.position, "\"machine\" is missing: \"tables\" has rows that are simulated");
      if (!pack.fitted && any) decoder.fail(node.position, "\"fitted\" is missing: \"tables\" has rows of that role");
    });
    return t;
  }();
  return table;
}

} // namespace gradflight
