// Artificial gradients for a test, in the form of a capture.
#pragma once

#include "workloads/code/gradients.hpp"
#include "workloads/code/npy.hpp"

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace gradflight::test {

/// Gradients of `workers` workers at two points, in a temporary folder that is deleted with the object.
class Captured {
public:
  Captured(int workers, std::int64_t elements, bool whole_numbers) : elements_(elements), workers_(workers) {
    char name[] = "/tmp/gradflight-test-XXXXXX";
    directory_ = mkdtemp(name);
    std::mt19937 random(7);
    for (const char* point : {"first", "second"}) {
      std::filesystem::create_directory(std::filesystem::path(directory_) / point);
      for (int w = 0; w < workers; ++w) {
        const std::size_t shape[] = {static_cast<std::size_t>(elements)};
        const auto header = npy_header(shape);
        std::ofstream file(std::filesystem::path(directory_) / point / ("worker-" + std::to_string(w) + ".npy"),
                           std::ios::binary);
        file.write(reinterpret_cast<const char*>(header.data()), static_cast<std::streamsize>(header.size()));
        for (std::int64_t i = 0; i < elements; ++i) {
          // Sums of small whole numbers have no rounding errors in any order.
          const auto drawn = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
          const float value = whole_numbers ? drawn : drawn / 10007.0F;
          file.write(reinterpret_cast<const char*>(&value), sizeof value);
        }
      }
    }
  }
  ~Captured() { std::filesystem::remove_all(directory_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  [[nodiscard]] GradientFiles files() const { return {directory_, {"first", "second"}, workers_, elements_}; }

private:
  std::string directory_;
  std::int64_t elements_;
  int workers_;
};

} // namespace gradflight::test
