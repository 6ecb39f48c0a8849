// Compares the catalogue with the papers' totals, with its own arithmetic, and with the table of docs/workloads.md.
#include "tests/workloads/catalogue.hpp"

#include <cmath>
#include <set>
#include <sstream>

using namespace gradflight;
using namespace gradflight::testing;

namespace {

std::vector<std::string> network_names() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir / "workloads/networks"))
    names.insert(entry.path().stem().string());
  return {names.begin(), names.end()};
}

LayerFlops sum(const std::vector<LayerFlops>& flops) {
  LayerFlops total;
  for (const LayerFlops& layer : flops) {
    total.forward += layer.forward;
    total.backward += layer.backward;
  }
  return total;
}

std::string grouped(std::int64_t value) {
  std::string text = std::to_string(value);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

double mib(const Workload& workload) { return static_cast<double>(workload.elements()) * 4 / (1024 * 1024); }

/// Returns the elements of all tensors in layers with this prefix of their name.
std::int64_t elements_of(const Workload& workload, const std::string& prefix) {
  std::int64_t sum = 0;
  for (const Layer& layer : workload.layers)
    if (layer.name.rfind(prefix, 0) == 0)
      for (const Tensor& tensor : layer.tensors) sum += tensor.elements;
  return sum;
}

const nlohmann::json& layer_of(const nlohmann::json& network, const std::string& name) {
  for (const auto& layer : network.at("layers"))
    if (layer.at("name") == name) return layer;
  FAIL("no layer " << name);
  return network;
}

} // namespace

TEST_CASE("every network is well formed") {
  const auto names = network_names();
  REQUIRE(names.size() == 16);
  for (const std::string& name : names) {
    INFO(name);
    const auto network = read_network(name);
    CHECK(network.at("name") == name);
    CHECK_FALSE(network.at("source").get<std::string>().empty());
    std::set<std::string> layers, tensors;
    for (const auto& layer : network.at("layers")) {
      CHECK(layers.insert(layer.at("name").get<std::string>()).second);
      CHECK(layer.at("flops_forward").get<double>() > 0);
      CHECK(layer.at("flops_backward").get<double>() >= 0);
      for (const auto& tensor : layer.at("tensors")) {
        CHECK(tensors.insert(tensor.at("name").get<std::string>()).second);
        CHECK_FALSE(tensor.at("shape").empty());
        CHECK(size_of(tensor.at("shape")) >= 1);
      }
    }
  }
}

TEST_CASE("FLOPs follow from the shapes") {
  // A matrix is used once per sample, and a kernel once for every pixel of its (square) output. Backward costs twice
  // that, except that the first layer needs no gradient of its input.
  for (const std::string& name : network_names()) {
    if (name == "lstm_ptb") continue;
    const auto network = read_network(name);
    bool first = true;
    int checked = 0;
    for (const auto& layer : network.at("layers")) {
      if (layer.at("tensors").empty() || layer.at("tensors")[0].at("shape").size() < 2) continue;
      INFO(name << " " << layer.at("name"));
      const auto& shape = layer.at("tensors")[0].at("shape");
      const auto forward = layer.at("flops_forward").get<std::int64_t>();
      const std::int64_t once = 2 * size_of(shape);
      REQUIRE(forward % once == 0);
      const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(forward / once))));
      CHECK(side * side * once == forward);
      if (shape.size() == 2) CHECK(side == 1);
      CHECK(layer.at("flops_backward").get<std::int64_t>() == (first ? 1 : 2) * forward);
      first = false;
      ++checked;
    }
    CHECK(checked >= 3);
  }
}

TEST_CASE("LSTM-PTB counts a sequence of 35 tokens as a sample") {
  const auto network = read_network("lstm_ptb");
  CHECK(layer_of(network, "softmax_fc").at("flops_forward").get<std::int64_t>() == 35 * 2 * 10000 * 1500);
  CHECK(layer_of(network, "softmax_fc").at("flops_backward").get<std::int64_t>() == 35 * 4 * 10000 * 1500);
  CHECK(layer_of(network, "lstm1").at("flops_forward").get<std::int64_t>() >= 35LL * 2 * 2 * 6000 * 1500);
}

TEST_CASE("sizes that INCEPTIONN gives, in MiB") {
  const auto size = [](const char* name) { return mib(to_workload(read_network(name))); };
  CHECK(size("alexnet_caffe") == Approx(233).epsilon(0.005));
  CHECK(size("resnet50") == Approx(98).epsilon(0.01));
  CHECK(size("vgg16_imagenet") == Approx(525).epsilon(0.01));
  CHECK(size("mnist_mlp") == Approx(2.5).epsilon(0.015));
  CHECK(size("hdc_5fc") > 1.7 * 2.5); // the paper's description and its size contradict each other
}

TEST_CASE("counts that GradientFlow gives") {
  const Workload alexnet = to_workload(read_network("alexnet_bn_26t"));
  CHECK(tensor_count(alexnet) == 26);
  CHECK(static_cast<double>(alexnet.elements()) == Approx(60.9e6).epsilon(0.002));
  CHECK(2 * 4e-6 * static_cast<double>(alexnet.elements()) == Approx(488).epsilon(0.001)); // ring traffic, Sec. 2.4
  CHECK(100.0 * static_cast<double>(elements_of(alexnet, "fc")) / static_cast<double>(alexnet.elements()) ==
        Approx(96.2).epsilon(0.001));

  CHECK(tensor_count(to_workload(read_network("resnet50"))) == 161); // the standard network
  CHECK(tensor_count(to_workload(read_network("resnet50_noscbn"))) == 153);
  CHECK(tensor_count(to_workload(read_network("resnet50_noscbn_nofcbias"))) == 152);
  CHECK(static_cast<double>(to_workload(read_network("resnet50_noscbn")).elements()) == Approx(25.5e6).epsilon(0.003));
  // First without the shortcuts' batch normalisation, then without the last bias; nothing else is missing.
  const auto elements = [](const char* name) { return to_workload(read_network(name)).elements(); };
  CHECK(elements("resnet50") - elements("resnet50_noscbn") == 2 * (256 + 512 + 1024 + 2048));
  CHECK(elements("resnet50_noscbn") - elements("resnet50_noscbn_nofcbias") == 1000);
}

TEST_CASE("sizes that gTop-k, 3LC and their sources give") {
  const auto elements = [](const char* name) {
    return static_cast<double>(to_workload(read_network(name)).elements());
  };
  CHECK(4 * elements("resnet50") == Approx(100e6).epsilon(0.025)); // "approximate", gTop-k Sec. IV-C
  CHECK(elements("resnet20_cifar") == Approx(0.27e6).epsilon(0.002));
  CHECK(elements("resnet110_cifar") == Approx(1.7e6).epsilon(0.02));
  CHECK(elements("alexnet_owt") == 61100840);     // torchvision.models.alexnet
  CHECK(elements("resnet18") == 11689512);        // torchvision.models.resnet18
  CHECK(elements("resnet50") == 25557032);        // torchvision.models.resnet50
  CHECK(elements("vgg16_imagenet") == 138357544); // torchvision.models.vgg16
  CHECK(elements("vgg16_cifar") == 14728266);     // gTop-k's authors' code
  CHECK(elements("vgg16_cifar_3fc") - elements("vgg16_cifar") == 2 * 512 * 513);
  CHECK(elements("lstm_ptb") == 10000 * 1500.0 + 2 * (2 * 6000 * 1500.0 + 2 * 6000) + 10000 * 1501.0);

  std::int64_t normalisation = 0; // the parameters that 3LC leaves uncompressed
  for (const Layer& layer : to_workload(read_network("resnet110_cifar")).layers)
    if (layer.name.find("bn") != std::string::npos)
      for (const Tensor& tensor : layer.tensors) normalisation += tensor.elements;
  CHECK(normalisation == 8096);
}

TEST_CASE("GMAC of the definitions") {
  const auto gmac = [](const char* name) { return sum(to_flops(read_network(name))).forward / 2e9; };
  CHECK(gmac("resnet50") == Approx(4.09).epsilon(0.01));
  CHECK(gmac("resnet18") == Approx(1.81).epsilon(0.01));
  CHECK(gmac("vgg16_imagenet") == Approx(15.47).epsilon(0.01));
  CHECK(gmac("alexnet_caffe") == Approx(0.724).epsilon(0.01));
  CHECK(gmac("alexnet_owt") == Approx(0.714).epsilon(0.01));
}

TEST_CASE("the table in docs/workloads.md is the catalogue") {
  std::ifstream file(source_dir / "docs/workloads.md");
  REQUIRE(file);
  std::set<std::string> rows;
  for (std::string line; std::getline(file, line);) rows.insert(line);
  for (const std::string& name : network_names()) {
    const auto network = read_network(name);
    const Workload workload = to_workload(network);
    const LayerFlops flops = sum(to_flops(network));
    std::ostringstream row;
    row.setf(std::ios::fixed);
    row.precision(2);
    row << "| `" << name << "` | " << workload.layers.size() << " | " << tensor_count(workload) << " | "
        << grouped(workload.elements()) << " | " << static_cast<double>(workload.elements()) * 4e-6 << " | "
        << mib(workload) << " | " << grouped(static_cast<std::int64_t>(flops.forward)) << " | "
        << grouped(static_cast<std::int64_t>(flops.backward)) << " |";
    INFO(row.str());
    CHECK(rows.count(row.str()) == 1);
  }
}
