// Communication libraries by name, as in the command line and scenarios: what each would do with a call.
#pragma once

#include "sim/libraries/mpi_library.hpp"
#include "sim/libraries/nccl_library.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

enum class LibraryKind : std::uint8_t { nccl, rccl, mpi };

/// "nccl:tree", "nccl-2.18:tree": the library, NCCL's release, and after the colon an algorithm or Open MPI's release.
struct LibraryName {
  LibraryKind kind = LibraryKind::nccl;
  std::string detail{};
  std::optional<std::string> release{}; ///< as it was written; absent: the newest known one
};
/// Returns nothing if the first word names no library.
std::optional<LibraryName> library_named(std::string_view name);
/// Returns the names of the catalogue's rows, and one with a release as an example: "nccl", "nccl:ring", ...
std::vector<std::string> library_names();

/// Returns the library that the platform's GPUs come with; nothing if the platform has no "node", or if none is known.
std::optional<LibraryName> own_library(const PlatformSpec& platform);

/// Further prescribed choices.
struct LibrarySettings {
  std::string protocol{}; ///< empty: the library chooses
  int channels = 0;       ///< 0: the library chooses
};

/// One rank on each of the first `gpus_per_node` GPUs of the first `nodes` nodes.
struct LibraryRanks {
  int nodes = 0, gpus_per_node = 0;
  [[nodiscard]] int count() const { return nodes * gpus_per_node; }
};

/// Returns what is wrong with that library on this platform, a sentence each; if empty, Library can be constructed.
std::vector<std::string> library_mistakes(const LibraryName& name, const LibrarySettings& settings,
                                          const PlatformSpec& platform, LibraryRanks ranks);

class Library {
public:
  /// Requires no library_mistakes() and at least two ranks. May take seconds (nccl_setup).
  Library(const LibraryName& name, const LibrarySettings& settings, const PlatformSpec& platform, LibraryRanks ranks);

  /// Returns why it cannot do the operation; empty if it can.
  [[nodiscard]] std::string refused(Operation op) const;
  /// `elements` > 0, counted as in GroupSpec; for blocks, whole ones for each rank. The operation must not be refused.
  [[nodiscard]] LibraryCall call(Operation op, std::int64_t elements, double element_size) const;
  /// What NCCL or RCCL has found; null for other libraries.
  [[nodiscard]] const NcclSetup* setup() const { return setup_.get(); }

private:
  std::shared_ptr<const NcclSetup> setup_; ///< for NCCL and RCCL
  nccl::Forced forced_;
  openmpi::Release release_ = openmpi::Release::v4_1;
  int ranks_;
};

} // namespace gradflight
