#include "sim/simgrid/simgrid_module.hpp"

#include "sim/engine/streams/failure.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace gradflight {

namespace {

using Run = void (*)(SimgridRun& run, const SimgridPlatform& platform);

/// The module is found by the run path of the program or shared library that this is part of.
void* load() { return dlopen("gradflight_simgrid.so", RTLD_LAZY | RTLD_LOCAL); }

} // namespace

void preload_simgrid() noexcept { load(); }

void run_on_simgrid(SimgridRun& run, const SimgridPlatform& platform) {
  void* module = load();
  if (module == nullptr) throw SimulationFailure(fmt::format("SimGrid cannot be loaded: {}", dlerror()), {});
  reinterpret_cast<Run>(dlsym(module, "gradflight_run_on_simgrid"))(run, platform);
}

} // namespace gradflight
