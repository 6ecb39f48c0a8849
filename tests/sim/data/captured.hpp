// Artificial gradients for a test, in the form of a capture.
#pragma once

#include "workloads/code/gradients.hpp"
#include "workloads/code/npy.hpp"

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace gradflight::test {

/// Gradients of `workers` workers at two points, in a temporary folder that is deleted with the object.
class Captured {
public:
  Captured(int workers, std::int64_t elements, bool whole_numbers) : elements_(elements), workers_(workers) {
    char name[] = "/tmp/gradflight-test-XXXXXX";
    directory_ = mkdtemp(name);
    std::mt19937 random(7);
    for (std::size_t point = 0; point < 2; ++point) {
      std::filesystem::create_directory(std::filesystem::path(directory_) / files().points[point]);
      for (int w = 0; w < workers; ++w) {
        std::vector<float> values;
        for (std::int64_t i = 0; i < elements; ++i) {
          // Sums of small whole numbers have no rounding errors in any order.
          const auto drawn = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
          values.push_back(whole_numbers ? drawn : drawn / 10007.0F);
        }
        write(point, w, values);
      }
    }
  }
  ~Captured() { std::filesystem::remove_all(directory_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  /// Replaces the gradient of a worker at a point.
  void write(std::size_t point, int worker, const std::vector<float>& values) const {
    const std::size_t shape[] = {values.size()};
    const auto header = npy_header(shape);
    std::ofstream file(files().path(point, worker), std::ios::binary);
    file.write(reinterpret_cast<const char*>(header.data()), static_cast<std::streamsize>(header.size()));
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof values[0]));
  }
  [[nodiscard]] GradientFiles files() const { return {directory_, {"first", "second"}, workers_, elements_}; }

private:
  std::string directory_;
  std::int64_t elements_;
  int workers_;
};

} // namespace gradflight::test
