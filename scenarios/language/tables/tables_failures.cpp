#include "scenarios/language/tables/tables.hpp"

#include "scenarios/language/tables/node_numbers.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr int most_repeats = 10'000;

const Table<FailureRate>& rate_table() {
  static const auto table = [] {
    Table<FailureRate> t("failure_rate", "How often each component of a kind fails, and how long it is down.");
    t.required("mtbf", &FailureRate::mtbf, positive<Seconds>(),
               "Mean time to failure, from the start or the last repair.");
    t.maybe("mttr", &FailureRate::mttr, quantity<Seconds>(),
            "Mean time to repair. 0: it is up again at once. Absent: it stays down.");
    t.defaulted("distribution", &FailureRate::weibull,
                choice<bool>("a distribution", {{"exponential", false}, {"weibull", true}}),
                "Distribution of the time to failure. exponential: independent of age. weibull: early failures (shape "
                "below 1) or wear (shape above 1).");
    t.defaulted("shape", &FailureRate::shape, number(0.1, 100), "Shape of the Weibull distribution; 1 is exponential.")
        .only([](const FailureRate& r) { return r.weibull; }, "distribution weibull");
    t.defaulted("repair", &FailureRate::constant_repair,
                choice<bool>("a way to repair", {{"exponential", false}, {"constant", true}}),
                "The time to repair is drawn with mean mttr (exponential), or always equals mttr (constant).")
        .only([](const FailureRate& r) { return r.mttr.has_value(); }, "mttr");
    return t;
  }();
  return table;
}

void check_kinds(const FailureSpec& failures, const Node& written, Decoder& decoder) {
  for (const auto& rate : failures.rates)
    if (rate) return;
  decoder.fail(written.position, "\"failures\" needs \"nodes\", \"gpus\", \"nics\", \"links\" or \"switches\"");
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
  if (c.read && c.bytes) fail("read", "with \"bytes\", the checkpoint is read through the network: leave \"read\" out");
  if (c.bytes && c.to.empty()) decoder.fail(written.position, "\"bytes\" needs \"to\": the nodes that store it");
  if (!c.bytes && !c.to.empty()) fail("to", "\"to\" needs \"bytes\": the size of a checkpoint");
  if (!c.asynchronous && c.every_time && c.write && c.every_time->value() < c.write->value())
    fail("every", fmt::format("a checkpoint every {:.6g} s takes {:.6g} s to write: increase \"every\"",
                              c.every_time->value(), c.write->value()));
}

const Table<CheckpointSpec>& checkpoint_table() {
  static const auto table = [] {
    Table<CheckpointSpec> t("checkpoint", "The checkpoints from which a job restarts.");
    t.custom<CheckpointSpec>(
        "every", every_value(),
        [](CheckpointSpec& c, const CheckpointSpec& every) {
          c.every_iterations = every.every_iterations;
          c.every_time = every.every_time;
        },
        [](const CheckpointSpec& c) { return std::optional(c); },
        "Interval of checkpoints: a number of iterations, or a compute time. With a time, the first iteration that "
        "ends after it writes a checkpoint.");
    t.info.fields.back().required = true;
    t.maybe("write", &CheckpointSpec::write, quantity<Seconds>(),
            "Time to write a checkpoint. Absent: it follows from `bytes`.");
    t.maybe("read", &CheckpointSpec::read, quantity<Seconds>(),
            "Time to read a checkpoint on a restart. Absent: the same as writing.");
    t.maybe("bytes", &CheckpointSpec::bytes, positive<Bytes>(),
            "Size of a checkpoint. All ranks write and read equal parts of it through the network at once, with no "
            "other traffic. Absent: `write` gives the time.");
    t.custom<std::vector<int>>(
        "to", node_numbers(), [](CheckpointSpec& c, std::vector<int> nodes) { c.to = std::move(nodes); },
        [](const CheckpointSpec& c) { return c.to.empty() ? std::nullopt : std::optional(c.to); },
        "The nodes that store checkpoints, in turn: 4, [4, 5] or \"4-7\". Numbers beyond the platform's nodes and "
        "servers mean extra storage nodes, attached like servers.");
    t.defaulted("asynchronous", &CheckpointSpec::asynchronous, boolean(),
                "true: checkpoints are written while the job continues; the job waits only if the checkpoint before is "
                "not complete. A checkpoint is usable once it is complete.");
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
    kind("nodes", ComponentKind::node, "Failures of nodes, including servers: the NIC cables and GPUs of a node.");
    kind("gpus", ComponentKind::gpu, "Failures of GPUs: a GPU computes nothing, but its links stay up.");
    kind("nics", ComponentKind::nic, "Failures of NICs: both directions of the cable.");
    kind("links", ComponentKind::link, "Failures of cables of the network in both directions, including NIC cables.");
    kind("switches", ComponentKind::switch_,
         "Failures of switches (names as in \"changes\"): every link at the switch.");
    t.defaulted("seed", &FailureSpec::seed, integer64(0, 1'000'000'000'000'000),
                "Seed of the random draws; the same seed gives the same failures on every machine.");
    t.defaulted("repeats", &FailureSpec::repeats, integer(1, most_repeats),
                "Number of simulated lifetimes, with seed, seed + 1, ... The result has the median, 10th and 90th "
                "percentile of their goodput; everything else is of the first.");
    t.finally(check_kinds);
    return t;
  }();
  return table;
}

const Table<RecoverySpec>& recovery_table() {
  static const auto table = [] {
    Table<RecoverySpec> t("recovery", "How the job recovers from failures (docs/failures.md).");
    t.defaulted(
        "policy", &RecoverySpec::policy,
        choice<RecoveryPolicy>("a policy", {{"wait", RecoveryPolicy::wait},
                                            {"resend", RecoveryPolicy::resend},
                                            {"reroute", RecoveryPolicy::reroute},
                                            {"restart", RecoveryPolicy::restart}}),
        "wait: messages under way wait for the repair and continue; each message is simulated. resend: messages on a "
        "link that goes down are lost, and sent again once it is up. reroute: lost messages, and later ones until the "
        "link is up, take the next route of least latency (fat trees, tori, dragonflies, graphs). restart: any failure "
        "ends the job, which restarts from its last checkpoint; iterations are assumed to repeat.");
    const std::string condition = "policy restart";
    t.maybe("checkpoint", &RecoverySpec::checkpoint, object(checkpoint_table()),
            "Checkpoints of the job. Absent: the job restarts from its beginning.")
        .only(restarts, condition);
    t.defaulted("detection", &RecoverySpec::detection, quantity<Seconds>(), "Time from a failure to its detection.")
        .only(detects, "policy resend, reroute or restart");
    t.defaulted("restart", &RecoverySpec::restart, quantity<Seconds>(),
                "Time to restart the job, before it reads its checkpoint.")
        .only(restarts, condition);
    t.defaulted("spares", &RecoverySpec::spares, integer(0, static_cast<int>(max_ranks)),
                "Number of spare nodes. A spare replaces a node that failed, or that has a failed GPU or NIC; the "
                "repaired node becomes a spare. Without a spare, the job waits until this node or a spare is repaired.")
        .only(restarts, condition);
    t.maybe("least_nodes", &RecoverySpec::least_nodes, integer(1, static_cast<int>(max_ranks)),
            "Least number of nodes to run on. If no spare is left, the job restarts on the remaining nodes, and takes "
            "one more after each repair. Each rank keeps its batch, so a step on fewer nodes trains fewer samples. "
            "Absent: the job waits for the repair.")
        .only(restarts, condition);
    return t;
  }();
  return table;
}

} // namespace gradflight
