// "Did you mean ...?": finds the known name that a mistyped one most likely means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// Returns the candidate with the smallest edit distance (insert, delete, replace, swap neighbours). Case matters only
/// in a tie; the earlier candidate wins if all else is equal. If more than a third of the longer name would have to
/// change, returns a candidate inside `name`: one with a number, or one that is a word of it ("step_time"). Otherwise
/// returns an empty string.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// Returns the candidate that `name` spells; ignores case, blanks, dashes and underscores ("BERT Large" is
/// "bert-large"). An exact match has priority. Returns an empty string if no candidate matches, or several do.
std::string same_name(std::string_view name, const std::vector<std::string>& candidates);

/// Returns `; did you mean "star"? Allowed: star, racks`: the end of a message about `name`, which is not in `names`.
/// Without a similar name, returns `. Allowed: star, racks`.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names);
/// The same with the nearest name already found; empty: none.
std::string hint_text(std::string_view near, const std::vector<std::string>& names);

} // namespace gradflight
