#include "scenarios/language/types/jobs.hpp"

#include "scenarios/language/types/scenario.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <tuple>

namespace gradflight {
namespace {

/// Numbers below a bound from SplitMix64 (Steele, Lea, Flood 2014). Repeats draws that would favour some numbers.
class Draws {
public:
  explicit Draws(std::int64_t seed) : state_(static_cast<std::uint64_t>(seed)) {}
  std::size_t below(std::size_t bound) {
    const std::uint64_t n = bound, uneven = (std::numeric_limits<std::uint64_t>::max() % n + 1) % n;
    std::uint64_t drawn = next();
    while (drawn > std::numeric_limits<std::uint64_t>::max() - uneven) drawn = next();
    return static_cast<std::size_t>(drawn % n);
  }

private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// Sorts free GPUs from the order of their numbers to the order in which a job takes them.
class Taking {
public:
  explicit Taking(const PlatformSpec& platform) : platform_(platform) {}

  void order(std::vector<int>& free, const JobSpec& job) const {
    switch (job.placement) {
    case JobPlacement::packed: return;
    case JobPlacement::round_robin: round_robin(free); return;
    case JobPlacement::by_rack: by_rack(free, static_cast<std::size_t>(job.count.value_or(0))); return;
    case JobPlacement::random: {
      Draws draws(job.seed);
      for (std::size_t i = 0; i + 1 < free.size(); ++i) std::swap(free[i], free[i + draws.below(free.size() - i)]);
      return;
    }
    }
  }

private:
  [[nodiscard]] int node(int gpu) const { return gpu / platform_.gpus_per_node; }

  void round_robin(std::vector<int>& free) const {
    std::vector<std::tuple<int, int, int>> turns; // index among the free GPUs of the node, node, GPU
    int before = -1, turn = 0;
    for (const int gpu : free) {
      turn = node(gpu) == before ? turn + 1 : 0;
      before = node(gpu);
      turns.emplace_back(turn, before, gpu);
    }
    std::ranges::sort(turns);
    std::ranges::transform(turns, free.begin(), [](const auto& entry) { return std::get<2>(entry); });
  }

  void by_rack(std::vector<int>& free, std::size_t wanted) const {
    const int size = nodes_per_rack(platform_);
    if (size == 0) return; // reported elsewhere as a mistake
    std::vector<std::vector<int>> racks(static_cast<std::size_t>((platform_.nodes + size - 1) / size));
    for (const int gpu : free) racks[static_cast<std::size_t>(node(gpu) / size)].push_back(gpu);
    // The fullest rack with enough GPUs comes first.
    std::ranges::stable_sort(racks, [&](const auto& a, const auto& b) {
      const bool a_holds = a.size() >= wanted, b_holds = b.size() >= wanted;
      if (a_holds != b_holds) return a_holds;
      return a_holds ? a.size() < b.size() : a.size() > b.size();
    });
    free.clear();
    for (const auto& rack : racks) free.insert(free.end(), rack.begin(), rack.end());
  }

  const PlatformSpec& platform_;
};

} // namespace

std::vector<int> take_gpus(const PlatformSpec& platform, std::vector<int> free, const JobSpec& job) {
  Taking(platform).order(free, job);
  free.resize(static_cast<std::size_t>(job.count.value_or(0)));
  return free;
}

namespace {

class Placing {
public:
  explicit Placing(const Scenario& scenario)
      : scenario_(scenario), all_(scenario.platform.nodes * scenario.platform.gpus_per_node),
        taken_by_(static_cast<std::size_t>(all_), no_job) {
    placed_.gpus.resize(scenario.jobs.size());
  }

  PlacedJobs done() {
    for (std::size_t j = 0; j < scenario_.jobs.size(); ++j)
      if (!scenario_.jobs[j].ranks.empty()) take_listed(j);
    for (std::size_t j = 0; j < scenario_.jobs.size(); ++j)
      if (scenario_.jobs[j].ranks.empty()) take_counted(j);
    return std::move(placed_);
  }

private:
  static constexpr std::size_t no_job = std::numeric_limits<std::size_t>::max();

  void mistake(std::size_t job, std::string key, std::string message) {
    placed_.mistakes.push_back({job, std::move(key), std::move(message)});
  }

  void take_listed(std::size_t j) {
    const std::vector<int>& ranks = scenario_.jobs[j].ranks;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const int gpu = ranks[r];
      if (gpu < 0 || gpu >= all_) {
        mistake(j, fmt::format("ranks/{}", r), fmt::format("GPU {} does not exist: GPUs are 0 to {}", gpu, all_ - 1));
        continue;
      }
      std::size_t& owner = taken_by_[static_cast<std::size_t>(gpu)];
      if (owner == j)
        mistake(j, fmt::format("ranks/{}", r), fmt::format("GPU {} is listed twice", gpu));
      else if (owner != no_job)
        mistake(
            j, fmt::format("ranks/{}", r),
            fmt::format("GPU {} already belongs to job {}: jobs cannot share GPUs", gpu, scenario_.jobs[owner].name));
      else
        owner = j;
    }
    placed_.gpus[j] = ranks;
  }

  void take_counted(std::size_t j) {
    const JobSpec& job = scenario_.jobs[j];
    if (!job.count) {
      mistake(j, "", "a job needs \"ranks\", a list of GPUs, or \"count\", their number");
      return;
    }
    if (job.placement == JobPlacement::by_rack && nodes_per_rack(scenario_.platform) == 0)
      mistake(j, "placement",
              "\"by_rack\" needs a network with racks: topology \"racks\", \"fat_tree\" or \"dragonfly\"");
    std::vector<int> free;
    for (int gpu = 0; gpu < all_; ++gpu)
      if (taken_by_[static_cast<std::size_t>(gpu)] == no_job) free.push_back(gpu);
    const auto wanted = static_cast<std::size_t>(*job.count);
    if (wanted > free.size()) {
      mistake(j, "count",
              fmt::format("the job needs {} GPUs, but the other jobs leave only {} of {}", wanted, free.size(), all_));
      return;
    }
    placed_.gpus[j] = take_gpus(scenario_.platform, std::move(free), job);
    for (const int gpu : placed_.gpus[j]) taken_by_[static_cast<std::size_t>(gpu)] = j;
  }

  const Scenario& scenario_;
  int all_;
  std::vector<std::size_t> taken_by_; ///< the job on each GPU
  PlacedJobs placed_;
};

} // namespace

int nodes_per_rack(const PlatformSpec& platform) {
  switch (platform.network.topology) {
  case Topology::racks: return platform.network.racks.nodes_per_rack;
  case Topology::fat_tree: return platform.network.fat_tree.empty() ? 0 : platform.network.fat_tree.front().down;
  case Topology::dragonfly: return platform.network.dragonfly.nodes;
  case Topology::star:
  case Topology::torus:
  case Topology::graph: break;
  }
  return 0;
}

PlacedJobs place_jobs(const Scenario& scenario) { return Placing(scenario).done(); }

} // namespace gradflight
