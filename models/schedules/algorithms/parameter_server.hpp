// Synchronous parameter server: workers push gradients to S servers, which sum, update and send the result back.
//
// INCEPTIONN Sec. VIII-D ("WA"); GradientFlow Fig. 3; 3LC Sec. 2.1. Participants are the workers, then the S servers (a
// plan puts a colocated server on a worker's place, where its messages are free). Server k holds shard k of Blocks(n,
// S). With more servers than elements the last shards are empty, but each of their messages still costs alpha.
//
// A server takes the gradients as they come (p - 1 reductions, none for the first), updates its shard, then answers.
// Time for one server and no update:
//   pull flat:      2 (alpha + p n beta) + (p-1) n gamma
//   pull binomial:  (1 + r) alpha + (p + r) n beta + (p-1) n gamma, r = ceil(log2(p+1)) (workers and server)
// If colocated, messages to the sender's own place are free: p - 1 replaces p, and r = ceil(log2 p). Server k then
// hands its shard to worker k, the root of a tree over the workers.
#pragma once

#include "models/schedules/parts/exchange.hpp"
#include "models/schedules/parts/schedule.hpp"

#include <memory>

namespace gradflight {

/// Which half of the exchange: pull at first use (3LC Sec. 4.1) splits it into two collectives.
enum class Leg : std::uint8_t { both, push, pull };

class ParameterServer final : public Schedule {
public:
  /// The servers continue after workers - backup_workers gradients. Later gradients belong to no step, and the engine
  /// drops them. Throws std::invalid_argument unless workers >= 1, servers >= 1 (at most workers if colocated) and 0 <=
  /// backup_workers < workers.
  ParameterServer(int workers, int servers, Pull pull, bool colocated = false, int backup_workers = 0,
                  Leg leg = Leg::both);

  [[nodiscard]] int participants() const override { return workers_ + servers_; }
  [[nodiscard]] int workers() const override { return workers_; }
  [[nodiscard]] int steps(int participant) const override;
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;

private:
  [[nodiscard]] Step server_step(std::int64_t n, int server, int index) const;
  [[nodiscard]] Step worker_step(std::int64_t n, int worker, int index) const;
  [[nodiscard]] Step relay_step(std::int64_t n, int worker, int index) const;
  [[nodiscard]] int worker_steps(int worker) const;

  // Binomial pull: server k's tree has the workers as nodes first_node_.., rotated by rotation(k), so that the trees'
  // busy nodes spread over the workers. Node 0 is the server, or the colocated server's worker. In round r nodes below
  // 2^r send to node + 2^r.
  [[nodiscard]] int rotation(int server) const;
  [[nodiscard]] int first_server(int rotated) const;
  struct Servers;
  /// Returns the servers with trees in which `worker` is one of the nodes first..last-1.
  [[nodiscard]] Servers servers_with(int worker, int first, int last) const;
  [[nodiscard]] Servers senders(int worker, int round) const;
  [[nodiscard]] Servers receivers(int worker, int round) const;
  [[nodiscard]] int node(int server, int worker) const;
  [[nodiscard]] int participant(int server, int node) const;

  int workers_, servers_;
  Pull pull_;
  bool colocated_;
  int needed_, first_node_, nodes_, rounds_;
  Leg leg_;
};

/// Builds it from an exchange's settings: all of it, or one leg. An asynchronous or bounded-staleness server reacts
/// instead of following a schedule; only the workers' steps hold (push, then receive). It needs a flat pull, else
/// std::invalid_argument.
std::unique_ptr<Schedule> make_parameter_server(const ExchangeSpec& exchange, int workers, Leg leg);

} // namespace gradflight
