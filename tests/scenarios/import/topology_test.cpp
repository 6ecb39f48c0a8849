// Machines in the formats of NCCL and nvidia-smi.
#include "scenarios/language/import/topology.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>
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

/// Returns the rate between two processors of a kind, in bytes per second.
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

TEST_CASE("GPUs are at the sockets that the file says") {
  const auto sockets = [](const std::vector<int>& gpus_of_first, const std::vector<int>& gpus_of_second) {
    std::string text = "<system version=\"1\">";
    for (const std::vector<int>* gpus : {&gpus_of_first, &gpus_of_second}) {
      text += "<cpu arch=\"arm64\">";
      for (const int g : *gpus) text += gpu(g);
      text += "</cpu>";
    }
    return *nccl_topology(text + "</system>", "x").platform.node;
  };
  CHECK(sockets({0, 1}, {2, 3}).gpu_sockets.empty()); // in blocks
  CHECK(sockets({0, 2}, {1, 3}).gpu_sockets == std::vector<int>{0, 1, 0, 1});
  CHECK(sockets({0, 1, 2}, {3}).gpu_sockets == std::vector<int>{0, 0, 0, 1});
  CHECK(sockets({0, 1, 2, 3}, {}).sockets == 1);

  const auto matrix = [](const std::string& ends) {
    std::string text = "\tGPU0\tGPU1\tGPU2" + std::string(ends.empty() ? "\n" : "\tCPU Affinity\n");
    for (int a = 0; a < 3; ++a) {
      text += fmt::format("GPU{}", a);
      for (int b = 0; b < 3; ++b) text += a == b ? "\tX" : a == 1 || b == 1 ? "\tSYS" : "\tNODE";
      text += (ends.empty() ? "" : std::string("\t") + (a == 1 ? "16-31" : ends)) + "\n";
    }
    return *nvidia_smi_matrix(text, "x").platform.node;
  };
  CHECK(matrix("0-15").gpu_sockets == std::vector<int>{0, 1, 0});
  CHECK(matrix("").gpu_sockets == std::vector<int>{0, 1, 0}); // by the paths between them
  CHECK(matrix("").sockets == 2);
}

TEST_CASE("links that a file lists twice, or in one direction alone, and other lanes are told") {
  const auto linked = [](int dev, int width, const std::string& links) {
    return fmt::format(
        "<pci busid=\"0000:{}1:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"{}\">"
        "<gpu dev=\"{}\" sm=\"90\">{}</gpu></pci>",
        dev, width, dev, links);
  };
  const auto link_to = [](int dev, int count) {
    return fmt::format("<nvlink target=\"0000:{}1:00.0\" count=\"{}\" tclass=\"0x030200\"/>", dev, count);
  };
  const auto read = [&](const std::string& of_0, const std::string& of_1, int width) {
    return nccl_topology(
        "<system version=\"1\"><cpu>" + linked(0, 16, of_0) + linked(1, width, of_1) + "</cpu></system>", "x");
  };
  const auto told = [](const ImportedTopology& topology, const char* words) {
    return std::ranges::any_of(topology.notes,
                               [&](const std::string& n) { return n.find(words) != std::string::npos; });
  };
  const ImportedTopology twice = read(link_to(1, 2) + link_to(1, 2), link_to(0, 2) + link_to(0, 2), 16);
  CHECK(twice.platform.node->pairs.at(0).links == 4);
  CHECK_FALSE(told(twice, "which has"));
  CHECK_FALSE(told(twice, "PCIe lanes"));
  const ImportedTopology uneven = read(link_to(1, 4), link_to(0, 2), 4);
  CHECK(uneven.platform.node->pairs.at(0).links == 4);
  CHECK(told(uneven, "GPU 0 has 4 links to GPU 1, which has 2 to it: 4 are taken."));
  CHECK(told(uneven, "GPU 0 has 16 PCIe lanes of 32.0 GT/s PCIe, GPU 1 has 4 PCIe lanes of 32.0 GT/s PCIe"));
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

TEST_CASE("what a topology has that a node cannot have is told") {
  const auto with = [](const std::string& first, const std::string& second) {
    const auto entry = [](int dev, const std::string& inside) {
      return fmt::format("<pci busid=\"0000:{}1:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" "
                         "link_width=\"16\"><gpu dev=\"{}\" {}</gpu></pci>",
                         dev, dev, inside);
    };
    return nccl_topology(
        "<system version=\"1\"><cpu numaid=\"0\">" + entry(0, first) + entry(1, second) + "</cpu></system>", "x");
  };
  const auto notes = [](const ImportedTopology& imported) {
    return fmt::format("{}", fmt::join(imported.notes, "\n"));
  };
  const std::string whole = "sm=\"80\"><nvlink target=\"0000:c4:00.0\" count=\"12\" tclass=\"0x068000\"/>",
                    lost = "sm=\"80\"><nvlink target=\"0000:c4:00.0\" count=\"10\" tclass=\"0x068000\"/>";
  CHECK(notes(with(whole, whole)).find("is taken for every GPU") == std::string::npos);
  CHECK_THAT(notes(with(whole, lost)), Catch::Matchers::Contains("GPU 1 has 10 NVLinks to the switch, GPU 0 has 12"));
  CHECK_THAT(notes(with(whole, "sm=\"75\">")), Catch::Matchers::Contains("GPU 0 is of sm 80, GPU 1 of sm 75"));
  const std::string grace = "sm=\"90\"><c2c bw=\"235000\" count=\"1\"/>";
  CHECK(with(grace, grace).platform.node->gpu.host_link->value() == 235e9);
  CHECK_THROWS_AS(nccl_topology("<system version=\"1\"><cpu numaid=\"0\" host_hash=\"0xa\">" + gpu(0) +
                                    "</cpu><cpu numaid=\"0\" host_hash=\"0xb\">" + gpu(1) + "</cpu></system>",
                                "x"),
                  InputErrors);
}

TEST_CASE("a log of a benchmark in place of a topology is named") {
  const test::TemporaryDirectory folder;
  folder.write("x.log", "# nThread 1 nGpus 1 minBytes 8\n# Using devices\n");
  try {
    import_topology(folder.path("x.log"));
    FAIL("it was read");
  } catch (const InputErrors& errors) {
    CHECK_THAT(errors.format(), Catch::Matchers::Contains("this is a log of nccl-tests, rccl-tests or OSU"));
  }
}

TEST_CASE("a NIC whose speed the file does not know is named") {
  const auto with = [](const std::string& nics) {
    return nccl_topology("<system version=\"1\"><cpu numaid=\"0\">" + gpu(0) + "<nic>" + nics + "</nic></cpu></system>",
                         "x");
  };
  const std::string unknown = "<net name=\"eth0\" dev=\"0\" speed=\"-1\" gdr=\"0\"/>";
  const ImportedTopology alone = with(unknown);
  CHECK(alone.notes.front() == "The file gives no speed for eth0: 10 Gbit/s is assumed, as in NCCL; set node.nic.");
  CHECK(alone.platform.node->nics == 1);
  CHECK(alone.platform.node->nic.bandwidth.value() == 10e9 / 8);
  CHECK_FALSE(alone.platform.node->gpudirect);
  const ImportedTopology beside = with(unknown + "<net name=\"mlx5_1\" dev=\"1\" speed=\"200000\" gdr=\"1\"/>");
  CHECK(beside.notes.front() ==
        "NICs without a known speed are left out: eth0. NCCL counts 10 Gbit/s for each; if they "
        "are in use, set node.nics.");
  CHECK(beside.platform.node->nics == 1);
  CHECK(beside.platform.node->nic.bandwidth.value() == 200e9 / 8);
  // Merged ports have no speed of their own.
  const ImportedTopology merged =
      with("<net name=\"mlx5_0+mlx5_1\" dev=\"1\"/><net name=\"mlx5_1\" dev=\"0\" speed=\"200000\" gdr=\"1\"/>");
  CHECK(merged.platform.node->nic.bandwidth.value() == 200e9 / 8);
  for (const std::string& note : merged.notes) CHECK(note.find(" speed") == std::string::npos);
}

TEST_CASE("NICs that no GPU is nearest to are left out, and their rate does not count") {
  const auto on_switch = [](int dev) {
    return fmt::format("<pci busid=\"0000:{}0:00.0\" class=\"0x060400\">{}<pci busid=\"0000:{}2:00.0\"><nic><net "
                       "name=\"mlx5_{}\" dev=\"{}\" speed=\"400000\" gdr=\"1\"/></nic></pci></pci>",
                       dev, gpu(dev), dev, dev, dev + 1);
  };
  // The first NIC, for storage, is on no GPU's switch.
  const ImportedTopology dump = nccl_topology(
      "<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"0000:e8:00.0\"><nic><net name=\"mlx5_9\" dev=\"0\" "
      "speed=\"25000\" gdr=\"1\"/></nic></pci>" +
          on_switch(0) + on_switch(1) + "</cpu></system>",
      "x");
  const NodeSpec& node = *dump.platform.node;
  CHECK(dump.listed_nics == 3);
  CHECK(node.nics == 2);
  CHECK(node.near == std::vector<std::vector<int>>{{0}, {1}});
  CHECK(node.nic_seats == std::vector<int>{0, 1});
  CHECK(node.nic.bandwidth.value() == 400e9 / 8);
  CHECK(dump.notes.front() == "1 of 3 NICs is left out: every GPU has another one as near or nearer.");

  const ImportedTopology matrix = nvidia_smi_matrix(
      "\tGPU0\tGPU1\tNIC0\tNIC1\tNIC2\nGPU0\t X \tNV4\tNODE\tPIX\tNODE\nGPU1\tNV4\t X \tNODE\tNODE\tPIX\n", "x");
  CHECK(matrix.platform.node->nics == 2);
  CHECK(matrix.platform.node->near == std::vector<std::vector<int>>{{0}, {1}});
}

TEST_CASE("a matrix behind labels is read, and one whose last column is cut off is refused") {
  const std::string good = "0: \tGPU0\tGPU1\n0: GPU0\t X \tNV4\n0: GPU1\tNV4\t X \n";
  CHECK(nvidia_smi_matrix(good, "x").platform.node->pairs.size() == 1);
  CHECK(refused_matrix("\tGPU0\tGPU1\n") == "x: the matrix has no row of a GPU, only its header\n");
  CHECK(refused_matrix("\tGPU0\tGPU1\nGPU0\t X \nGPU1\tNV4\n") ==
        "x:2:1: GPU0: the row has 1 of 2 entries; is it cut off?\n"
        "x:3:1: GPU1: the row has 1 of 2 entries; is it cut off?\n");
}

TEST_CASE("a matrix behind labels without blanks, and two matrices in one file") {
  for (const std::string label : {"[1,0]<stdout>:", "[default0]:"}) {
    const ImportedTopology labelled =
        nvidia_smi_matrix(label + "\tGPU0\tGPU1\n" + label + "GPU0\t X \tNV4\n" + label + "GPU1\tNV4\t X \n", "x");
    CHECK(labelled.platform.node->pairs.size() == 1);
  }
  const std::string good = "\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n";
  const std::string ranks = "0: \tGPU0\tGPU1\n1: \tGPU0\tGPU1\n0: GPU0\t X \tNV4\n1: GPU0\t X \tNV4\n"
                            "0: GPU1\tNV4\t X \n1: GPU1\tNV4\t X \n";
  for (const std::string& text : {good + "\nLegend:\n" + good, ranks}) {
    const ImportedTopology twice = nvidia_smi_matrix(text, "x");
    CHECK(twice.platform.node->pairs.size() == 1);
    REQUIRE_FALSE(twice.notes.empty());
    CHECK(twice.notes.front() == "The file has 2 equal matrices: one of them is used.");
  }
  CHECK(refused_matrix(good + "\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV2\t X \n") ==
        "x:5:1: the file has two matrices, which differ in the row of GPU0: keep one of them\n");
  CHECK(refused_matrix(good + "\tGPU0\tGPU1\tGPU2\n") ==
        "x:4:1: the file has two matrices, which differ in their columns: keep one of them\n");
}

TEST_CASE("a matrix underlined, in a Markdown table or with blanks that do not break, and a row is no header") {
  const std::string good = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tNV4\tPIX\t0-15\nGPU1\tNV4\t X \tSYS\t0-15\n";
  std::string underlined = good, lost = good, bars, blanks;
  underlined.replace(underlined.find("GPU0"), 4, "\x1b[4mGPU0")
      .replace(underlined.find("Affinity"), 8, "Affinity\x1b[0m");
  lost.replace(lost.find("GPU0"), 4, "[4mGPU0").replace(lost.find("Affinity"), 8, "Affinity[0m");
  for (const char c : good) {
    bars += c == '\t' ? " | " : std::string(1, c);
    blanks += c == '\t' ? "\xc2\xa0\xc2\xa0" : std::string(1, c);
  }
  for (const std::string& text : {underlined, lost, bars, blanks}) {
    INFO(text);
    const ImportedTopology topology = nvidia_smi_matrix(text, "x");
    CHECK(topology.listed_nics == 1);
    CHECK(topology.platform.node->gpus == 2);
    CHECK(topology.platform.node->pairs.size() == 1);
  }
  CHECK(refused_matrix("\tGPU1\tGPU0\nGPU1\t X \tNV4\nGPU0\tNV4\t X \n") == "x: the matrix lists no GPU\n");
}
