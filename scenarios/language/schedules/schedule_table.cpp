#include "scenarios/language/schedules/schedule_table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {
namespace {

constexpr int max_written_ranks = 100'000, max_written_blocks = 1'000'000;
constexpr std::int64_t max_ranks_times_blocks = 10'000'000;

Value<std::vector<int>> blocks_value() { return list(integer(0, max_written_blocks - 1)); }

const Table<WrittenSend>& send_table() {
  static const auto table = [] {
    Table<WrittenSend> t("schedule_send", "A message that a rank sends.");
    t.required("to", &WrittenSend::to, integer(0, max_written_ranks - 1), "The rank that receives it.");
    t.required("blocks", &WrittenSend::blocks, blocks_value(),
               "The blocks that it carries, as the sender has them when the step begins.");
    t.defaulted("wait", &WrittenSend::wait, boolean(),
                "true: the message starts when its receiver has reached the step that receives it. The step ends when "
                "everything that the rank has sent has arrived. false: the message starts at once, and the step does "
                "not wait for it.");
    return t;
  }();
  return table;
}

const Table<WrittenReceive>& receive_table() {
  static const auto table = [] {
    Table<WrittenReceive> t("schedule_receive", "A message that a rank receives.");
    t.required("from", &WrittenReceive::from, integer(0, max_written_ranks - 1),
               "The rank that sends it. Messages between two ranks arrive in the order of their steps.");
    t.required("blocks", &WrittenReceive::blocks, blocks_value(), "The blocks that it carries.");
    t.defaulted("reduce", &WrittenReceive::reduce, boolean(),
                "true: the blocks are added to those of the rank. false: they replace them.");
    return t;
  }();
  return table;
}

const Table<WrittenStep>& step_table() {
  static const auto table = [] {
    Table<WrittenStep> t("schedule_step", "A step of a rank: it sends, receives, or both at once.");
    t.maybe("send", &WrittenStep::send, object(send_table()), "The message to send. Absent: none.");
    t.maybe("receive", &WrittenStep::receive, object(receive_table()),
            "The message to wait for and combine. Absent: none.");
    return t;
  }();
  return table;
}

/// Checks the number of steps before their content.
Value<std::vector<std::vector<WrittenStep>>> steps_value() {
  using Steps = std::vector<std::vector<WrittenStep>>;
  auto value = list(list(object(step_table())), 1);
  value.read = [inner = value.read](const Node& node, Decoder& decoder) -> std::optional<Steps> {
    std::int64_t steps = 0;
    for (const Node& rank : node.items) steps += std::ssize(rank.items);
    if (steps <= max_written_steps) return inner(node, decoder);
    decoder.fail(node.position, fmt::format("{} steps are more than {}", steps, max_written_steps));
    return std::nullopt;
  };
  return value;
}

std::vector<std::string> operation_choices() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < operation_names.size(); ++i)
    if (can_be_written(static_cast<Operation>(i))) names.emplace_back(operation_names[i]);
  return names;
}

Value<Operation> operation_value() {
  const auto names = operation_choices();
  return mapped<std::size_t, Operation>(
      name_of("an operation", names), [names](std::size_t i) { return operation_named(names[i]).value(); },
      [names](Operation op) {
        std::size_t i = 0;
        while (names[i] != operation_name(op)) ++i;
        return i;
      });
}

/// Reports a mistake at the closest existing position in the document.
void tell(const WrittenMistake& mistake, const Node& node, Decoder& decoder) {
  std::string pointer = mistake.rank < 0 ? "" : fmt::format("/steps/{}", mistake.rank);
  if (mistake.step >= 0) pointer += fmt::format("/{}", mistake.step);
  if (!mistake.key.empty()) pointer += "/" + mistake.key;
  decoder.fail_at(locate(node, pointer).position, pointer, mistake.message);
}

/// Checks the consistency of a schedule; of its values, only the operation may be unknown.
void check(const WrittenSchedule& schedule, bool known, const Node& node, Decoder& decoder) {
  const auto fail = [&](const char* key, std::string message) {
    const Node* value = node.find(key);
    const auto step = decoder.into(key);
    decoder.fail(value == nullptr ? node.position : value->position, std::move(message));
  };
  const auto before = decoder.count();
  const std::int64_t parts = written_parts(schedule.operation, schedule.ranks);
  if (std::ssize(schedule.steps) != schedule.ranks)
    fail("steps",
         fmt::format("{} lists of steps for {} ranks; each rank has one", schedule.steps.size(), schedule.ranks));
  if (parts > max_written_blocks)
    fail("ranks", fmt::format("an alltoall of {} ranks has more than {} blocks", schedule.ranks, max_written_blocks));
  else if (known && schedule.blocks % parts != 0)
    fail("blocks", fmt::format("{} blocks are no multiple of {}, the parts of the vector in an {} of {} ranks",
                               schedule.blocks, parts, operation_name(schedule.operation), schedule.ranks));
  if (std::int64_t{schedule.ranks} * schedule.blocks > max_ranks_times_blocks)
    fail("blocks", fmt::format("{} ranks with {} blocks each are more than {} blocks", schedule.ranks, schedule.blocks,
                               max_ranks_times_blocks));
  if (known && schedule.root >= schedule.ranks)
    fail("root", fmt::format("rank {} does not exist; ranks are 0 to {}", schedule.root, schedule.ranks - 1));
  if (decoder.count() != before) return;
  for (const WrittenMistake& mistake : mistakes_in(schedule, known)) tell(mistake, node, decoder);
}

} // namespace

const Table<WrittenSchedule>& schedule_table() {
  static const auto table = [] {
    Table<WrittenSchedule> t("schedule", "A user-defined schedule of a process group (docs/collective.md).");
    t.info.by_path = true;
    t.info.kind = kind_field("schedule");
    t.required("operation", &WrittenSchedule::operation, operation_value(), "The collective operation.");
    t.required("ranks", &WrittenSchedule::ranks, integer(1, max_written_ranks), "Ranks of the group, numbered from 0.");
    t.custom<int>(
        "blocks", integer(1, max_written_blocks), [](WrittenSchedule& s, int blocks) { s.blocks = blocks; },
        [](const WrittenSchedule& s) { return std::optional(s.blocks); },
        "Number of blocks of the vector, numbered from 0. In an all_gather, gather, reduce_scatter or scatter, equally "
        "many belong to each rank, in order. In an alltoall, equally many belong to each pair, by sender and then "
        "receiver. Absent: one per rank, or per pair.");
    t.defaulted("root", &WrittenSchedule::root, integer(0, max_written_ranks - 1),
                "The rank that sends or gets everything.")
        .only([](const WrittenSchedule& s) { return has_root(s.operation); },
              "operation broadcast, reduce, gather or scatter");
    t.required("steps", &WrittenSchedule::steps, steps_value(), "For each rank, the list of its steps in order.");
    return t;
  }();
  return table;
}

Value<SharedSchedule> schedule_value() {
  auto value = mapped<WrittenSchedule, SharedSchedule>(
      object(schedule_table()),
      [](WrittenSchedule schedule) { return std::make_shared<const WrittenSchedule>(std::move(schedule)); },
      [](const SharedSchedule& schedule) { return *schedule; });
  value.read = [](const Node& node, Decoder& decoder) -> std::optional<SharedSchedule> {
    const auto before = decoder.count();
    WrittenSchedule schedule = schedule_table().read_partly(node, decoder);
    const Node* operation = node.find("operation");
    const bool known = operation != nullptr && operation->kind == Node::Kind::text &&
                       operation_named(operation->text) && can_be_written(*operation_named(operation->text));
    if (schedule.blocks == 0 && node.find("blocks") == nullptr)
      schedule.blocks = static_cast<int>(
          std::min<std::int64_t>(max_written_blocks, schedule.operation == Operation::alltoall
                                                         ? written_parts(schedule.operation, schedule.ranks)
                                                         : schedule.ranks));
    // Check all known values: with an unknown operation, messages and dependencies can still be checked.
    if (schedule.ranks > 0 && schedule.blocks > 0 && !schedule.steps.empty()) check(schedule, known, node, decoder);
    if (decoder.count() != before) return std::nullopt;
    return std::make_shared<const WrittenSchedule>(std::move(schedule));
  };
  return value;
}

} // namespace gradflight
