// SPDX-License-Identifier: Apache-2.0
// The only place that uses hwloc, and only for the live machine: hwloc's own sysroot quietly mixes in this host.
#include <hwloc.h>

#include <cstdlib>
#include <memory>

#include "machine/survey.hpp"

namespace folioscope {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

Topology load() {
  // hwloc writes its complaints about /sys to stderr itself; what it lacks is seen in the facts. No thread exists yet.
  ::setenv("HWLOC_HIDE_ERRORS", "2", 0);
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  // Devices and groups take most of the time and none of them is asked for.
  if (hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE) != 0 ||
      hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
      hwloc_topology_set_type_filter(raw, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
      hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
      hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 || hwloc_topology_load(raw) != 0)
    return nullptr;
  // HWLOC_XMLFILE and its like can make it another machine.
  if (!hwloc_topology_is_thissystem(raw)) return nullptr;
  return topology;
}

unsigned count(hwloc_topology_t topology, hwloc_obj_type_t type) {
  int const n = hwloc_get_nbobjs_by_type(topology, type);
  return n > 0 ? static_cast<unsigned>(n) : 0;
}

Cache cache_of(hwloc_obj_t object) {
  auto const& attributes = object->attr->cache;
  Cache cache;
  cache.level = attributes.depth;
  cache.type = attributes.type == HWLOC_OBJ_CACHE_DATA          ? "data"
               : attributes.type == HWLOC_OBJ_CACHE_INSTRUCTION ? "instruction"
                                                                : "unified";
  if (attributes.size != 0) cache.size = Bytes(attributes.size);
  if (attributes.linesize != 0) cache.line = Bytes(attributes.linesize);
  for (int cpu = hwloc_bitmap_first(object->cpuset); cpu >= 0; cpu = hwloc_bitmap_next(object->cpuset, cpu))
    cache.cpus.push_back(static_cast<unsigned>(cpu));
  cache.source = "hwloc";
  return cache;
}

}  // namespace

std::optional<HwlocView> read_hwloc(unsigned cpu) {
  auto const topology = load();
  if (!topology) return std::nullopt;
  HwlocView view{count(topology.get(), HWLOC_OBJ_PACKAGE),
                 count(topology.get(), HWLOC_OBJ_CORE),
                 count(topology.get(), HWLOC_OBJ_PU),
                 {}};
  auto const pu = hwloc_get_pu_obj_by_os_index(topology.get(), cpu);
  for (auto object = pu ? pu->parent : nullptr; object; object = object->parent)
    if (hwloc_obj_type_is_cache(object->type)) view.caches.push_back(cache_of(object));
  return view;
}

}  // namespace folioscope
