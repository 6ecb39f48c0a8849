#include "scenarios/language/tables/training/training_tables.hpp"

#include "models/schedules/parts/collective.hpp"
#include "scenarios/language/schedules/schedule_table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace gradflight {
namespace {

constexpr int max_staleness = 1'000'000;

const Table<HierarchyLevel>& hierarchy_level_table() {
  static const auto table = [] {
    Table<HierarchyLevel> t("hierarchy_level", "One level of groups of a hierarchical exchange.");
    t.required("group_size", &HierarchyLevel::group_size, integer(1, max_ranks),
               "Members of a group; the last group may be smaller. If it exceeds the number of members, all form one "
               "group, so a sweep may include small clusters.");
    t.defaulted(
        "reduce", &HierarchyLevel::reduce,
        choice<GroupReduce>("a way to reduce within a group", {{"ring", GroupReduce::ring},
                                                               {"flat", GroupReduce::flat},
                                                               {"binomial", GroupReduce::binomial},
                                                               {"allreduce", GroupReduce::allreduce}}),
        "How a group sends its sum to its master. ring: reduce-scatter, then gather. flat: every member sends to the "
        "master. binomial: a tree. allreduce: a ring after which every member has the sum (INCEPTIONN Fig. 1).");
    t.defaulted("broadcast", &HierarchyLevel::broadcast,
                choice<GroupBroadcast>("a way to broadcast within a group", {{"flat", GroupBroadcast::flat},
                                                                             {"binomial", GroupBroadcast::binomial},
                                                                             {"ring", GroupBroadcast::ring}}),
                "How the master distributes the result. ring: scatter, then an all-gather ring.");
    t.custom<bool>(
        "aggregator", choice<bool>("a kind of aggregator", {{"member", false}, {"dedicated", true}}),
        [](HierarchyLevel& level, bool dedicated) { level.dedicated = dedicated; },
        [](const HierarchyLevel& level) { return std::optional(level.dedicated); },
        "member: the master is a member of its group. dedicated: it is an extra node beyond those of the platform.");
    t.info.fields.back().default_text = "\"member\"";
    return t;
  }();
  return table;
}

using RowFilter = bool (*)(const Collective&);

constexpr RowFilter by_levels = [](const Collective& row) { return row.keys.levels; };
constexpr RowFilter by_groups = [](const Collective& row) { return row.keys.levels || row.keys.sharded; };
constexpr RowFilter pulls = [](const Collective& row) { return row.keys.servers || row.keys.sharded; };
constexpr RowFilter in_pieces = [](const Collective& row) { return row.keys.pieces; };
constexpr RowFilter gathers = [](const Collective& row) { return row.keys.all_gather; };
constexpr RowFilter of_lists = [](const Collective& row) { return row.unit == Unit::lists; };
constexpr RowFilter by_name = [](const Collective& row) { return !row.keys.written; };
constexpr RowFilter among_masters = [](const Collective& row) { return row.among_masters != nullptr; };

/// Whether `wanted` holds for the collective of an exchange.
auto is(RowFilter wanted) {
  return [wanted](const ExchangeSpec& e) { return wanted(collective(e.algorithm)); };
}
/// Returns "algorithm topk_allgather or gtopk".
std::string algorithm_of(RowFilter wanted) { return "algorithm " + collective_names(wanted); }

Value<Algorithm> algorithm_choice(std::string noun, RowFilter wanted) {
  std::vector<std::string> names;
  std::vector<Algorithm> values;
  for (std::size_t i = 0; i < collectives().size(); ++i) {
    if (!wanted(collectives()[i])) continue;
    const Collective& row = collectives()[i];
    for (const std::string_view name : {row.name, row.alias}) {
      if (name.empty()) continue;
      names.emplace_back(name);
      values.push_back(static_cast<Algorithm>(i));
    }
  }
  return mapped<std::size_t, Algorithm>(
      name_of(std::move(noun), std::move(names)), [values](std::size_t i) { return values[i]; },
      [values](Algorithm a) { return static_cast<std::size_t>(std::ranges::find(values, a) - values.begin()); });
}

std::string algorithm_documentation() {
  std::string doc = "The schedule of the exchange. Each works for any number of ranks; other keys of this object apply "
                    "to some schedules only.";
  for (const Collective& row : collectives()) {
    doc += fmt::format(" {}: {}.", row.name, row.documentation);
    if (!row.alias.empty()) doc += fmt::format(" {}: the same as {}.", row.alias, row.name);
  }
  return doc;
}

/// An algorithm in JSON: its name, or a file with a schedule.
struct AlgorithmForm {
  Algorithm algorithm = Algorithm::ring;
  SharedSchedule written{};
};

const Table<AlgorithmForm>& written_table() {
  static const auto table = [] {
    Table<AlgorithmForm> t("written_algorithm", "A user-defined schedule instead of the name of an algorithm.");
    t.info.has_rows = true;
    t.required("file", &AlgorithmForm::written, schedule_value(),
               "The path of a file with an all_reduce of as many ranks as the job has, or the schedule itself.");
    return t;
  }();
  return table;
}

Value<AlgorithmForm> algorithm_value() {
  auto named = mapped<Algorithm, AlgorithmForm>(
      algorithm_choice("an algorithm", by_name),
      [](Algorithm algorithm) {
        return AlgorithmForm{algorithm, {}};
      },
      [](const AlgorithmForm& form) { return form.algorithm; });
  auto written = mapped<AlgorithmForm, AlgorithmForm>(
      object(written_table()),
      [](AlgorithmForm form) {
        form.algorithm = written_algorithm();
        return form;
      },
      [](const AlgorithmForm& form) { return form; });
  return either<AlgorithmForm>(std::move(named), std::move(written), is_text,
                               [](const AlgorithmForm& form) { return form.written == nullptr; });
}

void server_fields(Table<ExchangeSpec>& t) {
  const auto server = is(by_servers);
  const std::string condition = algorithm_of(by_servers);
  t.defaulted("servers", &ExchangeSpec::servers, integer(1, max_ranks),
              "Parameter servers; each holds an equal contiguous part of the model.")
      .only(server, condition);
  t.defaulted("colocated", &ExchangeSpec::colocated, boolean(),
              "Server i runs on the node of rank i instead of an extra node.")
      .only(server, condition);
  t.defaulted("pull", &ExchangeSpec::pull,
              choice<Pull>("a way to pull", {{"flat", Pull::flat}, {"binomial", Pull::binomial}}),
              "How the updated model returns: from the server to each worker, or along a binomial tree.")
      .only(server, condition);
  t.defaulted(
       "pull_at", &ExchangeSpec::pull_at,
       choice<PullAt>("a time to pull", {{"once", PullAt::once}, {"first_use", PullAt::first_use}}),
       "When updated parameters return. once: as soon as they are updated. first_use: when the next forward pass "
       "needs them (3LC Sec. 2.1). Stage 3 of a sharded exchange gathers them at each use.")
      .only([](const ExchangeSpec& e) { return is(pulls)(e) && !(is_sharded(e) && e.sharded.stage == 3); },
            algorithm_of(by_servers) + ", or sharded and stage 1 or 2");
  t.defaulted("consistency", &ExchangeSpec::consistency,
              choice<Consistency>("a consistency", {{"synchronous", Consistency::synchronous},
                                                    {"asynchronous", Consistency::asynchronous},
                                                    {"bounded_staleness", Consistency::bounded_staleness}}),
              "synchronous: the server waits for all workers. asynchronous: it updates with each gradient as it "
              "arrives. bounded_staleness: like asynchronous, but no worker may run too far ahead of the slowest.")
      .only(server, condition);
  t.required("staleness_bound", &ExchangeSpec::staleness_bound, integer(0, max_staleness),
             "How many iterations a worker may be ahead of the slowest.")
      .only([](const ExchangeSpec& e) { return e.consistency == Consistency::bounded_staleness; },
            "consistency bounded_staleness");
  t.defaulted("backup_workers", &ExchangeSpec::backup_workers, integer(0, max_ranks),
              "The server does not wait for this many of the slowest gradients of an iteration; they are dropped.")
      .only([server](const ExchangeSpec& e) { return server(e) && e.consistency == Consistency::synchronous; },
            condition + " and consistency synchronous");
}

void sharded_fields(Table<ExchangeSpec>& t) {
  const auto in_shards = is(by_shards);
  const std::string condition = algorithm_of(by_shards);
  const auto at = [](auto member) {
    return [member](auto& e) -> auto& { return e.sharded.*member; };
  };
  t.defaulted(
       "stage", at(&ShardedSpec::stage), integer(1, 3),
       "What is sharded (ZeRO). 1: the optimiser's state; gradients are scattered once a step. 2: gradients, too: "
       "they are scattered after each mini-batch. 3: parameters, too (FSDP): they are gathered for each pass.")
      .only(in_shards, condition);
  t.maybe("library", at(&ShardedSpec::library), algorithm_choice("a library", by_library),
          "The library that scatters and gathers; it chooses the algorithm by size. Absent: the schedules in "
          "reduce_scatter and all_gather.")
      .only(in_shards, condition);
  const auto scheduled = [in_shards](const ExchangeSpec& e) { return in_shards(e) && !e.sharded.library; };
  t.defaulted("reduce_scatter", at(&ShardedSpec::reduce_scatter),
              choice<ReduceScatter>("a way to scatter", {{"ring", ReduceScatter::ring},
                                                         {"recursive_halving", ReduceScatter::recursive_halving}}),
              "How gradients are reduced so that each rank gets the sum of its shard. recursive_halving: few rounds "
              "with shrinking messages.")
      .only(scheduled, condition + " without library");
  const auto of_parameters = [in_shards](const ExchangeSpec& e) { return in_shards(e) && e.sharded.stage == 3; };
  t.defaulted("prefetch", at(&ShardedSpec::prefetch), integer(0, 1'000'000),
              "How many vectors of parameters are gathered ahead of the layer that computes. 0: parameters are "
              "gathered only when their layer begins.")
      .only(of_parameters, condition + " and stage 3");
  t.defaulted("reshard_after_forward", at(&ShardedSpec::reshard_after_forward), boolean(),
              "true: parameters are freed after a layer's forward pass and gathered again for its backward pass. "
              "false: they stay until its backward pass has ended.")
      .only(of_parameters, condition + " and stage 3");
  t.defaulted(
       "no_sync", at(&ShardedSpec::no_sync), boolean(),
       "true: whole gradients are accumulated over the mini-batches of a step and scattered once, after the last one.")
      .only([in_shards](const ExchangeSpec& e) { return in_shards(e) && e.sharded.stage > 1; },
            condition + " and stage 2 or 3");
}

void hierarchy_fields(Table<ExchangeSpec>& t) {
  const auto hierarchical = is(by_levels);
  const std::string condition = algorithm_of(by_levels);
  t.custom<std::vector<HierarchyLevel>>(
       "levels", list(object(hierarchy_level_table()), 1),
       [](ExchangeSpec& e, std::vector<HierarchyLevel> levels) { e.levels = std::move(levels); },
       [](const ExchangeSpec& e) { return std::optional(e.levels); },
       "The levels: groups of ranks, then groups of their masters, and so on. Required unless group_size is given.")
      .only(hierarchical, condition);
  t.custom<int>(
       "group_size", integer(1, max_ranks),
       [](ExchangeSpec& e, int size) {
         if (is_sharded(e))
           e.sharded.group_size = size;
         else
           e.levels = {HierarchyLevel{.group_size = size}};
       },
       [](const ExchangeSpec& e) {
         const bool groups = is_sharded(e) && e.sharded.group_size > 0;
         return groups ? std::optional(e.sharded.group_size) : std::nullopt;
       },
       "hierarchical: short for one level of groups of this size with default settings. sharded: this many consecutive "
       "ranks share the shards (hybrid sharding). Ranks with the same shard reduce it across groups. Absent: all ranks "
       "are one group.")
      .only(
          [](const ExchangeSpec& e) {
            return is(by_groups)(e) && (is_sharded(e) ? !e.sharded.library : e.levels.empty());
          },
          condition + " without levels, or sharded without library");
  t.defaulted("top", &ExchangeSpec::top, algorithm_choice("an algorithm among masters", among_masters),
              "The algorithm among the masters of the last level, or among ranks with the same shard across groups. "
              "parameter_server: the first of them gathers and sends back.")
      .only([](const ExchangeSpec& e) { return is(by_groups)(e) && (!is_sharded(e) || e.sharded.group_size > 0); },
            condition + ", or sharded and group_size");
}

} // namespace

const Table<ExchangeSpec>& exchange_table() {
  static const auto table = [] {
    Table<ExchangeSpec> t("exchange", "How the ranks exchange their gradients.");
    t.info.decided_by = "algorithm";
    t.custom<AlgorithmForm>(
        "algorithm", algorithm_value(),
        [](ExchangeSpec& e, AlgorithmForm form) {
          e.algorithm = form.algorithm;
          e.written = std::move(form.written);
          if (is_sharded(e)) e.all_gather = AllGather::ring; // default; the key "all_gather" may change it
        },
        [](const ExchangeSpec& e) {
          return std::optional(AlgorithmForm{e.algorithm, e.written});
        },
        algorithm_documentation());
    t.info.fields.back().required = t.info.fields.back().one_choice = true;
    t.defaulted("pieces", &ExchangeSpec::pieces, integer(1, max_ranks),
                "Number of pieces of each block. A piece is reduced while the next one is sent (Pipe-SGD Fig. 3).")
        .only(is(in_pieces), algorithm_of(in_pieces));
    sharded_fields(t);
    server_fields(t);
    t.custom<bool>(
         "barrier", boolean(), [](ExchangeSpec& e, bool barrier) { e.barrier = barrier; },
         [](const ExchangeSpec& e) { return e.barrier ? std::optional(true) : std::nullopt; },
         "true: no worker sends data of an exchange before every worker has reached it, as after an MPI_Barrier that "
         "takes no time. Absent: false.")
        .only([](const ExchangeSpec& e) { return !reactive(e); }, "synchronous exchanges without backup workers");
    hierarchy_fields(t);
    const auto selects = is(of_lists);
    t.defaulted("density", &ExchangeSpec::density, number(0, 1, true),
                "The share of the gradient's elements that is sent; an entry takes 8 bytes.")
        .only(selects, algorithm_of(of_lists));
    t.maybe("merge_bandwidth", &ExchangeSpec::merge_bandwidth, positive<ByteRate>(),
            "Bytes of received entries merged per second. Absent: merging is free.")
        .only(selects, algorithm_of(of_lists));
    t.defaulted("all_gather", &ExchangeSpec::all_gather,
                choice<AllGather>("a way to gather",
                                  {{"recursive_doubling", AllGather::recursive_doubling}, {"ring", AllGather::ring}}),
                "recursive_doubling: few rounds with growing messages (Bruck's algorithm unless p is a power of two). "
                "ring: each list or shard passes around the ring, as in MPI libraries for long messages. Default of a "
                "sharded exchange: ring.")
        .only([](const ExchangeSpec& e) { return is(gathers)(e) && !e.sharded.library; },
              algorithm_of(gathers) + " without library");
    t.finally([](const ExchangeSpec& e, const Node& written, Decoder& decoder) {
      if (is(by_levels)(e) && e.levels.empty())
        decoder.fail(written.position, algorithm_of(by_levels) + " needs \"group_size\" or \"levels\"");
    });
    return t;
  }();
  return table;
}

} // namespace gradflight
