// s4u_ring RANKS ROUNDS BYTES: the simulation cost of a ring as plain S4U actors with mailboxes, for comparison with
// the engines. In each of ROUNDS rounds, every rank sends BYTES to the next one, and waits for its own message. Prints
// the simulated seconds.
#include <cstdio>
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace {

void rank(sg4::Mailbox* own, sg4::Mailbox* next, long rounds, std::uint64_t bytes) {
  int token = 0;
  for (long round = 0; round < rounds; ++round) {
    const sg4::CommPtr sent = next->put_async(&token, bytes);
    own->get<int>();
    sent->wait();
  }
}

} // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  // Without models of TCP and of cross traffic, a message takes latency + bytes / bandwidth.
  for (const char* setting : {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:1e30",
                              "surf/precision:1e-15", "maxmin/precision:1e-9"})
    sg4::Engine::set_config(setting);
  if (argc != 4) return 2;
  const int ranks = std::atoi(argv[1]);
  const long rounds = std::atol(argv[2]);
  const auto bytes = std::strtoull(argv[3], nullptr, 10);
  auto* star = sg4::create_star_zone("star");
  std::vector<sg4::Host*> hosts;
  std::vector<sg4::Mailbox*> mailboxes;
  for (int i = 0; i < ranks; ++i) {
    const std::string name = "node" + std::to_string(i);
    auto* host = star->create_host(name, 1e9);
    auto* link = star->create_split_duplex_link(name, 1.25e9)->set_latency(5e-6)->seal();
    star->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {{link, sg4::LinkInRoute::Direction::UP}}, true);
    hosts.push_back(host);
    mailboxes.push_back(sg4::Mailbox::by_name(name));
  }
  star->seal();
  for (int i = 0; i < ranks; ++i) {
    const auto at = static_cast<std::size_t>(i), next = static_cast<std::size_t>((i + 1) % ranks);
    sg4::Actor::create("rank", hosts[at], rank, mailboxes[at], mailboxes[next], rounds, bytes);
  }
  engine.run();
  std::printf("%.17g\n", sg4::Engine::get_clock());
}
