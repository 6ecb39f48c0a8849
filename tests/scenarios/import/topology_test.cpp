// Machines as NCCL and nvidia-smi describe them.
#include "scenarios/language/import/topology.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <string>

using namespace gradflight;

namespace {

std::string gpu(int dev) {
  return fmt::format("<pci busid=\"0000:{}1:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">"
                     "<gpu dev=\"{}\" sm=\"90\"/></pci>",
                     dev, dev);
}

/// What two processors of a kind are joined by, in bytes per second.
double between_two(const std::string& processor) {
  const std::string text =
      fmt::format("<system version=\"1\"><cpu numaid=\"0\" {}>{}</cpu><cpu numaid=\"1\" {}>{}</cpu></system>",
                  processor, gpu(0), processor, gpu(1));
  return nccl_topology(text, "x").platform.node->socket_link->bandwidth.value().value();
}

std::string refused_matrix(const std::string& text) {
  try {
    nvidia_smi_matrix(text, "x");
  } catch (const InputErrors& errors) {
    return errors.format();
  }
  return "read";
}

} // namespace

TEST_CASE("processors are joined at the rate that NCCL counts for their kind") {
  const auto intel = [](int model) {
    return fmt::format("arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"{}\"", model);
  };
  CHECK(between_two(intel(0xCF)) == 40e9);
  CHECK(between_two(intel(143)) == 22e9);
  CHECK(between_two(intel(85)) == 10e9);
  CHECK(between_two(intel(79)) == 6e9);
  CHECK(between_two("arch=\"x86_64\" vendor=\"AuthenticAMD\" familyid=\"143\" modelid=\"49\"") == 16e9);
  CHECK(between_two("arch=\"arm64\" vendor=\"unknown\"") == 6e9);
  CHECK(between_two("arch=\"ppc64\" vendor=\"unknown\"") == 32e9);
}

TEST_CASE("a matrix whose entries are no connections, or contradict one another, is refused with all of them") {
  const std::string good = "\tGPU0\tGPU1\tNIC0\nGPU0\t X \tNV4\tPIX\nGPU1\tNV4\t X \tSYS\n";
  CHECK(refused_matrix(good) == "read");
  CHECK(refused_matrix("\tGPU0\tGPU1\tNIC0\nGPU0\t X \tXGMI\tPIX\nGPU1\tXGMI\t X \tNV99\n") ==
        "x:2:1: GPU0, GPU1: \"XGMI\" is not a connection; expected X, NV1 to NV64, PIX, PXB, PHB, NODE or SYS\n"
        "x:3:1: GPU1, GPU0: \"XGMI\" is not a connection; expected X, NV1 to NV64, PIX, PXB, PHB, NODE or SYS\n"
        "x:3:1: GPU1, NIC0: \"NV99\" is not a connection; expected X, NV1 to NV64, PIX, PXB, PHB, NODE or SYS\n");
  CHECK(refused_matrix("\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tSYS\t X \n") ==
        "x:3:1: GPU1, GPU0: \"SYS\" contradicts the row of GPU0, which has \"NV4\"\n");
}
