// SPDX-License-Identifier: Apache-2.0
// Raw samples for other programs: CSV (RFC 4180), JSON, and the JSON of Google Benchmark that its compare tool reads.
// What is not a number is an empty field or null. Written piece by piece: a capsule need not fit in memory twice.
#pragma once
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "record/capsule.hpp"

namespace folioscope {

/// One line a sample, the same columns on all: campaign, block, placement, the cell's factors, times in ns.
void export_csv(std::span<Campaign const> campaigns, std::ostream& out);
/// {"campaigns": [{facts, plan, cells, kernels, refusals, placements, blocks, samples, readings, fills (per line
/// cleared), points}]}
void export_json(std::span<Campaign const> campaigns, std::ostream& out);
/// {"context", "benchmarks"}: every timed pass is one repetition of the benchmark that its cell names.
void export_gbench(std::span<Campaign const> campaigns, std::ostream& out);

/// A field of RFC 4180: in quotes where it must be. What a terminal could take for a command becomes '?':
/// JSON has a name as it is.
std::string csv_field(std::string_view text);
/// "rep_stosb/reverse/run:4K/call:4K/cold/thp/2M/threads:1".
std::string benchmark_name(Cell const& cell);

}  // namespace folioscope
