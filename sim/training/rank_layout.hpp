// Where a job's ranks are, and how fast they compute and reduce: first the workers, then the helpers.
//
// Helpers are servers and aggregators, on places of their own unless they are colocated, or the switches in a job's
// calls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace gradflight {

struct ExchangeSpec;
class Platform;
struct Scenario;

class RankLayout {
public:
  /// `switches`: the places of switches that are members of the exchange's calls.
  RankLayout(const Scenario& scenario, const ExchangeSpec& exchange, const Platform& platform,
             std::span<const std::int32_t> switches = {});

  [[nodiscard]] int size() const { return static_cast<int>(places_.size()); }
  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] int helpers() const { return size() - workers_; }
  [[nodiscard]] bool is_helper(int rank) const { return rank >= workers_; }

  [[nodiscard]] const std::vector<std::int32_t>& places() const { return places_; }
  [[nodiscard]] std::int32_t place(int rank) const { return places_[index(rank)]; }
  [[nodiscard]] std::int32_t node(int rank) const { return nodes_[index(rank)]; }
  /// Returns 1 / the compute speed of a rank's place.
  [[nodiscard]] double slowness(int rank) const { return slowness_[index(rank)]; }
  /// Returns the seconds per byte that a rank reduces; 0: reductions are free.
  [[nodiscard]] double gamma(int rank) const { return gamma_[index(rank)]; }
  /// Whether all ranks compute at one speed.
  [[nodiscard]] bool equally_fast() const {
    return std::ranges::all_of(slowness_, [&](double s) { return s == slowness_.front(); });
  }

  /// Where a message from one rank to another goes.
  enum class Way { own_place, own_node, between_nodes };
  [[nodiscard]] Way way(int from, int to) const {
    if (place(from) == place(to)) return Way::own_place;
    return node(from) == node(to) ? Way::own_node : Way::between_nodes;
  }

private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  int workers_;
  std::vector<std::int32_t> places_, nodes_; ///< of each rank
  std::vector<double> slowness_, gamma_;
};

/// Returns rank `worker`'s place: by its job's seat, else by the placement.
int worker_place(const Scenario& scenario, int worker);
/// The place of a dedicated helper, numbered from 0 within its job.
int helper_place(const Scenario& scenario, const Platform& platform, int helper);

} // namespace gradflight
