// SPDX-License-Identifier: Apache-2.0
// Machines that exist nowhere: plans must follow from the value alone, never from the host that runs the tests.
#pragma once
#include "kernels/kernel.hpp"
#include "machine/machine.hpp"
#include "plan/experiment.hpp"

namespace folioscope::made_up {

inline bool clears(KernelContract const& k) { return k.kind == KernelKind::clear; }

/// A first kernel of this build's architecture that Linux could clear with.
inline std::string linux_kernel() {
  for (Kernel const& kernel : kernel_catalogue())
    if (clears(kernel.contract) && kernel.contract.linux_use == LinuxUse::yes &&
        (kernel.contract.store == StoreKind::string || kernel.contract.store == StoreKind::zeroing))
      return kernel.contract.name;
  return {};
}

/// Every instruction usable, 2 MiB folios, known caches, 64 GiB, four CPUs.
inline Machine machine() {
  Machine m;
  m.allowed_cpus = {0, 1, 2, 3};
  m.caches = {{1, "instruction", 16_KiB, 64_B, {0}, ""},
              {1, "data", 32_KiB, 64_B, {0}, ""},
              {2, "unified", 1_MiB, 64_B, {0}, ""},
              {3, "unified", 25344_KiB, 64_B, {0}, ""}};
  for (Kernel const& kernel : kernel_catalogue())
    for (std::string const& feature : kernel.contract.features) m.features.status[feature].usable = true;
  m.features.zva_block = 64_B;
  m.folio = 2_MiB;
  m.thp_mode = "madvise";
  m.shmem_mode = "never";
  m.mthp = {{64_KiB, "madvise"}, {128_KiB, "never"}, {256_KiB, "inherit"}, {2_MiB, "inherit"}};
  m.hugetlb = {{2_MiB, 64, 64}, {1_GiB, 0, 0}};
  m.memory_available = 64_GiB;
  m.linux_kernel = linux_kernel();
  return m;
}

inline Experiment experiment(std::string const& cells, std::string const& top = {}) {
  return parse_experiment("description = \"made up\"\n" + top + "\n[[cells]]\n" + cells, "made-up.toml");
}

inline Plan plan(std::string const& cells, Machine const& m = machine(), Overrides const& o = {}) {
  return expand(experiment(cells), o, m);
}

}  // namespace folioscope::made_up
