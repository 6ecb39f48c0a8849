// Properties of a GPU that matter for communication: its links to other GPUs and to the host. The catalogue of types.
#pragma once

#include "models/units/units.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Libraries choose by the generation.
enum class GpuGeneration { kepler, pascal, volta, ampere, hopper, blackwell, cdna2, cdna3 };

struct GpuType {
  std::string name{}; ///< for display, if it is not in the catalogue
  GpuGeneration generation = GpuGeneration::ampere;
  int links = 0;                       ///< NVLink or xGMI links, >= 0
  ByteRate link_rate{};                ///< of one link in one direction, from the data sheet; > 0 if it has links
  double link_efficiency = 1;          ///< share of `link_rate` that payload reaches, in (0, 1]
  int pcie_generation = 4;             ///< 1 to 6
  int pcie_lanes = 16;                 ///< 1 to 32
  double pcie_efficiency = 1;          ///< share of the lanes' bits that payload reaches, in (0, 1]
  std::optional<ByteRate> host_link{}; ///< payload to the host in one direction, if no PCIe leads there (NVLink-C2C)
  std::string source{};

  bool operator==(const GpuType&) const = default;

  /// Payload bytes per second in one direction.
  [[nodiscard]] ByteRate link_payload() const { return link_rate * link_efficiency; }
  [[nodiscard]] ByteRate to_host() const;
};

/// Returns the lanes' bits without line code, in bytes per second and direction: 15.75 GB/s for generation 3, 16 lanes.
ByteRate pcie_rate(int generation, int lanes);

/// Rates from data sheets; an efficiency is NCCL's or RCCL's own figure for a link, divided by the data sheet's.
const std::vector<GpuType>& gpu_types();
} // namespace gradflight
