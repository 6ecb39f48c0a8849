// Torus: one router per place, joined to its two neighbours in each dimension; dimension-order routing.
//
// Place n has coordinate n mod size0 in dimension 0, then n / size0 mod size1, and so on (dimension 0 varies fastest).
#include "platforms/code/fabric.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

struct TorusDimension {
  int size = 1;
  int stride = 1; ///< difference of the place numbers of neighbours
  int offset = 0; ///< of the router's link in direction +; direction - follows if size > 2
};

/// With two routers both directions use one cable; one router needs none.
int links_of(int size) { return size > 2 ? 2 : size - 1; }

class Torus final : public Fabric {
public:
  Torus(std::vector<TorusDimension> axes, std::int32_t first, int per_router, const Terminals& terminals)
      : dimensions_(std::move(axes)), first_(first), per_router_(per_router), terminals_(terminals) {}

  void route(int from, int to, std::uint64_t /*flow*/, Route& out) const override {
    out.push_back(2 * from);
    int router = terminals_.node(from);
    const int target = terminals_.node(to);
    for (const TorusDimension& d : dimensions_) {
      int here = router / d.stride % d.size;
      const int there = target / d.stride % d.size;
      const int ahead = there >= here ? there - here : there - here + d.size;
      const bool plus = 2 * ahead <= d.size; // a tie goes to +
      for (int step = plus ? ahead : d.size - ahead; step > 0; --step) {
        out.push_back(first_ + router * per_router_ + d.offset + (plus ? 0 : 1));
        const int next = plus ? (here + 1 == d.size ? 0 : here + 1) : (here == 0 ? d.size - 1 : here - 1);
        router += (next - here) * d.stride;
        here = next;
      }
    }
    out.push_back(2 * to + 1);
  }
  bool graph(NetworkGraph& graph) const override {
    const int routers = switches(), first = graph.make_room(terminals_.total(), routers);
    for (int t = 0; t < terminals_.total(); ++t) {
      graph.join(graph.source[static_cast<std::size_t>(t)], first + terminals_.node(t), 2 * t);
      graph.join(first + terminals_.node(t), graph.sink[static_cast<std::size_t>(t)], 2 * t + 1);
    }
    for (int router = 0; router < routers; ++router)
      for (const TorusDimension& d : dimensions_) {
        const int here = router / d.stride % d.size;
        const auto join = [&](int there, int way) {
          graph.join(first + router, first + router + (there - here) * d.stride,
                     first_ + router * per_router_ + d.offset + way);
        };
        if (d.size > 1) join((here + 1) % d.size, 0);
        if (d.size > 2) join((here + d.size - 1) % d.size, 1);
      }
    return true;
  }
  [[nodiscard]] int switches() const override {
    int all = 1;
    for (const TorusDimension& d : dimensions_) all *= d.size;
    return all;
  }
  [[nodiscard]] std::string switch_name(int number) const override { return fmt::format("router{}", number); }
  void links_at(int router, Route& out) const override {
    for (int link = 0; link < per_router_; ++link) out.push_back(first_ + router * per_router_ + link);
    for (const TorusDimension& d : dimensions_) {
      const int here = router / d.stride % d.size;
      const auto from = [&](int there, int way) {
        out.push_back(first_ + (router + (there - here) * d.stride) * per_router_ + d.offset + way);
      };
      if (d.size > 1) from(here == 0 ? d.size - 1 : here - 1, 0);
      if (d.size > 2) from(here + 1 == d.size ? 0 : here + 1, 1);
    }
    terminals_.cables_of(router, router + 1, out);
  }

private:
  std::vector<TorusDimension> dimensions_;
  std::int32_t first_;
  int per_router_;
  Terminals terminals_;
};

} // namespace

std::unique_ptr<Fabric> make_torus(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links,
                                   PlatformErrors& errors) {
  const auto before = errors.size();
  const std::string pointer = "/network/torus/dimensions";
  check_link(spec.link, "/network/link", Ends::up_down, errors);
  if (spec.torus.empty()) errors.push_back({pointer, "a torus needs at least one dimension"});
  std::int64_t places = 1;
  for (std::size_t d = 0; d < spec.torus.size(); ++d)
    if (check_count(spec.torus[d], 1, fmt::format("{}/{}", pointer, d), errors)) places = times(places, spec.torus[d]);
  if (errors.size() != before) return nullptr;

  std::int64_t per_router = 0;
  for (const int size : spec.torus) per_router += links_of(size);
  const std::int64_t total = times(places, per_router) + times(2, terminals.total());
  if (!check_size(places, pointer, errors) || !check_size(total, pointer, errors) ||
      !check_places(places, "torus", terminals.nodes, pointer, errors))
    return nullptr;

  std::vector<TorusDimension> axes;
  int stride = 1, offset = 0;
  for (const int size : spec.torus) {
    axes.push_back({size, stride, offset});
    stride *= size;
    offset += links_of(size);
  }
  links.links.reserve(static_cast<std::size_t>(total));
  links.terminal_cables(terminals, spec.link);
  const std::int32_t first = links.next();
  for (int router = 0; router < places; ++router)
    for (std::size_t d = 0; d < axes.size(); ++d)
      for (int way = 0; way < links_of(axes[d].size); ++way)
        links.add(fmt::format("router{}.dim{}{}", router, d, way == 0 ? '+' : '-'), spec.link.bandwidth,
                  spec.link.latency,
                  {.tier = LinkTier::network,
                   .type = LinkType::torus,
                   .level = static_cast<std::int8_t>(d),
                   .owner = router});
  return std::make_unique<Torus>(std::move(axes), first, static_cast<int>(per_router), terminals);
}

} // namespace gradflight
