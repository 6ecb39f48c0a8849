// The field tables of packs of measured tables.
#include "scenarios/language/packs/pack_tables.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

using Where = std::vector<MeasuredWhere>;

/// Columns with their accepted values: a text, a number, or a list of these.
Value<Where> where_value() {
  Shape one{.kind = Shape::Kind::anything};
  one.text_form = "a text or a number, or a list of them";
  Shape shape{.kind = Shape::Kind::map};
  shape.parts = {one};
  const auto plain = [](const Node& node) { return is_text(node) || is_number(node); };
  auto read = [one, shape, plain](const Node& node, Decoder& decoder) -> std::optional<Where> {
    return members_of<MeasuredWhere>(shape, node, decoder, [&](const Member& member) -> std::optional<MeasuredWhere> {
      const auto& value = member.value;
      MeasuredWhere column{member.key, {}, member.position};
      if (plain(value)) column.values.push_back(value.text);
      if (value.kind == Node::Kind::list && !value.items.empty() && std::ranges::all_of(value.items, plain))
        for (const auto& item : value.items) column.values.push_back(item.text);
      if (!column.values.empty()) return column;
      decoder.fail(value.position, fmt::format("expected {}, got {}", one.text_form, brief_text(value)));
      return std::nullopt;
    });
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

const Table<MeasuredFact>& measured_fact_table() {
  static const auto table = [] {
    Table<MeasuredFact> t("measured_fact", "A documented value of the machine that differs from the catalogue.");
    t.required("path", &MeasuredFact::path, placed_text("a path as --set takes it, \"platform.node.nic.bandwidth\""),
               "Path of the value in the platform.");
    t.required("value", &MeasuredFact::value, anything("a value as --set takes it"), "The value.");
    t.required("reason", &MeasuredFact::reason, text(), "Where the value is documented.");
    return t;
  }();
  return table;
}

const Table<MeasuredEntry>& measured_entry_table() {
  static const auto table = [] {
    Table<MeasuredEntry> t("measured_entry", "Rows of a log and their role. A row may be in one entry only.");
    t.required("file", &MeasuredEntry::file, placed_text("a file"),
               "A log of nccl-tests or OSU, or a table of them as CSV.");
    t.defaulted("where", &MeasuredEntry::where, where_value(),
                "Selects rows: columns with the allowed values. Columns are run, collective, nodes, ranks, and those "
                "that distinguish tables. Empty: every row.");
    t.defaulted("role", &MeasuredEntry::role,
                choice<MeasuredRole>("role", {{"scored", MeasuredRole::scored},
                                              {"fitted", MeasuredRole::fitted},
                                              {"noted", MeasuredRole::noted}}),
                "scored: the rows are predicted and counted. fitted: `fitted` was fitted to the rows; they are shown "
                "but not counted. noted: the rows are not simulated.");
    t.defaulted("reason", &MeasuredEntry::reason, text(), "Why the rows have this role; required for noted.");
    t.defaulted("type", &MeasuredEntry::element_size, choice<int>("type", {{"float", 4}, {"double", 8}, {"half", 2}}),
                "Element type of the vectors.");
    t.maybe("nodes", &MeasuredEntry::nodes, integer(1, 1'000'000),
            "Number of nodes, for tables that do not give it. Absent: the tables give it.");
    t.finally([](const MeasuredEntry& entry, const Node& node, Decoder& decoder) {
      if (entry.role == MeasuredRole::noted && entry.reason.empty())
        decoder.fail(node.position, "\"reason\" is missing: a text that says why these rows are not simulated");
    });
    return t;
  }();
  return table;
}

/// Checks that an entry has the required keys of its role.
void check_training(const MeasuredTraining& entry, const Node& node, Decoder& decoder) {
  const auto missing = [&](const std::string& what) { decoder.fail(node.position, what + " is missing"); };
  if (entry.role == MeasuredRole::noted) {
    if (entry.reason.empty()) missing("\"reason\": a text that says why these rows are not simulated");
    return;
  }
  if (!entry.column) missing("\"column\" (the column of measured values)");
  if (!entry.scheme) missing("\"scheme\": ddp, horovod, parameter_server, fsdp or all_reduce");
  if (!entry.scenario) missing("\"scenario\": the file of the job");
  if (entry.measure == TrainingMeasure::job_time && !entry.samples)
    missing("\"samples\" (the samples that the job processes in this time)");
  if (entry.measure != TrainingMeasure::job_time && entry.samples)
    decoder.fail(node.find("samples")->position, "allowed only with measure \"job_time\"");
  const bool step = entry.measure == TrainingMeasure::step_time || entry.measure == TrainingMeasure::step_time_us;
  if (entry.beside && !step)
    decoder.fail(node.find("beside")->position, "concurrent jobs need measure \"step_time\" or \"step_time_us\"");
}

const Table<MeasuredTraining>& measured_training_table() {
  static const auto table = [] {
    Table<MeasuredTraining> t(
        "measured_training",
        "Rows of a training table: jobs at several scales. The compute time of a job is fitted to its smallest scale.");
    t.required("file", &MeasuredTraining::file, placed_text("a file"), "A table as CSV with a header.");
    t.defaulted("where", &MeasuredTraining::where, where_value(),
                "Selects rows: columns with the allowed values. Empty: every row.");
    t.defaulted("role", &MeasuredTraining::role,
                choice<MeasuredRole>("role", {{"scored", MeasuredRole::scored}, {"noted", MeasuredRole::noted}}),
                "scored: the larger scales of each job are predicted and counted. noted: the rows are not simulated.");
    t.defaulted("reason", &MeasuredTraining::reason, text(), "Why the rows have this role; required for noted.");
    t.defaulted("jobs", &MeasuredTraining::jobs, list(placed_text("a column")),
                "Rows with equal values in all of these columns belong to one job. If their numbers of GPUs are equal "
                "too, they are repeated measurements.");
    t.defaulted("gpus", &MeasuredTraining::gpus, placed_text("a column"), "The column with the number of GPUs.");
    t.maybe("beside", &MeasuredTraining::beside, placed_text("a column"),
            "The column with the number of jobs that ran at once, each with one process on every node; `gpus` is then "
            "the number of nodes. Step times are scored, not ratios. Absent: one job.");
    t.maybe("column", &MeasuredTraining::column, placed_text("a column"), "The column with the measured values.");
    t.defaulted("measure", &MeasuredTraining::measure,
                choice<TrainingMeasure>("measure", {{"throughput", TrainingMeasure::throughput},
                                                    {"throughput_per_gpu", TrainingMeasure::throughput_per_gpu},
                                                    {"step_time", TrainingMeasure::step_time},
                                                    {"step_time_us", TrainingMeasure::step_time_us},
                                                    {"job_time", TrainingMeasure::job_time}}),
                "throughput: samples per second of all GPUs. throughput_per_gpu: of one GPU. step_time: seconds per "
                "step. step_time_us: microseconds per step, for tables in microseconds. job_time: seconds for "
                "`samples` samples. A sample is one "
                "unit of the scenario's batch.");
    t.maybe("samples", &MeasuredTraining::samples, number(0, 1e18, true),
            "Number of samples of the whole job, for job_time.");
    t.maybe("scheme", &MeasuredTraining::scheme,
            choice<TrainingScheme>("scheme", {{"ddp", TrainingScheme::ddp},
                                              {"horovod", TrainingScheme::horovod},
                                              {"parameter_server", TrainingScheme::parameter_server},
                                              {"fsdp", TrainingScheme::fsdp},
                                              {"all_reduce", TrainingScheme::all_reduce}}),
            "The training scheme, by which the scoreboard groups rows. fsdp: the loss of efficiency is scored, not the "
            "ratio.");
    t.maybe("scenario", &MeasuredTraining::scenario, placed_text("a file"),
            "The scenario of the job. The row sets the number of nodes and GPUs, and compute times are scaled.");
    t.defaulted("set", &MeasuredTraining::set, settings_value(1),
                "Changes to the scenario: paths and values, as for `--set`.");
    t.finally(check_training);
    return t;
  }();
  return table;
}

const Table<MeasuredFit>& measured_fit_table() {
  static const auto table = [] {
    Table<MeasuredFit> t("measured_fit", "Values that were fitted to the entries with the role fitted.");
    t.required("to", &MeasuredFit::to, text(), "The rows that the fit used.");
    t.required("set", &MeasuredFit::set, settings_value(1),
               "Paths of the platform and their fitted values, as for `--set`.");
    return t;
  }();
  return table;
}

} // namespace

const Table<MeasuredPack>& measured_pack_table() {
  static const auto table = [] {
    Table<MeasuredPack> t("measured_pack", "Tables measured on one machine, for `gradflight reproduce --measured`.");
    t.info.kind = kind_field("measured");
    t.required("name", &MeasuredPack::name, placed_text("a text"), "The name of the pack on the command line.");
    t.required("source", &MeasuredPack::source, text(), "Who measured, and where the data are published.");
    t.required("licence", &MeasuredPack::licence, text(), "License of the measured data.");
    t.maybe("machine", &MeasuredPack::machine, placed_text("a machine of the catalogue, or a platform file"),
            "The machine that was measured. Absent: too little is known about it to simulate it.");
    t.maybe("fabric", &MeasuredPack::fabric,
            choice<NetworkFabric>("a fabric", {{"infiniband", NetworkFabric::infiniband},
                                               {"efa", NetworkFabric::efa},
                                               {"slingshot", NetworkFabric::slingshot},
                                               {"tcpx", NetworkFabric::tcpx},
                                               {"roce", NetworkFabric::roce},
                                               {"ethernet", NetworkFabric::ethernet}}),
            "The network between its nodes. When the machine is left out, typical values of other machines replace "
            "`fitted`: the latency is that of this fabric. Absent: the catalogue's values replace it.");
    t.defaulted("set", &MeasuredPack::set, list(object(measured_fact_table())),
                "Documented differences between the machine and the catalogue.");
    t.defaulted("library", &MeasuredPack::library, placed_text("what `collective --algorithm` takes"),
                "The library or algorithm that was measured.");
    t.defaulted("library_version", &MeasuredPack::library_version, text(), "The version that the source states.");
    t.defaulted("iterations", &MeasuredPack::iterations, integer(1, 1'000'000),
                "Number of calls in a row; the tables give their mean time. nccl-tests' default is 20.");
    t.defaulted("tables", &MeasuredPack::tables, list(object(measured_entry_table()), 1),
                "Measured rows of collectives.");
    t.defaulted("training", &MeasuredPack::training, list(object(measured_training_table()), 1),
                "Measured rows of training jobs.");
    t.maybe("fitted", &MeasuredPack::fitted, object(measured_fit_table()),
            "The values fitted to this pack. Absent: nothing was fitted.");
    t.finally([](const MeasuredPack& pack, const Node& node, Decoder& decoder) {
      if (node.find("tables") == nullptr && node.find("training") == nullptr)
        decoder.fail(node.position, "\"tables\" or \"training\" is missing: a list of measured rows");
      const bool any = std::ranges::any_of(
          pack.tables, [](const MeasuredEntry& entry) { return entry.role == MeasuredRole::fitted; });
      if (pack.fitted && !any)
        decoder.fail(node.find("fitted")->position,
                     "no entry of \"tables\" has the role \"fitted\": mark the rows that the numbers were fitted to");
      const bool simulated = std::ranges::any_of(
          pack.tables, [](const MeasuredEntry& entry) { return entry.role != MeasuredRole::noted; });
      if (!pack.machine && simulated)
        decoder.fail(node.position, "\"machine\" is missing: simulated rows of \"tables\" need it");
      if (!pack.fitted && any)
        decoder.fail(node.position, "\"fitted\" is missing: \"tables\" has rows with the role \"fitted\"");
    });
    return t;
  }();
  return table;
}

} // namespace gradflight
