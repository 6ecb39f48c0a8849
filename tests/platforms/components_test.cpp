#include "platforms/code/components.hpp"
#include "platforms/code/outages.hpp"
#include "platforms/code/platform.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace gradflight;

namespace {

PlatformSpec a_star(int nodes, int gpus = 1) {
  PlatformSpec spec;
  spec.nodes = nodes;
  spec.gpus_per_node = gpus;
  spec.network.link.bandwidth = ByteRate(1e9);
  return spec;
}

FailureSpec failing(std::initializer_list<ComponentKind> kinds, double mtbf = 100, double mttr = 1) {
  FailureSpec failures;
  for (const ComponentKind kind : kinds) {
    failures.at(kind).emplace();
    failures.at(kind)->mtbf = Seconds(mtbf);
    failures.at(kind)->mttr = Seconds(mttr);
  }
  return failures;
}

std::vector<Component> components_of(const PlatformSpec& spec, const FailureSpec& failures, int extra = 0) {
  std::vector<PlatformError> errors;
  auto found = find_components(failures, spec, build_platform(spec, extra), errors);
  REQUIRE(errors.empty());
  return found;
}

} // namespace

TEST_CASE("each thing of a platform takes its links and places with it") {
  using enum ComponentKind;
  PlatformSpec spec = a_star(4, 2);
  const auto all = components_of(spec, failing({node, gpu, nic, link, switch_}), 1);
  const auto count = [&](ComponentKind kind) { return std::ranges::count(all, kind, &Component::kind); };
  CHECK(count(node) == 5); // includes the server's node
  CHECK(count(gpu) == 8);
  CHECK(count(nic) == 5);
  CHECK(count(link) == 5);
  CHECK(count(switch_) == 1);
  const auto named = [&](const std::string& name) {
    const auto found = std::ranges::find(all, name, &Component::name);
    REQUIRE(found != all.end());
    return *found;
  };
  CHECK(named("node 1").links.size() == 2);
  CHECK(named("node 1").places == std::vector<std::int32_t>{2, 3});
  CHECK(named("node 4").places == std::vector<std::int32_t>{8});
  CHECK(named("GPU 3").links.empty());
  CHECK(named("GPU 3").places == std::vector<std::int32_t>{3});
  CHECK(named("NIC node1").places.empty());
  CHECK(named("NIC node1").links == named("node 1").links);
  CHECK(named("link node1").links == named("node 1").links);
  CHECK(named("the switch").links.size() == 10);
}

TEST_CASE("racks fail with their nodes' cables, graphs by their names") {
  using enum ComponentKind;
  PlatformSpec racks = a_star(5);
  racks.network.topology = Topology::racks;
  racks.network.racks.nodes_per_rack = 2;
  const auto of_racks = components_of(racks, failing({switch_, link}));
  CHECK(std::ranges::count(of_racks, switch_, &Component::kind) == 3);
  CHECK(std::ranges::count(of_racks, link, &Component::kind) == 8);
  const auto rack2 = std::ranges::find(of_racks, "switch rack2", &Component::name);
  REQUIRE(rack2 != of_racks.end());
  CHECK(rack2->links.size() == 4); // its uplink and one node's cable
}

TEST_CASE("routers of a torus fail with all their links") {
  using enum ComponentKind;
  PlatformSpec torus = a_star(4);
  torus.network.topology = Topology::torus;
  torus.network.torus = {2, 2};
  const auto routers = components_of(torus, failing({switch_}));
  REQUIRE(routers.size() == 4);
  CHECK(routers[2].name == "switch router2");
  CHECK(routers[2].links.size() == 6); // a cable to each neighbour, and the node's cable
}

TEST_CASE("what a platform has none of by name cannot fail") {
  using enum ComponentKind;
  PlatformSpec graph = a_star(2);
  graph.network.topology = Topology::graph;
  graph.network.edges = {{"0", "1", graph.network.link}};
  std::vector<PlatformError> errors;
  find_components(failing({switch_}), graph, build_platform(graph, 0), errors);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].pointer == "/failures/switches");
}

TEST_CASE("outages come in order, each thing's one after its repair, and do not hang on others") {
  using enum ComponentKind;
  const PlatformSpec spec = a_star(6);
  const FailureSpec failures = failing({node}, 10, 3);
  const auto six = components_of(spec, failures), three = components_of(a_star(3), failures);
  Outages some(failures, three, 0), more(failures, six, 0), other_seed(failures, six, 1);
  CHECK(more.next() != other_seed.next());
  double before = 0;
  std::vector<double> repaired(6), of_three;
  for (int i = 0; i < 500; ++i) {
    const Outage outage = more.take();
    REQUIRE(outage.at >= before);
    REQUIRE(outage.at >= repaired[outage.component]);
    REQUIRE(outage.until >= outage.at);
    before = outage.at;
    repaired[outage.component] = outage.until;
    if (outage.component < 3) of_three.push_back(outage.at);
  }
  for (const double at : of_three) REQUIRE(some.take().at == at);
}

TEST_CASE("what several outages hold down comes up with the last of them") {
  using enum ComponentKind;
  const PlatformSpec spec = a_star(3);
  const Platform platform = build_platform(spec, 0);
  const FailureSpec failures = failing({node, nic, link, switch_}, 10, 8);
  const auto components = components_of(spec, failures);
  constexpr double horizon = 300;
  Outages outages(failures, components, 0);
  std::vector<Outage> all;
  outages.watch([&](const Outage& o) { all.push_back(o); });
  const auto changes = changes_of_outages(outages, components, platform, horizon);
  REQUIRE(std::ranges::is_sorted(changes, {}, &PlatformChange::at));
  const auto held = [&](std::int32_t link, double at) {
    return std::ranges::any_of(all, [&](const Outage& o) {
      const auto& links = components[o.component].links;
      return o.at <= at && at < o.until && std::ranges::find(links, link) != links.end();
    });
  };
  std::vector<double> state(platform.links().size(), 1);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const PlatformChange& change = changes[i];
    if (!change.of_link()) continue;
    auto& up = state[static_cast<std::size_t>(change.target)];
    REQUIRE(change.value != up);
    up = change.value;
    REQUIRE(held(change.target, change.at) == (up == 0));
  }
  CHECK(changes.size() > 50);
}

TEST_CASE("both directions of a fat tree's cables fail together, also where a switch has several") {
  PlatformSpec spec = a_star(4);
  spec.network.topology = Topology::fat_tree;
  spec.network.fat_tree = {{2, 1, 1, {}}, {2, 2, 1, {}}};
  const auto all = components_of(spec, failing({ComponentKind::link}));
  CHECK(all.size() == 4 + 4); // of nodes, and of 2 leaf switches with 2 cables each
  for (const Component& cable : all) CHECK(cable.links.size() == 2);
}
