// "Did you mean ...?": the known name that a mistyped one most likely stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// The candidate with the smallest edit distance (insert, delete, replace, swap neighbours; upper and lower case alike
/// unless that decides a tie; the earlier one where all else is equal). Empty where none is near: more than a third of
/// the longer name would have to change, and it holds no candidate with a number, nor one as a word ("step_time").
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// The candidate that `name` spells, where upper and lower case are alike and blanks, dashes and underscores do not
/// count
/// ("BERT Large" is "bert-large"). An exact one comes first; empty where none is, or several are.
std::string same_name(std::string_view name, const std::vector<std::string>& candidates);

} // namespace gradflight
