// SPDX-License-Identifier: Apache-2.0
// Pieces of the page. Each gives HTML in which everything from a capsule is escaped.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "report/figure.hpp"
#include "report/report.hpp"

namespace folioscope {

/// Machine, conclusion, findings, and what would change them, campaign by campaign.
std::string verdict_html(Material const& material);
/// What is unusual about a campaign's times as a whole: none, one placement, no scatter at all, or very much of it.
std::vector<std::string> remarks(Material const& material, std::size_t campaign);
/// Exact commands, versions, dates, files.
std::string reproduce_html(Material const& material, std::span<ReportSource const> sources);
/// A figure with its drawing (which the page's script replaces), question, buttons and table. `drawing_bytes`: what is
/// left for drawings in the page, less afterwards.
std::string figure_html(Prepared const& figure, std::size_t& drawing_bytes);
std::string table_html(Prepared const& figure, std::size_t most_rows);
/// {spec, panels, columns, fields, data} for the page's script: fields one after the other, texts by number.
std::string figure_json(Prepared const& figure);

std::string page_html(Material const& material, std::span<ReportSource const> sources,
                      std::span<Prepared const> figures);

}  // namespace folioscope
