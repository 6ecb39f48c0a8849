// Compares the traces with the figures printed in the papers.
#include "tests/workloads/catalogue.hpp"

#include <set>

using namespace gradflight;
using namespace gradflight::testing;

namespace {

struct Reported {
  const char* path;
  const char* network;
  int batch;
  double forward, backward, update; ///< seconds; 0 if the paper has only images_per_s
  double images_per_s;
  double tolerance; ///< half a unit of the last printed digit
};

// INCEPTIONN: Table II / 100. GradientFlow: images/s of one GPU, Sec. 2.3.3 and 2.5, with the rounding there; some are
// computed from Tables 1 and 2 with the speedup ratio. gTop-k: Table VI's throughput column instead of its times, and
// Fig. 11.
const std::vector<Reported> reported{
    {"inceptionn/alexnet-titanxp-64", "alexnet_caffe", 64, 0.0313, 0.1622, 0.1367, 0, 1e-12},
    {"inceptionn/hdc-titanxp-25", "mnist_mlp", 25, 0.0008, 0.0007, 0.0009, 0, 1e-12},
    {"inceptionn/resnet50-titanxp-16", "resnet50", 16, 0.0263, 0.0487, 0.0155, 0, 1e-12},
    {"inceptionn/vgg16-titanxp-64", "vgg16_imagenet", 64, 0.3525, 1.4234, 0.305, 0, 1e-12},
    {"gradientflow/alexnet-pascal-fp32-128", "alexnet_bn_26t", 128, 0, 0, 0, 1670, 1e-9},
    {"gradientflow/alexnet-pascal-mp-128", "alexnet_bn_26t", 128, 0, 0, 0, 1900, 100}, // 1,977, truncated to 1.9K
    {"gradientflow/alexnet-volta-fp32-128", "alexnet_bn_26t", 128, 0, 0, 0, 2900, 1e-9},
    {"gradientflow/alexnet-volta-mp-128", "alexnet_bn_26t", 128, 0, 0, 0, 3700, 50},
    {"gradientflow/resnet50-pascal-fp32-64", "resnet50_noscbn", 64, 0, 0, 0, 172, 1e-9},
    {"gradientflow/resnet50-pascal-mp-64", "resnet50_noscbn", 64, 0, 0, 0, 223, 1e-9},
    {"gradientflow/resnet50-pascal-mp-128", "resnet50_noscbn", 128, 0, 0, 0, 28200 / 117.7,
     0.2}, // Sec. 3.1, no overlap
    {"gradientflow/resnet50-volta-fp32-128", "resnet50_noscbn", 128, 0, 0, 0, 301, 1e-9},
    {"gradientflow/resnet50-volta-mp-128", "resnet50_noscbn", 128, 0, 0, 0, 621, 1e-9},
    {"gtop-k/vgg16-p102-128", "vgg16_cifar", 128, 0, 0, 0, 1317, 7}, // the time has two digits
    {"gtop-k/resnet20-p102-128", "resnet20_cifar", 128, 0, 0, 0, 876, 3},
    {"gtop-k/alexnet-p102-64", "alexnet_owt", 64, 0, 0, 0, 173, 0.5},
    {"gtop-k/resnet50-p102-256", "resnet50", 256, 0, 0, 0, 52, 1}, // 52.87, truncated to 52
    {"gtop-k/resnet50-p102-16", "resnet50", 16, 0, 0, 0, 52, 1},
    {"gtop-k/vgg16-p102-128-in-cluster", "vgg16_cifar", 128, 0, 0, 0, 128 / 0.139536, 1e-9}, // Fig. 11's times
    {"gtop-k/resnet20-p102-128-in-cluster", "resnet20_cifar", 128, 0, 0, 0, 128 / 0.146005, 1e-9},
    {"gtop-k/alexnet-p102-64-in-cluster", "alexnet_owt", 64, 0, 0, 0, 64 / 0.257205, 1e-9},
    {"gtop-k/resnet50-p102-16-in-cluster", "resnet50", 16, 0, 0, 0, 256 / 4.882041, 1e-9},
    {"gtop-k/lstm-ptb-p102-100", "lstm_ptb", 100, 0, 0, 0, 392, 1e-9}, // in the figures' note
};

double seconds(const nlohmann::json& quantity) {
  const std::string text = quantity;
  std::size_t end = 0;
  const double value = std::stod(text, &end);
  const std::string unit = text.substr(end);
  REQUIRE((unit == "s" || unit == "ms"));
  return unit == "ms" ? value / 1000 : value;
}

} // namespace

TEST_CASE("every trace gives the paper's figure") {
  std::set<std::string> found;
  const auto folder = source_dir / "workloads/traces";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      found.insert(std::filesystem::relative(entry.path(), folder).replace_extension().generic_string());
  REQUIRE(found.size() == reported.size());

  for (const Reported& row : reported) {
    INFO(row.path);
    REQUIRE(found.count(row.path) == 1);
    const auto path = folder / (std::string(row.path) + ".json");
    const auto trace = read_json(path);
    const auto network = path.parent_path() / trace.at("extends").get<std::string>();
    CHECK(network.stem() == row.network);
    CHECK(std::filesystem::exists(network));
    CHECK(trace.at("batch") == row.batch);
    CHECK(trace.at("source").get<std::string>().find("split over the layers by FLOPs") != std::string::npos);
    const auto& compute = trace.at("compute");
    CHECK(compute.at("split") == "flops");
    if (row.images_per_s > 0) {
      CHECK(row.batch / seconds(compute.at("total")) == Approx(row.images_per_s).epsilon(0).margin(row.tolerance));
    } else {
      CHECK(seconds(compute.at("forward")) == Approx(row.forward).epsilon(row.tolerance));
      CHECK(seconds(compute.at("backward")) == Approx(row.backward).epsilon(row.tolerance));
      CHECK(seconds(compute.at("update")) == Approx(row.update).epsilon(row.tolerance));
    }
  }
}

TEST_CASE("a trace's split gives INCEPTIONN's sustained rates") {
  // 64 samples of AlexNet: 2.97 and 1.06 TFLOP/s. All layers of a direction have the same rate.
  const auto network = read_network("alexnet_caffe");
  const auto trace = read_json(source_dir / "workloads/traces/inceptionn/alexnet-titanxp-64.json");
  Workload workload = to_workload(network);
  const std::vector<LayerFlops> flops = to_flops(network);
  split_by_flops(workload.layers, flops, seconds(trace.at("compute").at("forward")),
                 seconds(trace.at("compute").at("backward")));
  for (std::size_t i = 0; i < flops.size(); ++i) {
    CHECK(64 * flops[i].forward / workload.layers[i].forward == Approx(2.974e12).epsilon(1e-3));
    CHECK(64 * flops[i].backward / workload.layers[i].backward == Approx(1.0645e12).epsilon(1e-3));
  }
}
