// Shared by all plans of an executor: the platform, the current state of its links, and what they have carried.
#pragma once

#include "sim/engine/network/delays.hpp"
#include "sim/engine/network/link_ledger.hpp"
#include "sim/engine/network/link_state.hpp"
#include "sim/engine/network/nic_links.hpp"

namespace gradflight {

struct Machine {
  Machine(const PlatformSpec& spec_, const Platform& platform_, bool through_nics,
          const std::vector<std::int32_t>& stand_ins_)
      : spec(spec_), platform(platform_), nics(spec_, platform_, through_nics), links(platform_.links(), nics.stages()),
        ledger(links.size()), delays(platform.links(), nics.stages()), stand_ins(stand_ins_) {}

  const PlatformSpec& spec; ///< protocol and compute's effect on messages; must outlive this, as must the platform
  const Platform& platform;
  NicLinks nics;
  LinkState links; ///< the platform's, in its order, then the stages of NICs
  LinkLedger ledger;
  Delays delays;                              ///< of the paths of all plans
  const std::vector<std::int32_t>& stand_ins; ///< EngineOptions::stand_ins
};

} // namespace gradflight
