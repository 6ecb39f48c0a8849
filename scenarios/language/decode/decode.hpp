// From a resolved document to what it says, or every reason why not. Inside scenarios/ only.
#pragma once

#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/tables/value.hpp"

namespace gradflight {

[[noreturn]] inline void refuse(Document& document) {
  throw InputErrors(document.sources.diagnostics(std::move(document.problems)));
}

template <class V> V decode(Document& document, const Value<V>& value) {
  if (!document.complete) refuse(document);
  Decoder decoder(document.problems);
  auto result = value.read(document.root, decoder);
  if (!document.problems.empty() || !result) refuse(document);
  return std::move(*result);
}

/// `path`: the file whose base name stands for a scenario without a name.
Scenario decode_scenario(Document& document, const std::string& path, const FurtherCheck& further);

} // namespace gradflight
