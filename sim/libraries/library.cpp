#include "sim/libraries/library.hpp"

#include "models/schedules/parts/collective.hpp"

#include <array>
#include <fmt/format.h>

namespace gradflight {

namespace {

constexpr std::array kinds{std::string_view("nccl"), std::string_view("rccl"), std::string_view("mpi")};

nccl::Library whose(LibraryKind kind) { return kind == LibraryKind::rccl ? nccl::Library::rccl : nccl::Library::nccl; }

std::optional<openmpi::Release> release_named(std::string_view name) {
  if (name.empty() || name == "4.1") return openmpi::Release::v4_1;
  if (name == "4.0") return openmpi::Release::v4_0;
  return std::nullopt;
}

} // namespace

std::optional<LibraryName> library_named(std::string_view name) {
  const auto colon = name.find(':');
  std::string_view kind = name.substr(0, colon);
  std::optional<std::string> release;
  if (constexpr std::string_view with_release = "nccl-"; kind.starts_with(with_release)) {
    release = kind.substr(with_release.size());
    kind = "nccl";
  }
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == kind)
      return LibraryName{static_cast<LibraryKind>(i),
                         std::string(colon == std::string_view::npos ? "" : name.substr(colon + 1)), release};
  return std::nullopt;
}

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const Collective& row : collectives())
    if (by_library(row)) names.emplace_back(row.name);
  names.emplace_back("nccl-2.18");
  return names;
}

std::optional<LibraryName> own_library(const PlatformSpec& platform) {
  if (!platform.node) return std::nullopt;
  if (!is_amd(platform)) return LibraryName{};
  return has_rccl(platform) ? std::optional(LibraryName{.kind = LibraryKind::rccl}) : std::nullopt;
}

std::vector<std::string> library_mistakes(const LibraryName& name, const LibrarySettings& settings,
                                          const PlatformSpec& platform, LibraryRanks ranks) {
  std::vector<std::string> wrong;
  if (ranks.count() < 2) wrong.emplace_back("a collective needs at least two ranks");
  if (name.kind == LibraryKind::mpi) {
    if (!release_named(name.detail))
      wrong.push_back(fmt::format("mpi:{}: unknown release of Open MPI. Allowed: 4.0, 4.1", name.detail));
    if (!settings.protocol.empty()) wrong.emplace_back("Open MPI has no choice of protocol: leave the protocol out");
    if (settings.channels > 0) wrong.emplace_back("Open MPI has no channels: leave the number of channels out");
    return wrong;
  }
  const std::string_view kind = kinds[static_cast<std::size_t>(name.kind)];
  const char* library = name.kind == LibraryKind::rccl ? "RCCL" : "NCCL";
  if (name.release && !nccl::release_named(*name.release))
    wrong.push_back(fmt::format("nccl-{}: unknown release; expected one from 2.{} to 2.{}", *name.release,
                                nccl::oldest_release, nccl::newest_release));
  if (!name.detail.empty() && !nccl::algorithm_named(name.detail))
    wrong.push_back(fmt::format("{}:{}: unknown algorithm of {}. Allowed: {}", kind, name.detail, library,
                                fmt::join(nccl::algorithm_names, ", ")));
  if (!settings.protocol.empty() && !nccl::protocol_named(settings.protocol))
    wrong.push_back(fmt::format("unknown protocol \"{}\" of {}. Allowed: {}", settings.protocol, library,
                                fmt::join(nccl::protocol_names, ", ")));
  if (platform.protocol)
    wrong.push_back(fmt::format("{}'s messages have no framing, acknowledgements and rendezvous of platform.protocol: "
                                "leave it out (node.nic_eager_limit is {}'s limit of rendezvous)",
                                library, library));
  for (std::string& mistake : nccl_mistakes(platform, ranks.nodes, ranks.gpus_per_node, whose(name.kind)))
    wrong.push_back(std::move(mistake));
  return wrong;
}

Library::Library(const LibraryName& name, const LibrarySettings& settings, const PlatformSpec& platform,
                 LibraryRanks ranks)
    : ranks_(ranks.count()) {
  if (name.kind == LibraryKind::mpi) {
    release_ = release_named(name.detail).value();
    return;
  }
  forced_.algorithm = nccl::algorithm_named(name.detail);
  forced_.protocol = nccl::protocol_named(settings.protocol);
  forced_.channels = settings.channels;
  setup_ = nccl_setup(platform, ranks.nodes, ranks.gpus_per_node, whose(name.kind),
                      name.release ? nccl::release_named(*name.release).value() : nccl::newest_release);
}

std::string Library::refused(Operation op) const { return setup_ ? nccl_refused(*setup_, op, forced_) : std::string(); }

LibraryCall Library::call(Operation op, std::int64_t elements, double element_size) const {
  return setup_ ? nccl_library_call(*setup_, op, elements, element_size, forced_)
                : mpi_call(release_, op, ranks_, elements, element_size);
}

} // namespace gradflight
