// The catalogue of collectives: a row contains all that the program knows of a collective, and other code asks the row.
// Training uses a collective as the exchange of its gradients, `collective` and libraries as an operation of a process
// group. A row serves one of these or both.
//
// To add one: write a file with its schedule and closed form, and add a row in catalogue.cpp. For operations, the file
// is in models/schedules/operations. A row that serves all_reduce is an exchange, too, if its form is CallForm. Tests
// of schedules and forms cover all rows.
//
// An exchange that is not an all-reduce has its file in models/schedules/algorithms (ring.hpp is an example), and a
// textbook's formula in tests/models/schedules/textbook.cpp. Without a form yet, give NoForm with the reason. A name in
// Algorithm is needed only if code or a test refers to this exchange and no other.
//
// The row determines the JSON name of an exchange, its place in the schema, `explain` and the reference (test_scenarios
// "[.generate]" writes them), decoding, `plan`, `run`, `check`, and the tests of schedules, forms and engines.
#pragma once

#include "models/collectives/operation.hpp"
#include "models/schedules/parts/exchange.hpp"
#include "models/schedules/parts/schedule.hpp"
#include "models/schedules/parts/steps_form.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gradflight {

/// Keys of `exchange` that only some collectives use; an exchange of lists also uses density and merge_bandwidth.
struct ExchangeKeys {
  bool pieces = false;     ///< blocks can travel in pieces, reduced while the next is under way
  bool servers = false;    ///< servers, colocated, pull, pull_at, consistency, backup_workers: servers sum and update
  bool levels = false;     ///< levels, group_size, top
  bool all_gather = false; ///< the algorithm that gathers lists, or blocks
  bool library = false;    ///< calls of a library of this name (sim/libraries), which has no schedule of its own
  bool written = false;    ///< a user's schedule in place of a name
  bool sharded = false;    ///< sharded, group_size, top, pull_at: each rank updates its shard, gathers the rest
};

/// No closed form, and the reason.
struct NoForm {
  const char* why = "none is known for this collective";
};
/// The cost depends on the links of its servers (analysis/run/forms/closed_form_servers.cpp).
struct ServersForm {};
/// The cost is computed level by level (analysis/run/forms/closed_form_hierarchical.cpp).
struct GroupsForm {};
/// The cost is computed pass by pass, scatters and gathers separately (analysis/run/forms/closed_form_sharded.cpp).
struct ShardedForm {};
/// The cost is that of the row's all_reduce (analysis/run/forms/closed_form_calls.cpp).
struct CallForm {};
using CollectiveForm = std::variant<NoForm, const StepsForm*, ServersForm, GroupsForm, ShardedForm, CallForm>;

class GroupSchedule;
struct GroupSpec;
struct GroupForm;
struct FormLinks;
using GroupFormResult = std::variant<NoForm, GroupForm>;

/// A collective as operations of a process group.
struct GroupAlgorithm {
  bool chunks = false;       ///< uses GroupSpec::chunk
  bool groups = false;       ///< uses GroupSpec::group_size
  bool needs_switch = false; ///< it has one member in addition to the ranks: a switch that reduces and multicasts
  bool (*serves)(Operation) = nullptr; ///< null: no operation
  /// For a spec without problems(), for an operation that it serves, with at least 2 ranks.
  std::unique_ptr<GroupSchedule> (*schedule)(const GroupSpec& spec) = nullptr;
  GroupFormResult (*form)(const GroupSpec& spec, const FormLinks& links) = nullptr;
};

struct Collective {
  std::string_view name;          ///< in JSON: "halving_doubling"
  std::string_view alias{};       ///< another name that JSON accepts; empty: none
  std::string_view title;         ///< in sentences: "recursive halving and doubling"
  std::string_view documentation; ///< what it does, in one sentence
  Unit unit = Unit::elements;
  ExchangeKeys keys{};
  /// 2 (p - 1) rounds, in each of which every rank passes a block of p, whole or in pieces, to the next. An engine can
  /// compute this at once, and Pipe-SGD's Eq. 5 and 6 count it.
  bool round_ring = false;
  bool one_list = false; ///< for lists: a rank holds one, merged on the way; else one list of each rank, side by side
  /// Of an exchange, for any number of workers >= 1. Throws std::invalid_argument on settings it cannot serve. Null:
  /// each exchange of a bucket is a call.
  std::unique_ptr<Schedule> (*schedule)(const ExchangeSpec& exchange, int workers) = nullptr;
  /// The schedule as the top of a hierarchy, without helpers and lag; null: it cannot be a top.
  std::unique_ptr<Schedule> (*among_masters)(int masters) = nullptr;
  /// Number of participants besides the workers; null: none.
  int (*helpers)(const ExchangeSpec& exchange, int workers) = nullptr;
  CollectiveForm form{}; ///< of an exchange
  GroupAlgorithm group{};
};

/// All exchanges; an algorithm's number is the index of its row.
std::span<const Collective> collectives();
const Collective& collective(Algorithm algorithm);
/// All algorithms with their own schedules, in the catalogue's order; without those that use calls.
std::vector<Algorithm> algorithms();
/// All rows that serve operations of process groups, in the catalogue's order.
const std::vector<const Collective*>& group_collectives();
/// Those that serve one operation.
std::vector<const Collective*> group_collectives_for(Operation op);
/// By name or alias; null if the name is unknown.
const Collective* group_collective(std::string_view name);

/// The names of the exchanges for which `wanted` holds, "ring, binomial_tree or gtopk"; `last` joins the last two.
std::string collective_names(bool (*wanted)(const Collective&), std::string_view last = " or ");

inline bool by_servers(const Collective& row) { return row.keys.servers; }
inline bool has_servers(const ExchangeSpec& exchange) { return by_servers(collective(exchange.algorithm)); }
inline bool by_shards(const Collective& row) { return row.keys.sharded; }
inline bool is_sharded(const ExchangeSpec& exchange) { return by_shards(collective(exchange.algorithm)); }
inline bool by_library(const Collective& row) { return row.keys.library; }
inline bool by_file(const Collective& row) { return row.keys.written; }
/// The row for schedules that a user writes.
Algorithm written_algorithm();
/// Whether each exchange of a bucket is a call: of a library, of the row's all_reduce, of a user's schedule.
inline bool by_calls(const Collective& row) { return row.schedule == nullptr; }
/// Returns the collective that makes an exchange's calls; null if the exchange has a schedule of this catalogue.
inline const Collective* caller_of(const ExchangeSpec& exchange) {
  if (by_calls(collective(exchange.algorithm))) return &collective(exchange.algorithm);
  return is_sharded(exchange) && exchange.sharded.library ? &collective(*exchange.sharded.library) : nullptr;
}
inline bool sends_lists(const ExchangeSpec& exchange) { return collective(exchange.algorithm).unit == Unit::lists; }
/// Whether servers react to what arrives instead of following a schedule of all workers.
inline bool reactive(const ExchangeSpec& exchange) {
  return has_servers(exchange) && (exchange.consistency != Consistency::synchronous || exchange.backup_workers > 0);
}

} // namespace gradflight
