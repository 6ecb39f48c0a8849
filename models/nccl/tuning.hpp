// NCCL's own model of the cost of a call, for its choice of algorithm and protocol: latency + size / bandwidth.
//
// These are NCCL's estimates, not results of a simulation. Sizes are bytes of the whole vector (all-gather: the output,
// reduce-scatter: the input). Facts: NCCL 2.30.7 (Apache-2.0), src/graph/tuning.cc, src/enqueue.cc; other releases:
// release_tables.hpp.
#pragma once

#include "models/collectives/operation.hpp"
#include "models/nccl/graph.hpp"
#include "models/nccl/machine.hpp"
#include "models/nccl/release_tables.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gradflight::nccl {

enum class Algorithm : std::uint8_t { tree, ring, collnet_direct, collnet_chain, nvls, nvls_tree, pat };
enum class Protocol : std::uint8_t { ll, ll128, simple };

inline constexpr std::array algorithm_names{std::string_view("tree"),
                                            std::string_view("ring"),
                                            std::string_view("collnet_direct"),
                                            std::string_view("collnet_chain"),
                                            std::string_view("nvls"),
                                            std::string_view("nvls_tree"),
                                            std::string_view("pat")};
inline constexpr std::array protocol_names{std::string_view("LL"), std::string_view("LL128"),
                                           std::string_view("Simple")};
constexpr std::string_view algorithm_name(Algorithm a) { return algorithm_names[static_cast<std::size_t>(a)]; }
constexpr std::string_view protocol_name(Protocol p) { return protocol_names[static_cast<std::size_t>(p)]; }
std::optional<Algorithm> algorithm_named(std::string_view name); ///< ignores case
std::optional<Protocol> protocol_named(std::string_view name);

struct Cost {
  double latency_us = 0;
  double bandwidth = 0;          ///< GB/s of the vector; 0: not usable
  std::string_view why_not = {}; ///< if it is not usable
};

/// The library with the tables and widths.
enum class Library : std::uint8_t { nccl, rccl };

/// Why CollNet, and NVLS among several nodes, are not usable without a network that reduces.
inline constexpr std::string_view needs_collnet = "it needs a network that reduces (CollNet)";
inline constexpr std::string_view nvls_needs_collnet = "NVLS needs a network that reduces (CollNet) between nodes";

struct Tuning {
  Library library = Library::nccl;
  int release = newest_release; ///< of NCCL
  std::array<std::array<std::array<Cost, 3>, 7>, operation_names.size()> costs{};
  Generation generation = Generation::ampere;
  int ranks = 0, nodes = 0;
  int channels = 0, nvls_channels = 0; ///< see Graphs
  int heads = 0;                       ///< of CollNet direct
  int nvls_heads = 1;
  double nvls_tree_chunk = 131072; ///< bytes, at most
  bool x86 = true;
  std::array<std::array<double, 24>, 3> tree_share = tables::tree_share; ///< see release_tables.hpp
  int plateau = 18;                                                      ///< see release_tables.hpp
  ChannelRules channel_rules{};
  int ring_simple_threads = 512; ///< 256 if rings are no faster than PCIe

  [[nodiscard]] const Cost& cost(Operation op, Algorithm a, Protocol p) const {
    return costs[static_cast<std::size_t>(op)][static_cast<std::size_t>(a)][static_cast<std::size_t>(p)];
  }
};

/// Returns the tables for a machine of at least two ranks and its graphs, in a release of NCCL. The graphs are those of
/// the newest release.
Tuning tune(const Machine& machine, const Graphs& graphs, int release = newest_release);
/// Fills in what a machine and its channels give every library: ranks, channels, and the cost of each call.
void fill_tuning(Tuning& tuning, const Machine& machine, const Graphs& graphs,
                 const std::function<Cost(Operation, Algorithm, Protocol)>& cost);

/// Microseconds per message of the thread that serves the NICs: 1, on AMD 2; three times that for Simple.
constexpr double post_us(const Machine& machine, Protocol p) {
  return (machine.vendor == Vendor::amd ? 2 : 1) * (p == Protocol::simple ? 3 : 1);
}

/// all_reduce, all_gather, reduce_scatter, broadcast, reduce; others consist of sends and receives (peers.hpp).
bool has_table(Operation op);
/// Whether the vector of an operation with a table of costs consists of ranks' blocks.
constexpr bool in_blocks(Operation op) { return op == Operation::all_gather || op == Operation::reduce_scatter; }

/// Microseconds; nothing if the combination is not usable.
std::optional<double> time_us(const Tuning& tuning, Operation op, double bytes, Algorithm a, Protocol p);

/// The user's settings. Channels: 1 to most_channels, 0: NCCL chooses.
struct Forced {
  std::optional<Algorithm> algorithm{};
  std::optional<Protocol> protocol{};
  int channels = 0;
  [[nodiscard]] bool any() const { return algorithm || protocol || channels > 0; }
};

struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  /// The call's bytes per channel follow from `channels`. LL may spread a call over up to four times as many
  /// (ChannelRules); shape_of has the channels that the call uses.
  int channels = 0;
  int threads = 0;
  int most = 0; ///< number of channels available
  double time_us = 0;
  std::string why;     ///< "tree LL: 21.3 us; ring LL 25.0 us would be next"
  std::string refused; ///< why the forced settings are impossible; empty if they are possible
};

/// Returns the fastest usable combination that `forced` allows. `op` has a table, `bytes` >= 0.
Choice choose(const Tuning& tuning, Operation op, double bytes, const Forced& forced = {});

} // namespace gradflight::nccl
