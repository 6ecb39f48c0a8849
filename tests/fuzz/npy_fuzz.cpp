// libFuzzer: the .npy reader rejects or reads the bytes; a tensor that it reads is the same after writing and reading
// again.
#include "workloads/code/npy.hpp"

#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gradflight;
  try {
    const NpyTensor tensor = parse_npy({reinterpret_cast<const std::byte*>(data), size});
    const std::vector<std::byte> header = npy_header(tensor.shape);
    std::vector<std::byte> again = header;
    const auto* values = reinterpret_cast<const std::byte*>(tensor.values.data());
    again.insert(again.end(), values, values + tensor.values.size() * sizeof(float));
    const NpyTensor back = parse_npy(again);
    if (back.shape != tensor.shape || back.values.size() != tensor.values.size()) std::abort();
  } catch (const NpyError&) {
  }
  return 0;
}
