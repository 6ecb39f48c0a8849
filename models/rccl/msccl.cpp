#include "models/rccl/msccl.hpp"

#include "models/nccl/rccl_tables.hpp"

namespace gradflight::nccl {

std::optional<MscclChoice> msccl_choice(const Machine& machine, Operation op, std::int64_t elements,
                                        double element_size) {
  if (machine.ranks() != rccl_tables::msccl_ranks || !is_full_mesh(machine)) return std::nullopt;
  const double bytes = static_cast<double>(elements) * element_size;
  for (const rccl_tables::MscclRow& row : rccl_tables::msccl_rows)
    if (row.op == op && bytes <= row.most_bytes) {
      if (elements % row.chunks != 0) return std::nullopt;
      return MscclChoice{row.ll ? Protocol::ll : Protocol::simple, row.blocks};
    }
  return std::nullopt;
}

} // namespace gradflight::nccl
