#include "analysis/run/files/codec_files.hpp"

#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const std::string npy_text = "\x93NUMPY and more", gzip_text = "\x1f\x8b and more", other_text = "encoded bytes";

std::string refused(const fs::path& out, const fs::path& in, CodecOutput output) {
  try {
    require_writable(out, in, output);
  } catch (const OutputError& error) {
    return error.what();
  }
  return {};
}

} // namespace

TEST_CASE("encoded bytes replace no tensor, and a tensor nothing but a tensor") {
  const TemporaryDirectory directory;
  const auto in = directory.write("in", other_text);
  const auto file = [&](const std::string& text) { return directory.write("out", text); };
  using enum CodecOutput;
  CHECK(refused(directory.path("new"), in, bytes).empty());
  CHECK(refused(directory.path("new"), in, tensor).empty());
  for (const CodecOutput output : {bytes, tensor}) CHECK(refused(file(""), in, output).empty());
  CHECK(refused(file(other_text), in, bytes).empty());
  CHECK(refused(file(npy_text), in, tensor).empty());
  CHECK_THAT(refused(file(npy_text), in, bytes), Contains("exists and is a .npy tensor"));
  CHECK_THAT(refused(file(gzip_text), in, bytes), Contains("exists and is a gzip file"));
  for (const std::string& text : {gzip_text, other_text, std::string("\x93")})
    CHECK_THAT(refused(file(text), in, tensor), Contains("exists and is not a .npy file"));
}

TEST_CASE("the input is not written over, whatever it is called") {
  const TemporaryDirectory directory;
  const auto in = directory.write("in.npy", npy_text);
  fs::create_hard_link(in, directory.path("link.npy"));
  for (const std::string& out : {in, directory.path("./in.npy"), directory.path("link.npy")})
    CHECK_THAT(refused(out, in, CodecOutput::tensor), Contains("is the input"));
}

TEST_CASE("the tensors below a directory, by path: a file is itself, whatever its name") {
  const TemporaryDirectory directory;
  for (const char* name : {"b.npy", "a/z.npy.gz", "a/x.gz", "npy", "c.json"}) directory.write(name, npy_text);
  CHECK(tensor_files(directory.path()) == std::vector<fs::path>{directory.path("a/z.npy.gz"), directory.path("b.npy")});
  CHECK(tensor_files(directory.path("c.json")) == std::vector<fs::path>{directory.path("c.json")});
  fs::create_directory(directory.path("none"));
  CHECK_THAT(errors_of([&] { tensor_files(directory.path("none")); }), Contains("holds no .npy or .npy.gz files"));
}

TEST_CASE("what is written reads back: what cannot be read is told by its name") {
  const TemporaryDirectory directory;
  const fs::path tensor = directory.path("t.npy"), bytes = directory.path("b.bin");
  const std::vector<float> values = {1, -2.5F, 0};
  {
    OutputFile file(tensor);
    write_tensor(file, std::vector<std::size_t>{3}, values);
    file.commit();
  }
  CHECK(read_tensor(tensor).values == values);
  const std::vector<std::byte> long_text((std::size_t{1} << 16) + 1, std::byte{7});
  {
    OutputFile file(bytes);
    write_bytes(file, long_text);
    file.commit();
  }
  CHECK(read_bytes(bytes) == long_text);
  CHECK_THAT(errors_of([&] { read_tensor(bytes); }), Contains("b.bin: it is not a .npy file"));
  CHECK_THAT(errors_of([&] { read_bytes(directory.path("none")); }), Contains("none: no such file"));
  CHECK_THAT(errors_of([&] { read_bytes(directory.path()); }), Contains("is a directory"));
}
