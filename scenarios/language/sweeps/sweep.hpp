// A sweep: a scenario, axes along which its values change, and the combinations of them that are worth simulating.
#pragma once

#include "models/units/units.hpp"
#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/expressions/where.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// What one path takes, in order.
struct AxisValues {
  std::string path; ///< as --set takes it
  Position position{};
  std::vector<Node> values;
};

/// One direction of a sweep. Zipped paths change together: their lists are equally long.
struct SweepAxis {
  std::string name; ///< the path, or what a zipped axis is called
  Position position{};
  std::vector<AxisValues> paths;
  bool zipped = false;
  [[nodiscard]] std::size_t size() const { return paths.front().values.size(); }
};

/// When to give up on one point.
struct PointLimits {
  std::optional<Seconds> wall{};
  std::optional<Bytes> memory{};
};

/// A quantity of the result to keep, as written.
struct KeptQuantity {
  std::string name;
  Position position{};
};

struct Sweep {
  std::string name, description;
  Node base;                   ///< the scenario, files resolved; may lack what axes supply
  Sources sources;             ///< where `base` and the values were written
  std::vector<SweepAxis> axes; ///< as written; the last one changes fastest
  std::optional<Condition> where;
  std::string where_text;
  Position where_position{};
  std::vector<KeptQuantity> keep;
  PointLimits limits;

  /// Every path of every axis, in order: the columns of a point.
  [[nodiscard]] std::vector<const AxisValues*> columns() const;
};

inline constexpr std::int64_t max_combinations = 10'000'000;

/// What is wrong with the name of a quantity to keep; empty: nothing.
using QuantityCheck = std::function<std::string(const std::string& name)>;

/// Throws InputErrors. The condition has been tried on every combination.
Sweep load_sweep(const std::string& path, const QuantityCheck& check = {});
Sweep parse_sweep(const std::string& text, const std::string& name, const QuantityCheck& check = {});
Sweep decode_sweep(Document& document, const QuantityCheck& check = {});

/// The sweep as a file that needs no other: every axis a list, no limits, no description. The same points and columns
/// make the same bytes.
std::string self_contained_json(const Sweep& sweep);

} // namespace gradflight
