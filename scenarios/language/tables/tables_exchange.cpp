#include "scenarios/language/tables/tables_exchange.hpp"

namespace gradflight {
namespace {

constexpr int max_staleness = 1'000'000;

const Table<HierarchyLevel>& level_table() {
  static const auto table = [] {
    Table<HierarchyLevel> t("hierarchy_level", "One level of groups of a hierarchical exchange.");
    t.required("group_size", &HierarchyLevel::group_size, integer(1, max_ranks),
               "Members of a group; the last group may be smaller.");
    t.defaulted(
        "reduce", &HierarchyLevel::reduce,
        choice<GroupReduce>("a way to reduce within a group", {{"ring", GroupReduce::ring},
                                                               {"flat", GroupReduce::flat},
                                                               {"binomial", GroupReduce::binomial},
                                                               {"allreduce", GroupReduce::allreduce}}),
        "How a group hands its sum to its master. ring: reduce-scatter, then gather. flat: everyone sends to the "
        "master. binomial: a tree. allreduce: a ring after which every member has the sum (INCEPTIONN Fig. 1).");
    t.defaulted("broadcast", &HierarchyLevel::broadcast,
                choice<GroupBroadcast>("a way to broadcast within a group", {{"flat", GroupBroadcast::flat},
                                                                             {"binomial", GroupBroadcast::binomial},
                                                                             {"ring", GroupBroadcast::ring}}),
                "How the master hands the result back. ring: scatter, then an all-gather ring.");
    t.custom<bool>(
        "aggregator", choice<bool>("a kind of aggregator", {{"member", false}, {"dedicated", true}}),
        [](HierarchyLevel& level, bool dedicated) { level.dedicated = dedicated; },
        [](const HierarchyLevel& level) { return std::optional(level.dedicated); },
        "The master is a member of its group, or a node of its own on top of the platform's nodes.");
    t.info.fields.back().default_text = "\"member\"";
    return t;
  }();
  return table;
}

auto is(Algorithm wanted) {
  return [wanted](const ExchangeSpec& e) { return e.algorithm == wanted; };
}

void server_fields(Table<ExchangeSpec>& t) {
  const auto server = is(Algorithm::parameter_server);
  const std::string condition = "algorithm parameter_server";
  t.defaulted("servers", &ExchangeSpec::servers, integer(1, max_ranks),
              "Parameter servers; each holds an equal contiguous part of the model.")
      .only(server, condition);
  t.defaulted("colocated", &ExchangeSpec::colocated, boolean(),
              "Server i lives on rank i's place instead of a node of its own.")
      .only(server, condition);
  t.defaulted("pull", &ExchangeSpec::pull,
              choice<Pull>("a way to pull", {{"flat", Pull::flat}, {"binomial", Pull::binomial}}),
              "How the updated model returns: from the server to each worker, or along a binomial tree.")
      .only(server, condition);
  t.defaulted("pull_at", &ExchangeSpec::pull_at,
              choice<PullAt>("a time to pull", {{"once", PullAt::once}, {"first_use", PullAt::first_use}}),
              "once: as soon as the server has updated. first_use: when the next forward pass needs it (3LC Sec. 2.1).")
      .only(server, condition);
  t.defaulted("consistency", &ExchangeSpec::consistency,
              choice<Consistency>("a consistency", {{"synchronous", Consistency::synchronous},
                                                    {"asynchronous", Consistency::asynchronous},
                                                    {"bounded_staleness", Consistency::bounded_staleness}}),
              "synchronous: the server waits for all workers. asynchronous: it updates with each gradient as it comes. "
              "bounded_staleness: so, but nobody runs too far ahead.")
      .only(server, condition);
  t.required("staleness_bound", &ExchangeSpec::staleness_bound, integer(0, max_staleness),
             "How many iterations a worker may be ahead of the slowest.")
      .only([](const ExchangeSpec& e) { return e.consistency == Consistency::bounded_staleness; },
            "consistency bounded_staleness");
  t.defaulted("backup_workers", &ExchangeSpec::backup_workers, integer(0, max_ranks),
              "The server goes on without the last this many gradients of an iteration; they are dropped.")
      .only([server](const ExchangeSpec& e) { return server(e) && e.consistency == Consistency::synchronous; },
            "algorithm parameter_server with consistency synchronous");
}

void hierarchy_fields(Table<ExchangeSpec>& t) {
  const auto hierarchical = is(Algorithm::hierarchical);
  t.custom<std::vector<HierarchyLevel>>(
       "levels", list(object(level_table()), 1),
       [](ExchangeSpec& e, std::vector<HierarchyLevel> levels) { e.levels = std::move(levels); },
       [](const ExchangeSpec& e) { return std::optional(e.levels); },
       "Groups of ranks, then groups of their masters, and so on. Needed unless group_size stands for it.")
      .only(hierarchical, "algorithm hierarchical");
  t.custom<int>(
       "group_size", integer(1, max_ranks),
       [](ExchangeSpec& e, int size) { e.levels = {HierarchyLevel{.group_size = size}}; },
       [](const ExchangeSpec&) -> std::optional<int> { return std::nullopt; },
       "Short for one level of groups of this size with all else at its default.")
      .only([hierarchical](const ExchangeSpec& e) { return hierarchical(e) && e.levels.empty(); },
            "algorithm hierarchical without levels");
  t.defaulted("top", &ExchangeSpec::top,
              choice<Algorithm>("an algorithm among masters", {{"ring", Algorithm::ring},
                                                               {"recursive_doubling", Algorithm::recursive_doubling},
                                                               {"halving_doubling", Algorithm::halving_doubling},
                                                               {"binomial_tree", Algorithm::binomial_tree},
                                                               {"parameter_server", Algorithm::parameter_server}}),
              "What the masters of the last level do among themselves. parameter_server: the first of them gathers and "
              "sends back.")
      .only(hierarchical, "algorithm hierarchical");
}

} // namespace

const Table<ExchangeSpec>& exchange_table() {
  static const auto table = [] {
    Table<ExchangeSpec> t("exchange", "How the ranks exchange their gradients.");
    t.required("algorithm", &ExchangeSpec::algorithm,
               choice<Algorithm>("an algorithm", {{"parameter_server", Algorithm::parameter_server},
                                                  {"ring", Algorithm::ring},
                                                  {"recursive_doubling", Algorithm::recursive_doubling},
                                                  {"halving_doubling", Algorithm::halving_doubling},
                                                  {"binomial_tree", Algorithm::binomial_tree},
                                                  {"hierarchical", Algorithm::hierarchical},
                                                  {"topk_allgather", Algorithm::topk_allgather},
                                                  {"gtopk", Algorithm::gtopk}}),
               "The schedule; each takes any number of ranks. The other keys here belong to some of them.");
    t.defaulted("pieces", &ExchangeSpec::pieces, integer(1, max_ranks),
                "Each block travels in this many pieces, reduced while the next is under way (Pipe-SGD Fig. 3).")
        .only(is(Algorithm::ring), "algorithm ring");
    t.custom<bool>(
         "barrier", boolean(), [](ExchangeSpec& e, bool barrier) { e.barrier = barrier; },
         [](const ExchangeSpec& e) { return e.barrier ? std::optional(true) : std::nullopt; },
         "No worker sends anything of an exchange before every worker has come to it (an MPI_Barrier, free in itself): "
         "nothing flows while the slowest computes. Absent: false.")
        .only(
            [](const ExchangeSpec& e) {
              return e.algorithm != Algorithm::parameter_server ||
                     (e.consistency == Consistency::synchronous && e.backup_workers == 0);
            },
            "synchronous exchanges without backup workers");
    server_fields(t);
    hierarchy_fields(t);
    const auto selects = [](const ExchangeSpec& e) {
      return e.algorithm == Algorithm::topk_allgather || e.algorithm == Algorithm::gtopk;
    };
    t.defaulted("density", &ExchangeSpec::density, number(0, 1, true),
                "The share of the gradient's elements that is sent; an entry takes 8 bytes.")
        .only(selects, "algorithm topk_allgather or gtopk");
    t.maybe("merge_bandwidth", &ExchangeSpec::merge_bandwidth, positive<ByteRate>(),
            "Bytes of received entries merged per second. Absent: merging is free.")
        .only(selects, "algorithm topk_allgather or gtopk");
    t.defaulted("all_gather", &ExchangeSpec::all_gather,
                choice<AllGather>("a way to gather",
                                  {{"recursive_doubling", AllGather::recursive_doubling}, {"ring", AllGather::ring}}),
                "recursive_doubling: few rounds of growing messages (Bruck's algorithm unless p is a power of two). "
                "ring: each list goes round, as MPI libraries gather long ones.")
        .only(is(Algorithm::topk_allgather), "algorithm topk_allgather");
    t.finally([](const ExchangeSpec& e, const Node& written, Decoder& decoder) {
      if (e.algorithm == Algorithm::hierarchical && e.levels.empty())
        decoder.fail(written.position, "algorithm hierarchical needs \"group_size\" or \"levels\"");
    });
    return t;
  }();
  return table;
}

} // namespace gradflight
