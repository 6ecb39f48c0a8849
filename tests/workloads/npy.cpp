#include "workloads/code/npy.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>

namespace gradflight {
namespace {

std::vector<std::byte> file_of(const std::string& dictionary, const std::vector<float>& values, char major = 1) {
  std::string text = "\x93NUMPY";
  text += major;
  text += '\0';
  const auto size = dictionary.size();
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) text += static_cast<char>(size >> (8 * i));
  text += dictionary;
  text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

TEST_CASE("a .npy file of float32 is read, whatever its shape and version") {
  const NpyTensor tensor =
      parse_npy(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  \n", {1, 2, 3, 4, 5, 6}));
  CHECK(tensor.shape == std::vector<std::size_t>{2, 3});
  CHECK(tensor.values == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(parse_npy(file_of("{'shape': (), 'fortran_order': False, 'descr': \"<f4\"}\n", {7})).values ==
        std::vector<float>{7});
  CHECK(parse_npy(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", {}, 3)).values.empty());
}

TEST_CASE("headers are NumPy's own, aligned to 64 bytes") {
  for (const auto& shape : {std::vector<std::size_t>{}, {5}, {2, 3}, {0}, {1000000, 1, 1, 7}}) {
    const auto header = npy_header(shape);
    CHECK(header.size() % 64 == 0);
  }
  const std::vector<std::size_t> shape = {5};
  const auto header = npy_header(shape);
  const std::string text(reinterpret_cast<const char*>(header.data()) + 10, header.size() - 10);
  CHECK(text.starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (5,), } "));
  CHECK(text.back() == '\n');
}

TEST_CASE(".npy files of anything else are refused with the reason") {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  const auto check = [](const std::vector<std::byte>& file, const std::string& reason) {
    CHECK_THROWS_WITH(parse_npy(file), Catch::Matchers::Contains(reason));
  };
  check({}, "not a .npy file");
  check(file_of(good, {1, 2}, 4), "format 4.0");
  check(file_of(good, {1}), "ends after 1 of 2 values");
  check(file_of(good, {1, 2, 3}), "bytes follow");
  check(file_of("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", {1, 2}), "'>f4'");
  check(file_of("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", {1, 2}), "'<f8'");
  check(file_of("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", {1, 2}), "Fortran");
  check(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2), }", {1, 2}), "not a tuple");
  check(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", {1, 2}), "whole numbers");
  check(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", {}), "more elements");
  check(file_of("{'descr': '<f4', 'fortran_order': False}", {1}), "lacks");
  check(file_of(good + " x", {1, 2}), "goes on");
  check(file_of("{'descr': '<f4', 'more': 'x', 'fortran_order': False, 'shape': (2,), }", {1, 2}), "unexpected key");
  auto cut = file_of(good, {1, 2});
  cut.resize(30);
  check(cut, "ends inside its header");
}

} // namespace
} // namespace gradflight
