// The catalogue of collectives: what the program knows of each stands in its row, and everything else asks the row.
//
// To add one: a file in models/schedules/algorithms with its schedule and its closed form (ring.hpp is an example), a
// row at the end of catalogue.cpp, and what a textbook says of it in tests/models/schedules/textbook.cpp. Its JSON
// name, its place in the schema, `explain` and the reference (test_scenarios "[.generate]" writes them), decoding,
// `plan`, `run`, `check`, and the tests of schedules, forms and engines follow from the row. A form that is not there
// yet is NoForm with the reason. A name in Algorithm is needed only where code or a test speaks of this collective and
// no other.
#pragma once

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

/// Keys of `exchange` that only some collectives read; an exchange of lists reads density and merge_bandwidth, too.
struct ExchangeKeys {
  bool pieces = false;     ///< blocks can travel in pieces, reduced while the next is under way
  bool servers = false;    ///< servers, colocated, pull, pull_at, consistency, backup_workers: servers sum and update
  bool levels = false;     ///< levels, group_size, top
  bool all_gather = false; ///< the way in which lists, or blocks, are gathered
  bool library = false;    ///< calls of a library of this name (sim/libraries), which has no schedule of its own
  bool written = false;    ///< a schedule that somebody wrote down, in place of a name
  bool sharded = false;    ///< sharded, group_size, top, pull_at: each rank updates its shard, gathers the rest
};

/// No closed form, and why.
struct NoForm {
  const char* why = "nobody has derived one for this collective";
};
/// Costed by the links of its servers (analysis/run/forms/closed_form_servers.cpp).
struct ServersForm {};
/// Costed level by level (analysis/run/forms/closed_form_hierarchical.cpp).
struct GroupsForm {};
/// Costed pass by pass, scatters and gathers apart (analysis/run/forms/closed_form_sharded.cpp).
struct ShardedForm {};
/// Costed by the row of the operations' catalogue that it calls (analysis/run/forms/closed_form_calls.cpp).
struct CallForm {};
using CollectiveForm = std::variant<NoForm, const StepsForm*, ServersForm, GroupsForm, ShardedForm, CallForm>;

struct GroupAlgorithm;

struct Collective {
  std::string_view name;          ///< in JSON: "halving_doubling"
  std::string_view alias{};       ///< another name that JSON accepts; empty: none
  std::string_view title;         ///< in sentences: "recursive halving and doubling"
  std::string_view documentation; ///< what it does, in one sentence
  Unit unit = Unit::elements;
  ExchangeKeys keys{};
  /// 2 (p - 1) rounds, in each of which every rank hands a block of p, whole or in pieces, to the next: what an engine
  /// can take at once, and Pipe-SGD's Eq. 5 and 6 count.
  bool round_ring = false;
  bool one_list = false; ///< of lists: a rank holds one, merged on the way; else one of each rank, side by side
  /// Each exchange of a bucket is a call of this row of the operations' catalogue; null: it is none.
  const GroupAlgorithm* call = nullptr;
  /// For any number of workers >= 1. Throws std::invalid_argument on settings it cannot serve. Null where exchanges are
  /// calls.
  std::unique_ptr<Schedule> (*schedule)(const ExchangeSpec& exchange, int workers) = nullptr;
  /// As the top of a hierarchy, without helpers and lag; null: it cannot be one.
  std::unique_ptr<Schedule> (*among_masters)(int masters) = nullptr;
  /// Participants beside the workers; null: none.
  int (*helpers)(const ExchangeSpec& exchange, int workers) = nullptr;
  CollectiveForm form{};
};

/// All of them; the row of an algorithm is the one of its number.
std::span<const Collective> collectives();
const Collective& collective(Algorithm algorithm);
/// Every algorithm with a schedule of its own, in the catalogue's order: none whose exchanges are calls.
std::vector<Algorithm> algorithms();
/// The names of the rows that `wanted` holds for, "ring, binomial_tree or gtopk"; `last` joins the last two.
std::string collective_names(bool (*wanted)(const Collective&), std::string_view last = " or ");

inline bool by_servers(const Collective& row) { return row.keys.servers; }
inline bool has_servers(const ExchangeSpec& exchange) { return by_servers(collective(exchange.algorithm)); }
inline bool by_shards(const Collective& row) { return row.keys.sharded; }
inline bool is_sharded(const ExchangeSpec& exchange) { return by_shards(collective(exchange.algorithm)); }
inline bool by_library(const Collective& row) { return row.keys.library; }
inline bool by_file(const Collective& row) { return row.keys.written; }
/// The row whose schedule somebody wrote down.
Algorithm written_algorithm();
/// Each exchange of a bucket is a call: of a library, of a row of the operations' catalogue, of a written schedule.
inline bool by_calls(const Collective& row) { return row.keys.library || row.call != nullptr || row.keys.written; }
/// Whose calls the exchange is; null where it has schedules of this catalogue.
inline const Collective* caller_of(const ExchangeSpec& exchange) {
  if (by_calls(collective(exchange.algorithm))) return &collective(exchange.algorithm);
  return is_sharded(exchange) && exchange.sharded.library ? &collective(*exchange.sharded.library) : nullptr;
}
inline bool sends_lists(const ExchangeSpec& exchange) { return collective(exchange.algorithm).unit == Unit::lists; }
/// Servers that react to what arrives instead of following a schedule of all workers.
inline bool reactive(const ExchangeSpec& exchange) {
  return has_servers(exchange) && (exchange.consistency != Consistency::synchronous || exchange.backup_workers > 0);
}

} // namespace gradflight
