#include "scenarios/language/tables/tables_failures.hpp"

#include "scenarios/language/tables/node_numbers.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr int most_repeats = 10'000;

const Table<FailureRate>& rate_table() {
  static const auto table = [] {
    Table<FailureRate> t("failure_rate", "How often each thing of a kind fails, and how long it is down.");
    t.required("mtbf", &FailureRate::mtbf, positive<Seconds>(),
               "Mean time from when it is up (new, or repaired) to its failure.");
    t.maybe("mttr", &FailureRate::mttr, quantity<Seconds>(),
            "Mean time to its repair. 0: it is up again at once. Absent: it stays down.");
    t.defaulted("distribution", &FailureRate::weibull,
                choice<bool>("a distribution", {{"exponential", false}, {"weibull", true}}),
                "Of the time to fail. exponential: whatever its age. weibull: it fails early (shape below 1) or of age "
                "(above 1).");
    t.defaulted("shape", &FailureRate::shape, number(0.1, 100), "Weibull's; 1 is exponential.")
        .only([](const FailureRate& r) { return r.weibull; }, "distribution weibull");
    t.defaulted("repair", &FailureRate::constant_repair,
                choice<bool>("a way to repair", {{"exponential", false}, {"constant", true}}),
                "The time to repair: drawn around mttr, or mttr itself.")
        .only([](const FailureRate& r) { return r.mttr.has_value(); }, "mttr");
    return t;
  }();
  return table;
}

void check_kinds(const FailureSpec& failures, const Node& written, Decoder& decoder) {
  for (const auto& rate : failures.rates)
    if (rate) return;
  decoder.fail(written.position, "nothing fails here: it needs nodes, gpus, nics, links or switches");
}

bool restarts(const RecoverySpec& r) { return r.policy == RecoveryPolicy::restart; }
bool detects(const RecoverySpec& r) { return r.policy != RecoveryPolicy::wait; }

/// A number of iterations, or a time.
Value<CheckpointSpec> every_value() {
  auto iterations = mapped<std::int64_t, CheckpointSpec>(
      integer64(1, max_iterations),
      [](std::int64_t n) {
        CheckpointSpec c;
        c.every_iterations = n;
        return c;
      },
      [](const CheckpointSpec& c) { return c.every_iterations; });
  auto time = mapped<Seconds, CheckpointSpec>(
      positive<Seconds>(),
      [](Seconds s) {
        CheckpointSpec c;
        c.every_time = s;
        return c;
      },
      [](const CheckpointSpec& c) { return c.every_time.value_or(Seconds(0)); });
  return either<CheckpointSpec>(iterations, time, is_number,
                                [](const CheckpointSpec& c) { return !c.every_time.has_value(); });
}

void check_checkpoint(const CheckpointSpec& c, const Node& written, Decoder& decoder) {
  const auto fail = [&](const char* key, const std::string& message) {
    const auto step = decoder.into(key);
    const Node* value = written.find(key);
    decoder.fail(value != nullptr ? value->position : written.position, message);
  };
  if (c.write.has_value() == c.bytes.has_value())
    decoder.fail(written.position, "a checkpoint needs either \"write\" (and \"read\"), or \"bytes\" with \"to\"");
  if (c.read && c.bytes) fail("read", "with \"bytes\" it is read through the network: leave \"read\" out");
  if (c.bytes && c.to.empty()) decoder.fail(written.position, "\"bytes\" needs \"to\": the nodes that store it");
  if (!c.bytes && !c.to.empty()) fail("to", "it needs \"bytes\": how much goes to these nodes");
  if (c.every_time && c.write && c.every_time->value() < c.write->value())
    fail("every", fmt::format("a checkpoint every {:.6g} s takes longer to write, {:.6g} s: write one less often",
                              c.every_time->value(), c.write->value()));
}

const Table<CheckpointSpec>& checkpoint_table() {
  static const auto table = [] {
    Table<CheckpointSpec> t("checkpoint", "What a job starts again from.");
    t.custom<CheckpointSpec>(
        "every", every_value(),
        [](CheckpointSpec& c, const CheckpointSpec& every) {
          c.every_iterations = every.every_iterations;
          c.every_time = every.every_time;
        },
        [](const CheckpointSpec& c) { return std::optional(c); },
        "Written after so many iterations, or after the first one that ends so long a time of computing after the last "
        "checkpoint.");
    t.info.fields.back().required = true;
    t.maybe("write", &CheckpointSpec::write, quantity<Seconds>(), "How long writing takes. Absent: `bytes` say it.");
    t.maybe("read", &CheckpointSpec::read, quantity<Seconds>(),
            "How long reading takes when the job starts again. Absent: as long as writing.");
    t.maybe("bytes", &CheckpointSpec::bytes, positive<Bytes>(),
            "Its size: each rank writes, and reads, an equal part through the network, all at once and with nothing "
            "else on it. Absent: `write` says how long it takes.");
    t.custom<std::vector<int>>(
        "to", node_numbers(), [](CheckpointSpec& c, std::vector<int> nodes) { c.to = std::move(nodes); },
        [](const CheckpointSpec& c) { return c.to.empty() ? std::nullopt : std::optional(c.to); },
        "The nodes that store it, in turn; numbers beyond the platform's nodes and servers are storage nodes of their "
        "own, attached as servers are: 4, [4, 5] or \"4-7\".");
    t.defaulted("asynchronous", &CheckpointSpec::asynchronous, boolean(),
                "Written while the job goes on; it stands still only where the one before is not written yet. A "
                "checkpoint holds once it is written whole.");
    t.finally(check_checkpoint);
    return t;
  }();
  return table;
}

} // namespace

const Table<FailureSpec>& failures_table() {
  static const auto table = [] {
    Table<FailureSpec> t("failures", "What fails, and how often (docs/failures.md).");
    const auto kind = [&t](const char* key, ComponentKind of, const std::string& doc) {
      t.custom<FailureRate>(
          key, object(rate_table()), [of](FailureSpec& f, const FailureRate& rate) { f.at(of) = rate; },
          [of](const FailureSpec& f) { return f.at(of); }, doc + " Absent: none fails.");
    };
    kind("nodes", ComponentKind::node, "Each machine, servers' included: its NICs' cables and its GPUs.");
    kind("gpus", ComponentKind::gpu, "Each GPU: it computes nothing; its links stay.");
    kind("nics", ComponentKind::nic, "Each NIC: both directions of its cable.");
    kind("links", ComponentKind::link, "Each cable of the network, both directions; NICs' cables, too.");
    kind("switches", ComponentKind::switch_, "Each switch, as \"changes\" names them: every link at it.");
    t.defaulted("seed", &FailureSpec::seed, integer64(0, 1'000'000'000'000'000),
                "Of what is drawn; the same seed gives the same failures on every machine.");
    t.defaulted("repeats", &FailureSpec::repeats, integer(1, most_repeats),
                "So many lifetimes, with seed, seed + 1, ...: the result has the median, 10th and 90th percentile of "
                "their goodput, and all else of the first.");
    t.finally(check_kinds);
    return t;
  }();
  return table;
}

const Table<RecoverySpec>& recovery_table() {
  static const auto table = [] {
    Table<RecoverySpec> t("recovery", "What is done about failures (docs/failures.md).");
    t.defaulted(
        "policy", &RecoverySpec::policy,
        choice<RecoveryPolicy>("a policy", {{"wait", RecoveryPolicy::wait},
                                            {"resend", RecoveryPolicy::resend},
                                            {"reroute", RecoveryPolicy::reroute},
                                            {"restart", RecoveryPolicy::restart}}),
        "wait: what is under way waits for the repair and goes on, each message of it simulated. resend: messages on a "
        "link that goes down are lost, and sent again once it is up. reroute: likewise, but by the next way of least "
        "latency, and so is what follows until the link is up (fat trees, tori, dragonflies, graphs). restart: any "
        "failure ends the job, which starts again from its last checkpoint; iterations repeat.");
    const std::string condition = "policy restart";
    t.maybe("checkpoint", &RecoverySpec::checkpoint, object(checkpoint_table()),
            "Absent: the job starts again from its beginning.")
        .only(restarts, condition);
    t.defaulted("detection", &RecoverySpec::detection, quantity<Seconds>(), "From a failure to when it is noticed.")
        .only(detects, "policy resend, reroute or restart");
    t.defaulted("restart", &RecoverySpec::restart, quantity<Seconds>(),
                "To start the job again, before it reads its checkpoint.")
        .only(restarts, condition);
    t.defaulted("spares", &RecoverySpec::spares, integer(0, static_cast<int>(max_ranks)),
                "Nodes that stand by: one takes the place of a node that failed, or whose GPU or NIC did, until it is "
                "repaired and stands by itself. Without one the job waits for the repair.")
        .only(restarts, condition);
    t.maybe(
         "least_nodes", &RecoverySpec::least_nodes, integer(1, static_cast<int>(max_ranks)),
         "Where no spare stands by the job starts again on the nodes that are left, so many at least, and on one more "
         "whenever one is repaired; each rank keeps its batch, so that a step on fewer nodes does less. Absent: it "
         "waits for the repair.")
        .only(restarts, condition);
    return t;
  }();
  return table;
}

} // namespace gradflight
