#include "sim/libraries/nccl_library.hpp"

#include "base/human.hpp"
#include "base/letters.hpp"
#include "models/nccl/release_tables.hpp"
#include "models/nccl/shape.hpp"
#include "models/rccl/msccl.hpp"
#include "models/rccl/rccl.hpp"
#include "models/schedules/nccl/nccl_call.hpp"
#include "sim/libraries/nccl_machine.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <list>
#include <mutex>

namespace gradflight {

namespace {

const char* name_of_library(nccl::Library library) { return library == nccl::Library::rccl ? "rccl" : "nccl"; }

/// Keeps what can be simulated: rings, trees, NVLS in one node and NVLS trees.
nccl::Machine simulated_part(nccl::Machine machine) {
  machine.collnet = false;
  return machine;
}

/// Removes PAT, which cannot be simulated. `network_reduces`: the machine had CollNet before it was removed.
nccl::Tuning simulated_part(nccl::Tuning tuning, bool network_reduces) {
  for (auto& of_operation : tuning.costs) {
    for (nccl::Cost& cost : of_operation[static_cast<std::size_t>(nccl::Algorithm::pat)])
      cost = {0, 0, cost.why_not.empty() ? "its calls are not simulated" : cost.why_not};
    for (auto& of_algorithm : of_operation)
      for (nccl::Cost& cost : of_algorithm) {
        if (network_reduces && cost.why_not == nccl::needs_collnet) cost.why_not = "its calls are not simulated";
        if (network_reduces && cost.why_not == nccl::nvls_needs_collnet)
          cost.why_not = "its calls among several nodes are not simulated";
      }
  }
  return tuning;
}

/// `machine` may have CollNet; the setup's machine has not.
NcclSetup search_setup(const nccl::Machine& machine, nccl::Library library, int release) {
  const nccl::Machine part = simulated_part(machine);
  nccl::Graphs graphs = nccl::search(part);
  if (library == nccl::Library::rccl) nccl::use_disjoint_rings(part, graphs);
  const nccl::Tuning tuning = library == nccl::Library::rccl
                                  ? nccl::tune_rccl(part, graphs)
                                  : simulated_part(nccl::tune(part, graphs, release), machine.collnet);
  return {part, std::move(graphs), tuning};
}

/// Caches setups by what they depend on. Threads that want the same setup search only once.
class KeptSetups {
public:
  std::shared_ptr<const NcclSetup> setup(const nccl::Machine& machine, nccl::Library library, int release) {
    const std::shared_ptr<Entry> entry = entry_of(machine, library, release);
    std::call_once(entry->searched,
                   [&] { entry->setup = std::make_shared<const NcclSetup>(search_setup(machine, library, release)); });
    return entry->setup;
  }

private:
  struct Entry {
    nccl::Machine machine;
    nccl::Library library;
    int release;
    std::once_flag searched{};
    std::shared_ptr<const NcclSetup> setup{};
    Entry(nccl::Machine of, nccl::Library by, int at) : machine(std::move(of)), library(by), release(at) {}
  };
  /// Bounds the memory, since sweeps use any number of machines.
  static constexpr std::size_t most = 64;

  std::shared_ptr<Entry> entry_of(const nccl::Machine& machine, nccl::Library library, int release) {
    const std::lock_guard lock(mutex_);
    const auto same = std::ranges::find_if(entries_, [&](const auto& entry) {
      return entry->library == library && entry->release == release && entry->machine == machine;
    });
    if (same != entries_.end())
      entries_.splice(entries_.begin(), entries_, same);
    else
      entries_.push_front(std::make_shared<Entry>(machine, library, release));
    if (entries_.size() > most) entries_.pop_back();
    return entries_.front();
  }

  std::mutex mutex_;
  std::list<std::shared_ptr<Entry>> entries_; ///< the one requested last comes first
};

/// NVLS inside a node: plain NVLS at the switch's efficiency, all channels side by side. `chunk`: elements of a head's
/// block per step.
NcclCall in_switch(const nccl::Machine& machine, Operation op, std::int64_t elements, std::int64_t chunk) {
  GroupSpec spec;
  spec.op = op;
  spec.ranks = machine.ranks();
  spec.elements = elements;
  spec.chunk = std::max<std::int64_t>(1, chunk);
  NcclCall call = make_nvls_call(machine);
  call.schedule = make_group_schedule(*group_collective(op == Operation::all_reduce ? "nvls" : "in_switch"), spec);
  return call;
}

/// Returns the number of channels with data.
int channels_used(const NcclSetup& setup, Operation op, std::int64_t elements, double element_size,
                  const nccl::Choice& choice) {
  return static_cast<int>(
      nccl::shape_of(setup.tuning, op, static_cast<double>(elements) * element_size, choice).channels.size());
}

/// Returns the elements of a head's block that all NCCL channels together handle per step.
std::int64_t nvls_chunk(const NcclSetup& setup, Operation op, std::int64_t elements, double element_size,
                        const nccl::Choice& choice) {
  double bytes = 0;
  for (const nccl::ChannelShape& channel :
       nccl::shape_of(setup.tuning, op, static_cast<double>(elements) * element_size, choice).channels)
    bytes += channel.chunk;
  return static_cast<std::int64_t>(bytes / element_size);
}

} // namespace

bool is_amd(const PlatformSpec& platform) {
  return platform.node && platform.node->gpu.generation >= GpuGeneration::cdna2;
}

bool has_rccl(const PlatformSpec& platform) {
  return platform.node && platform.node->gpu.generation == GpuGeneration::cdna3;
}

std::vector<std::string> nccl_mistakes(const PlatformSpec& platform, int nodes, int gpus_per_node,
                                       nccl::Library library) {
  if (!platform.node)
    return {fmt::format("{} chooses by the links inside the machines: give the platform \"node\", or a machine of the "
                        "catalogue (\"machine\": \"dgx-a100\")",
                        name_of_library(library))};
  std::vector<std::string> mistakes = nccl::mistakes_of(nccl_machine(platform, nodes, gpus_per_node));
  const bool amd = is_amd(platform);
  if (library == nccl::Library::rccl && !has_rccl(platform))
    mistakes.push_back(fmt::format("rccl is known for MI300 GPUs only: use {}\"mpi\" or a plain schedule for others",
                                   amd ? "" : "\"nccl\", "));
  if (library == nccl::Library::nccl && amd)
    mistakes.push_back(fmt::format("nccl does not run on AMD's GPUs: use {}\"mpi\" or a plain schedule",
                                   has_rccl(platform) ? "\"rccl\", " : ""));
  return mistakes;
}

std::shared_ptr<const NcclSetup> nccl_setup(const PlatformSpec& platform, int nodes, int gpus_per_node,
                                            nccl::Library library, int release) {
  nccl::Machine machine = nccl_machine(platform, nodes, gpus_per_node);
  if (library == nccl::Library::rccl && !machine.links.empty()) machine.nvlink = nccl::xgmi_rate;
  // RCCL has PXN, but does not use it by default (NCCL_PXN_DISABLE).
  machine.pxn = library == nccl::Library::nccl && nccl::tables_of(release).pxn;
  static KeptSetups kept;
  return kept.setup(machine, library, release);
}

std::string nccl_refused(const NcclSetup& setup, Operation op, const nccl::Forced& forced) {
  if (nccl::has_table(op)) return nccl::choose(setup.tuning, op, 1, forced).refused;
  std::vector<std::string> needless;
  if (forced.algorithm)
    needless.push_back(fmt::format("the algorithm (\":{}\")", nccl::algorithm_name(*forced.algorithm)));
  if (forced.protocol) needless.emplace_back("the protocol");
  if (forced.channels > 0) needless.emplace_back("the number of channels");
  if (needless.empty()) return {};
  return fmt::format("{} uses sends and receives for {}: leave out {}",
                     setup.tuning.library == nccl::Library::rccl ? "RCCL" : "NCCL", operation_name(op),
                     enumerated(needless, " and "));
}

LibraryCall nccl_library_call(const NcclSetup& setup, Operation op, std::int64_t elements, double element_size,
                              const nccl::Forced& forced) {
  const char* library = name_of_library(setup.tuning.library);
  LibraryCall call;
  NcclCall nccl_call;
  std::optional<nccl::MscclChoice> msccl;
  if (setup.tuning.library == nccl::Library::rccl && !forced.any())
    msccl = nccl::msccl_choice(setup.machine, op, elements, element_size);
  if (msccl) {
    call.algorithm = fmt::format("{}:msccl", library);
    call.protocol = nccl::protocol_name(msccl->protocol);
    call.why = "MSCCL's schedule of all pairs";
    nccl_call = make_msccl_call(setup.machine, setup.graphs, op, elements, *msccl);
  } else if (!nccl::has_table(op)) {
    call.algorithm = fmt::format("{}:sendrecv", library);
    nccl_call = make_nccl_exchange(setup.machine, setup.graphs, setup.tuning, op, elements, element_size);
    call.why = "sends and receives in one group";
    if (const int channels = nccl_call.message_channels; channels > 0)
      call.why += fmt::format(", each in {}", counted(channels, "channel"));
  } else {
    const nccl::Choice choice = nccl::choose(setup.tuning, op, static_cast<double>(elements) * element_size, forced);
    call.algorithm = fmt::format("{}:{}", library, nccl::algorithm_name(choice.algorithm));
    call.protocol = nccl::protocol_name(choice.protocol);
    call.channels = channels_used(setup, op, elements, element_size, choice);
    call.why = choice.why;
    call.model_time_us = choice.time_us;
    if (choice.algorithm == nccl::Algorithm::nvls)
      nccl_call = in_switch(setup.machine, op, elements, nvls_chunk(setup, op, elements, element_size, choice));
    else if (choice.algorithm == nccl::Algorithm::nvls_tree)
      nccl_call = make_nvls_tree_call(setup.machine, setup.graphs, setup.tuning, elements, element_size, choice);
    else
      nccl_call = make_nccl_call(setup.machine, setup.graphs, setup.tuning, op, elements, element_size, choice);
  }
  call.schedule = std::move(nccl_call.schedule);
  call.hops = nccl_call.hops;
  call.launch = nccl_call.launch + 1e-6 * setup.tuning.channel_rules.last_block(call.channels);
  return call;
}

} // namespace gradflight
