// collective and sweep.
#include "analysis/evidence/collective/collective_output.hpp"
#include "analysis/evidence/collective/collective_table.hpp"
#include "analysis/explore/sweeps/sweep_merge.hpp"
#include "analysis/explore/sweeps/sweep_quantities.hpp"
#include "analysis/explore/sweeps/sweep_run.hpp"
#include "base/nearest_name.hpp"
#include "library/inside.hpp"
#include "models/collectives/operation_spelling.hpp"

#include <fmt/format.h>

namespace gradflight_inside {
namespace {

using gradflight::CollectiveRequest;
using gradflight::Operation;

Operation operation_of(const std::string& name) {
  if (const auto op = gradflight::sized_operation(name)) return *op;
  throw UsageError(
      fmt::format("unknown operation \"{}\"{}", name, gradflight::did_you_mean(name, gradflight::sized_operations())));
}

/// `simulate(make)` calls `make`, which returns the table, in this process or in a child.
template <class Simulate>
std::string tabled(CollectiveRequest& request, const std::string& operation, const Simulate& simulate) {
  request.ops = {operation_of(operation)};
  const auto group = gradflight::make_group(request);
  const auto source = gradflight::check_request(request, group);
  return simulate([&] {
    return gradflight::collective_json({gradflight::collective_table(request, request.ops.front(), group, source)});
  });
}

struct SweepEnd {
  std::int64_t points, missing, failed;
  std::string csv;
};

SweepEnd swept(const std::filesystem::path& file, const std::filesystem::path& directory, int jobs, bool retry,
               const std::function<void(double)>& progress) {
  const gradflight::Sweep plan = gradflight::load_sweep(file.string(), gradflight::quantity_names());
  const auto combinations = gradflight::selected_combinations(plan);
  if (auto errors = gradflight::errors_of_all(plan, combinations); !errors.empty())
    throw InputErrors(std::move(errors));
  gradflight::claim(directory, plan);
  const auto tally = gradflight::run_sweep(
      plan, combinations,
      {directory, jobs > 0 ? jobs : gradflight::usable_cores(), gradflight::limits_of(plan, "", ""), retry},
      [&](const gradflight::SweepTally& so_far) {
        if (progress) progress(static_cast<double>(so_far.done) / static_cast<double>(combinations.size()));
      });
  if (tally.trouble) throw OutputError(*tally.trouble);
  const auto records = gradflight::read_records(directory);
  if (!records.conflicts.empty())
    throw OutputError(fmt::format("point {} has two different results:\n  {}\n  {}", records.conflicts.front().id,
                                  records.conflicts.front().first, records.conflicts.front().second));
  const auto merged = gradflight::merge_sweep(plan, records);
  return {merged.points, merged.missing, tally.not_ok(), gradflight::sweep_csv(merged.table)};
}

} // namespace
} // namespace gradflight_inside

#include "library/errors.hpp"

namespace gradflight {
inline namespace v1 {

std::string collective(const std::string& operation, const std::string& platform, const CollectiveOptions& options) {
  const auto said = [](int value) { return value != 0 ? std::optional<int>(value) : std::nullopt; };
  gradflight_inside::CollectiveRequest request;
  request.platform = platform;
  request.sets = gradflight_inside::sets_of(options.settings);
  request.ranks = said(options.ranks);
  request.nodes = said(options.nodes);
  request.gpus_per_node = said(options.gpus_per_node);
  request.begin = options.begin;
  request.end = options.end;
  request.factor = options.factor;
  request.sizes = options.sizes;
  request.element_size = options.element_size;
  request.type = options.element_size == 8   ? "double"
                 : options.element_size == 2 ? "half"
                 : options.element_size == 1 ? "int8"
                                             : "float";
  request.algorithm = options.algorithm;
  request.protocol = options.protocol;
  request.channels = options.channels;
  std::string wrong;
  const auto complain = [&](bool right, const std::string& text) {
    if (!right) wrong += (wrong.empty() ? "" : "; ") + text;
  };
  constexpr double most = 1e15;
  complain(options.begin >= 1 && options.end <= most && options.begin <= options.end,
           fmt::format("sizes from {} to {}: must be 1 to 1e15 bytes, and the first at most the last", options.begin,
                       options.end));
  complain(options.factor > 1, fmt::format("factor is {}: must be above 1", options.factor));
  for (const double size : options.sizes)
    complain(size >= 1 && size <= most, fmt::format("size {}: must be from 1 to 1e15 bytes", size));
  complain(options.element_size == 1 || options.element_size == 2 || options.element_size == 4 ||
               options.element_size == 8,
           fmt::format("element_size is {}: must be 1, 2, 4 or 8", options.element_size));
  complain(options.ranks >= 0 && options.nodes >= 0 && options.gpus_per_node >= 0 && options.channels >= 0,
           "ranks, nodes, gpus_per_node and channels must be at least 0");
  if (!wrong.empty()) gradflight_inside::refuse(wrong);
  return gradflight_inside::translated([&] {
    return gradflight_inside::tabled(request, operation, [&](const auto& make) {
      if (!options.progress) return make();
      const gradflight_inside::Children alone(options.progress);
      return gradflight_inside::in_child(options.progress, [&](gradflight::Process) { return make(); });
    });
  });
}

SweepSummary sweep(const std::filesystem::path& file, const std::filesystem::path& directory,
                   const SweepOptions& options) {
  if (options.jobs < 0) gradflight_inside::refuse(fmt::format("jobs is {}: must be at least 0", options.jobs));
  const gradflight_inside::Children alone(options.progress);
  return gradflight_inside::translated([&] {
    auto end = gradflight_inside::swept(file, directory, options.jobs, options.retry, options.progress);
    return SweepSummary{end.points, end.missing, end.failed, std::move(end.csv)};
  });
}

} // namespace v1
} // namespace gradflight
