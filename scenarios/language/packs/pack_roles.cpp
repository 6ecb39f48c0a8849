// Rules for the statistics: figures used as inputs or in fits are never predicted, a measurement counts once, and
// every figure has a role.
#include "base/human.hpp"
#include "scenarios/language/packs/pack_reader.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// The entry that assigns a role to a figure.
struct Claim {
  const char* as = nullptr; ///< "a figure of a fit", "an input", "excluded", ...
  Position position{};
  std::string pointer;
};

class Roles {
public:
  Roles(Pack& pack, const PackNames& ids, const Copies& copies, PackReport& report)
      : pack_(pack), ids_(ids), copies_(copies), report_(report), claims_(pack.figures.size()) {}

  void claim(const PackForm& form) {
    for (std::size_t i = 0; i < pack_.fits.size(); ++i) {
      const auto& fit = pack_.fits[i];
      std::vector<std::string> names;
      for (const auto p : fit.parameters) names.push_back(pack_.parameters[p].name);
      const auto pointer = fmt::format("/fits/{}/to", i);
      for (const auto figure : fit.figures)
        give(figure, FigureRole::fitted, joined(names),
             {"a figure of a fit", form.fits[i].to.front().position, pointer});
    }
    reasons(form.inputs, "/inputs", FigureRole::input, "an input");
    reasons(form.excluded, "/excluded", FigureRole::excluded, "excluded");
    reasons(form.dependent, "/dependent", FigureRole::dependent, "dependent");
    reasons(form.failed, "/failed", FigureRole::failed, "failed");
  }

  void complete(const Node& paper) {
    std::vector<std::string> without;
    for (std::size_t i = 0; i < pack_.figures.size(); ++i) {
      auto& figure = pack_.figures[i];
      if (claims_[i].as != nullptr) continue;
      if (figure.value)
        figure.role = figure.published.number() != nullptr ? FigureRole::predicted : FigureRole::statement;
      else if (figure.is_wrong())
        continue;
      else if (!figure.published.duplicate_of.empty())
        figure.reason = "duplicate of " + figure.published.duplicate_of;
      else if (const auto scored = scored_duplicate(i); !scored.empty())
        figure.reason = fmt::format("duplicate of {}, which is scored instead", scored);
      else
        without.push_back(figure.published.id);
    }
    const auto unread = [&](const char* key) { return report_.unread(key); };
    constexpr std::array role_keys = {"fits", "figures", "inputs", "excluded", "dependent", "failed"};
    if (!without.empty() && std::ranges::none_of(role_keys, unread))
      report_(paper.position, "/paper",
              fmt::format("{} of {} {} no role: {}", counted(std::ssize(without), "figure"), pack_.paper,
                          without.size() == 1 ? "has" : "have", joined(without)));
  }

  /// Of several figures with the same measurement, at most one counts, and none if it is an input.
  void count_once() {
    for (std::size_t i = 0; i < pack_.figures.size(); ++i) {
      for (const auto k : copies_.same[i])
        if (k < i) check_pair(i, k);
      for (const auto k : copies_.groups[i]) check_pair(i, k);
    }
  }

private:
  [[nodiscard]] static bool counts(const PackFigure& figure) {
    return figure.scored() || figure.role == FigureRole::failed || figure.role == FigureRole::statement;
  }

  void check_pair(std::size_t a, std::size_t b) {
    const auto& one = pack_.figures[a];
    const auto& other = pack_.figures[b];
    const bool both = counts(one) && counts(other);
    const bool went_in =
        (counts(one) && other.role == FigureRole::input) || (counts(other) && one.role == FigureRole::input);
    if (!both && !went_in) return;
    const auto& culprit = counts(one) ? one : other;
    const auto& known = counts(one) ? other : one;
    const auto message =
        fmt::format("\"{}\" is {}, and \"{}\", which prints the same measurement, is {}: exclude one of them",
                    culprit.published.id, role_name(culprit.role), known.published.id, role_name(known.role));
    report_(locate(report_.document().root, culprit.pointer).position, culprit.pointer, message);
  }

  /// Returns a counted figure with the same measurement as figure `i`.
  [[nodiscard]] std::string scored_duplicate(std::size_t i) const {
    for (const auto k : copies_.same[i])
      if (pack_.figures[k].value && (claims_[k].as == nullptr || pack_.figures[k].role == FigureRole::fitted))
        return pack_.figures[k].published.id;
    return {};
  }

  void give(std::size_t i, FigureRole role, const std::string& reason, Claim claim) {
    auto& figure = pack_.figures[i];
    if (claims_[i].as != nullptr)
      return report_(
          claim.position, claim.pointer,
          fmt::format("\"{}\" is {} here, but it already is {}", figure.published.id, claim.as, claims_[i].as));
    const bool is_reported = figure.is_wrong() || (!figure.value && report_.unread("figures"));
    const bool simulated = role == FigureRole::fitted || role == FigureRole::dependent || role == FigureRole::failed;
    if (simulated && !is_reported && (!figure.value || figure.published.number() == nullptr))
      return report_(claim.position, claim.pointer,
                     fmt::format("\"{}\" cannot be {}: {}", figure.published.id, claim.as,
                                 figure.value ? "it is not a number" : "\"figures\" has no value for it"));
    if (role == FigureRole::fitted && figure.published.number() != nullptr && *figure.published.number() <= 0)
      return report_(
          claim.position, claim.pointer,
          fmt::format("\"{}\" cannot be a figure of a fit: it is printed as {}, but a fit needs figures above 0",
                      figure.published.id, value_text(figure.published.value)));
    figure.role = role;
    figure.reason = reason;
    claims_[i] = std::move(claim);
  }

  void reasons(const std::vector<ReasonForm>& forms, const std::string& pointer, FigureRole role, const char* as) {
    for (std::size_t i = 0; i < forms.size(); ++i) {
      for_each_text({forms[i].id}, forms[i].keys, fmt::format("{}/{}/id", pointer, i), report_,
                    [&](const std::string& id, Position at, const std::string& here) {
                      if (const auto figure = index_of(ids_, id, at, here, report_))
                        give(*figure, role, forms[i].why, {as, at, here});
                    });
    }
  }

  Pack& pack_;
  const PackNames& ids_;
  const Copies& copies_;
  PackReport& report_;
  std::vector<Claim> claims_;
};

} // namespace

const char* role_name(FigureRole role) {
  switch (role) {
  case FigureRole::predicted: return "predicted";
  case FigureRole::dependent: return "dependent";
  case FigureRole::failed: return "failed";
  case FigureRole::statement: return "statement";
  case FigureRole::fitted: return "fitted";
  case FigureRole::input: return "input";
  case FigureRole::excluded: return "excluded";
  }
  return "";
}

void assign_roles(Pack& pack, const PackForm& form, const PackNames& ids, const Copies& copies, PackReport& report) {
  Roles roles(pack, ids, copies, report);
  roles.claim(form);
  roles.complete(form.paper);
  roles.count_once();
}

} // namespace gradflight
