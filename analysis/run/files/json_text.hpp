// JSON as this tool writes it: the same bytes for the same values on every machine, and pleasant to read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradflight {

/// Keys in insertion order; doubles in the shortest form that reads back to the same bits; an object or array of
/// scalars on one line, everything else indented by two. NaN and infinity, which JSON lacks, become null. Ends with a
/// newline.
std::string json_text(const nlohmann::ordered_json& value);

/// A double that counts something: an integer in JSON where it is one (all such are below 2^63).
nlohmann::ordered_json json_count(double value);

} // namespace gradflight
