// SPDX-License-Identifier: Apache-2.0
// A made-up Linux that clears target last, and programs that use what it cleared: clear and use of a folio are known.
#pragma once
#include <cmath>
#include <string>

#include "synthetic/synthetic.hpp"

namespace folioscope::synthetic {

/// ns a folio of each part.
struct ClearAndUse {
  double clear = 0, use = 0;
};

/// The last page first clears upwards, in 60 µs instead of 150. What was cleared last is near: used from that end, it
/// takes 30 µs, from the other 70.
inline ClearAndUse clear_and_use(Cell const& cell) {
  bool const fallocated = cell.kernel.starts_with("linux_fallocate");
  bool const down = cell.order == "descending", apart = cell.kernel.ends_with("_apart");
  std::uint64_t const first = cell.target.value_or(down && !apart ? 511 : 0);
  bool const upwards = first == 511 && !fallocated;
  return {upwards ? 60e3 : 150e3, upwards == down ? 30e3 : 70e3};
}

inline Campaign used_paths(double noise = 0.02) {
  Request request{.noise = {.pass = noise}, .seed = 11};
  request.machine = "Synthetic, whose Linux is used";
  request.plan.base_page = 4_KiB;
  request.plan.folio = 2_MiB;
  request.true_ns = [](Cell const& cell) { return 4 * (clear_and_use(cell).clear + clear_and_use(cell).use); };
  Cell cell;
  cell.footprint = cell.call = 8_MiB;
  auto const add = [&](std::string order, std::optional<std::uint64_t> target) {
    PlannedCell planned{cell, {{0_B, 8_MiB}}};
    planned.cell.order = std::move(order);
    planned.cell.target = target;
    if (target) planned.cell.run = 4_KiB;
    request.plan.cells.push_back(std::move(planned));
  };
  cell.backing = {BackingKind::thp, {}};
  for (bool const apart : {false, true}) {
    cell.kernel = apart ? "linux_anon_w_seq_apart" : "linux_anon_w_seq";
    add("sequential", {});
    add("touch_first", 511);
    add("descending", {});
    add("descending", apart ? 511 : 0);
  }
  cell.backing = {BackingKind::tmpfs, {}};
  cell.kernel = "linux_fallocate_tmpfs_always";
  add("sequential", {});
  add("descending", {});
  Campaign c = campaign(request);
  c.header.kind = "linux";
  Random random(5);
  for (Sample const& s : c.samples) {
    Cell const& of = c.plan.cells[s.cell].cell;
    if (!of.kernel.ends_with("_apart") && !of.kernel.starts_with("linux_fallocate")) continue;
    auto const [clear, use] = clear_and_use(of);
    c.points.push_back({"path.clear", of.kernel, 1, 4 * clear * std::exp(noise * normal(random)), s.cell, s.block});
    c.points.push_back({"path.use", of.kernel, 1, 4 * use * std::exp(noise * normal(random)), s.cell, s.block});
  }
  return c;
}

}  // namespace folioscope::synthetic
