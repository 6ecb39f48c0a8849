// Communication libraries by name, as command line and scenarios have them: what each would do with a call.
#pragma once

#include "sim/libraries/mpi_library.hpp"
#include "sim/libraries/nccl_library.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

enum class LibraryKind : std::uint8_t { nccl, rccl, mpi };

/// "nccl:tree", "nccl-2.18:tree": the library, NCCL's release, and behind the colon what is prescribed: an algorithm,
/// or Open MPI's release.
struct LibraryName {
  LibraryKind kind = LibraryKind::nccl;
  std::string detail{};
  std::optional<std::string> release{}; ///< as it was written; absent: the newest that is known
};
/// None where the first word is no library's.
std::optional<LibraryName> library_named(std::string_view name);
/// What is known: "nccl", "nccl:ring", ...
std::vector<std::string> library_names();

/// What else is prescribed.
struct LibrarySettings {
  std::string protocol{}; ///< empty: the library chooses
  int channels = 0;       ///< 0: likewise
};

/// On the first `gpus_per_node` GPUs of the first `nodes` nodes, a rank on each.
struct LibraryRanks {
  int nodes = 0, gpus_per_node = 0;
  [[nodiscard]] int count() const { return nodes * gpus_per_node; }
};

/// What is wrong with that library there, a sentence each; none: there is a Library of it.
std::vector<std::string> library_mistakes(const LibraryName& name, const LibrarySettings& settings,
                                          const PlatformSpec& platform, LibraryRanks ranks);

class Library {
public:
  /// Without library_mistakes(), of two ranks and more. May take seconds (nccl_setup).
  Library(const LibraryName& name, const LibrarySettings& settings, const PlatformSpec& platform, LibraryRanks ranks);

  /// Why it cannot do the operation; empty: it can.
  [[nodiscard]] std::string refused(Operation op) const;
  /// `elements` > 0 as GroupSpec counts them, of blocks whole ones for each rank. Not refused.
  [[nodiscard]] LibraryCall call(Operation op, std::int64_t elements, double element_size) const;
  /// What NCCL or RCCL has found; null of others.
  [[nodiscard]] const NcclSetup* setup() const { return setup_.get(); }

private:
  std::shared_ptr<const NcclSetup> setup_; ///< of NCCL and RCCL
  nccl::Forced forced_;
  openmpi::Release release_ = openmpi::Release::v4_1;
  int ranks_;
};

} // namespace gradflight
