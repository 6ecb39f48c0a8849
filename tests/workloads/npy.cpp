#include "workloads/code/npy.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <zlib.h>

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
  check(file_of(good + " x", {1, 2}), "text after the dictionary");
  check(file_of("{'descr': '<f4', 'more': 'x', 'fortran_order': False, 'shape': (2,), }", {1, 2}), "unexpected key");
  auto cut = file_of(good, {1, 2});
  cut.resize(30);
  check(cut, "ends inside its header");
}

/// Compresses like gzip, in one member.
std::vector<std::byte> gzip_of(const std::vector<std::byte>& plain) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::vector<std::byte> packed(deflateBound(&stream, plain.size()));
  std::vector<Bytef> in(plain.size());
  std::memcpy(in.data(), plain.data(), plain.size());
  stream.next_in = in.data();
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST_CASE("a .npy within gzip is read as the plain one, and damage is told") {
  std::vector<float> values(700'001); // more than one piece after decompression
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 3 == 0 ? 0.0F : 1.0F / static_cast<float>(i);
  const auto plain = file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (700001,), }", values);
  const auto packed = gzip_of(plain);
  CHECK(packed.size() < plain.size());
  const NpyTensor tensor = parse_npy(packed);
  CHECK(tensor.shape == std::vector<std::size_t>{values.size()});
  CHECK((tensor.values == values));

  for (const std::size_t size : {std::size_t{2}, std::size_t{20}, packed.size() / 2, packed.size() - 1})
    CHECK_THROWS_WITH(parse_npy(std::span(packed).first(size)), Catch::Contains("its gzip data ends early, after "));
  auto damaged = packed;
  damaged.back() ^= std::byte{1}; // in the size at the end of a gzip file
  CHECK_THROWS_WITH(parse_npy(damaged), Catch::Contains("its gzip data is damaged, after "));
  auto longer = packed;
  longer.push_back(std::byte{0});
  CHECK_THROWS_WITH(parse_npy(longer), "bytes follow its gzip data");
  const std::vector<std::byte> text(5, std::byte{'a'});
  CHECK_THROWS_WITH(parse_npy(gzip_of(text)), "it is not a .npy file");
}

} // namespace
} // namespace gradflight
