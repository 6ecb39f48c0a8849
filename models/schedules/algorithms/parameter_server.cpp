#include "models/schedules/algorithms/parameter_server.hpp"

#include "models/schedules/parts/steps.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace gradflight {

/// Two runs of server indices, in order.
struct ParameterServer::Servers {
  int begin[2], end[2];
  [[nodiscard]] int first_run() const { return std::max(0, end[0] - begin[0]); }
  [[nodiscard]] int size() const { return first_run() + std::max(0, end[1] - begin[1]); }
  [[nodiscard]] int operator[](int i) const { return i < first_run() ? begin[0] + i : begin[1] + i - first_run(); }
};

ParameterServer::ParameterServer(int workers, int servers, Pull pull, bool colocated, int backup_workers, Leg leg)
    : workers_(workers), servers_(servers), pull_(pull), colocated_(colocated), needed_(workers - backup_workers),
      first_node_(colocated ? 0 : 1), nodes_(workers + first_node_),
      rounds_(static_cast<int>(std::bit_width(static_cast<unsigned>(nodes_ - 1)))), leg_(leg) {
  if (workers < 1 || servers < 1) throw std::invalid_argument("a parameter server needs workers and servers");
  if (colocated && servers > workers) throw std::invalid_argument("colocated servers must not outnumber the workers");
  if (backup_workers < 0 || needed_ < 1) throw std::invalid_argument("backup workers must be fewer than workers");
}

int ParameterServer::steps(int participant) const {
  if (participant < workers_) return worker_steps(participant);
  const int push = leg_ == Leg::pull ? 0 : needed_ + 1;
  const int pull = leg_ == Leg::push ? 0 : pull_ == Pull::flat ? workers_ : colocated_ ? 1 : rounds_;
  return push + pull;
}

int ParameterServer::worker_steps(int worker) const {
  int count = leg_ == Leg::pull ? 0 : servers_;
  if (leg_ == Leg::push) return count;
  count += servers_; // one result from each tree or server
  if (pull_ == Pull::binomial)
    for (int round = 0; round < rounds_; ++round) count += senders(worker, round).size();
  return count;
}

Step ParameterServer::step(std::int64_t n, int participant, int index) const {
  return participant < workers_ ? worker_step(n, participant, index) : server_step(n, participant - workers_, index);
}

Step ParameterServer::server_step(std::int64_t n, int server, int index) const {
  const Range shard = Blocks(n, servers_).range(server);
  if (leg_ != Leg::pull) {
    if (index < needed_) return receive_step(anyone, shard, index == 0 ? Combine::take : Combine::reduce);
    index -= needed_;
    if (index == 0) {
      Step update;
      update.in = shard;
      update.update = true;
      return update;
    }
    --index;
  }
  if (pull_ == Pull::flat) return buffered_send_step(index, shard, index == workers_ - 1);
  return buffered_send_step(colocated_ ? server : participant(server, 1 << index), shard);
}

Step ParameterServer::worker_step(std::int64_t n, int worker, int index) const {
  const Blocks shards(n, servers_);
  if (leg_ != Leg::pull) {
    // A result implies that the push has arrived, so only a push without a pull waits for it.
    if (index < servers_)
      return buffered_send_step(workers_ + index, shards.range(index), leg_ == Leg::push && index == servers_ - 1);
    index -= servers_;
  }
  if (pull_ == Pull::binomial) return relay_step(n, worker, index);
  Step step = receive_step(workers_ + index, shards.range(index));
  step.wait_sent = false;
  return step;
}

Step ParameterServer::relay_step(std::int64_t n, int worker, int index) const {
  if (colocated_ && worker < servers_) {
    if (index == 0) {
      Step step = receive_step(workers_ + worker, Blocks(n, servers_).range(worker));
      step.wait_sent = false;
      return step;
    }
    --index;
  }
  // In each round, the sends of all trees come before the receives. A round sends only what an earlier round received,
  // so no order of the trees can deadlock.
  for (int round = 0; round < rounds_; ++round) {
    const Servers sending = senders(worker, round), receiving = receivers(worker, round);
    const int count = sending.size() + receiving.size();
    if (index >= count) {
      index -= count;
      continue;
    }
    const bool sends = index < sending.size();
    const int server = sends ? sending[index] : receiving[index - sending.size()];
    const int here = node(server, worker), distance = 1 << round;
    const Range shard = Blocks(n, servers_).range(server);
    Step step = sends ? buffered_send_step(participant(server, here + distance), shard)
                      : receive_step(participant(server, here - distance), shard);
    step.wait_sent = index == count - 1 && sending.size() > 0;
    return step;
  }
  throw std::logic_error("parameter server: step index out of range");
}

int ParameterServer::rotation(int server) const {
  return colocated_ ? server : static_cast<int>(static_cast<std::int64_t>(server) * workers_ / servers_);
}

int ParameterServer::first_server(int rotated) const {
  if (colocated_) return std::min(rotated, servers_);
  return static_cast<int>((static_cast<std::int64_t>(rotated) * servers_ + workers_ - 1) / workers_);
}

int ParameterServer::node(int server, int worker) const {
  const int turned = worker - rotation(server);
  return first_node_ + (turned < 0 ? turned + workers_ : turned);
}

int ParameterServer::participant(int server, int node) const {
  return node < first_node_ ? workers_ + server : (rotation(server) + node - first_node_) % workers_;
}

ParameterServer::Servers ParameterServer::servers_with(int worker, int first, int last) const {
  // Node v of tree k is worker v - first_node_ + rotation(k) mod p, so rotation(k) runs from low to high, mod p.
  const int low = worker - last + 1 + first_node_, high = worker - first + first_node_;
  Servers found{{0, 0}, {0, 0}};
  if (first >= last) return found;
  if (high >= 0) {
    found.begin[0] = first_server(std::max(low, 0));
    found.end[0] = first_server(high + 1);
  }
  if (low < 0) {
    found.begin[1] = first_server(low + workers_);
    found.end[1] = first_server(std::min(high, -1) + workers_ + 1);
  }
  return found;
}

ParameterServer::Servers ParameterServer::senders(int worker, int round) const {
  const int distance = 1 << round;
  return servers_with(worker, first_node_, std::min(distance, nodes_ - distance));
}

ParameterServer::Servers ParameterServer::receivers(int worker, int round) const {
  const int distance = 1 << round;
  return servers_with(worker, distance, std::min(2 * distance, nodes_));
}

std::unique_ptr<Schedule> make_parameter_server(const ExchangeSpec& exchange, int workers, Leg leg) {
  if (exchange.consistency != Consistency::synchronous && exchange.pull != Pull::flat)
    throw std::invalid_argument("a parameter server that answers each worker by itself has a flat pull");
  return std::make_unique<ParameterServer>(workers, exchange.servers, exchange.pull, exchange.colocated,
                                           exchange.backup_workers, leg);
}

} // namespace gradflight
