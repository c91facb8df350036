# SPDX-License-Identifier: Apache-2.0
"""The outcome as text, as Markdown for docs/performance.md, and as JSON."""
import json
import math


def _rate(value):
    return f"{value / 1e9:.1f}"


def _size(value):
    return f"{value >> 20} MiB" if value % (1 << 20) == 0 else f"{value >> 10} KiB"


def _interval(row):
    return "[{:.3f}, {:.3f}]".format(*row["ci"]) if row["ci"] else "too few rounds"


def _delta(row):
    return f"{100 * row['delta']:.1f} %" if math.isfinite(row["delta"]) else "unknown"


HEADS = ["level", "store", "folioscope", "GB/s", "best peer", "GB/s", "peer's pages"]
HEADS += ["time ÷ peer's", "95 %", "δ", "verdict", "not slower by more than δ"]


def _cells(row):
    cells = [f"{row['level']} {_size(row['footprint_bytes'])}", row["style"], row["ours"].removeprefix("folioscope ")]
    cells += [_rate(row["ours_bytes_per_second"]), row["peer"], _rate(row["peer_bytes_per_second"]), row["peer_pages"]]
    cells += [f"{row['ratio_median']:.3f}", _interval(row), _delta(row), row["verdict"], row["held"]]
    return cells


def conditions(outcome):
    m, load = outcome["machine"], outcome["load"]
    guest = ", a guest" if m["hypervisor"] else ""
    lines = [
        f"{m['cpu']}, {m['cpus']} CPUs{guest}; Linux {m['linux']}; {m['date']}",
        f"others used {load['busy']:.1%} of the CPUs' time before the first run; load average {load['before'][0]} before and "
        f"{load['after'][0]} after; {load['stolen']:.2%} of CPU time stolen",
        "programs: " + ", ".join(f"{name} {version}" for name, version in outcome["versions"].items()),
        f"{outcome['rounds']} rounds, seed {outcome['seed']}: {outcome['command']}",
    ]
    if load["rough"]:
        lines.append("THE MACHINE WAS BUSY: these figures are rough")
    return lines


def ceiling_lines(outcome):
    return [
        f"{level}: {_rate(c['bytes_per_second'])} GB/s with {c['kernel']} on {c['cpus']} CPUs, a footprint each"
        for level, c in outcome["ceiling"].items()
    ]


def left_out_lines(outcome):
    lines = [f"{name}: {why}" for name, why in outcome["left_out"].items()]
    reasons = {}
    for name, why in outcome["failed"].items():
        reasons.setdefault(why, []).append(name)
    return lines + [f"{', '.join(names)}: {why}" for why, names in reasons.items()]


def markdown(outcome):
    out = [f"- {line}" for line in conditions(outcome)]
    out += ["", "| " + " | ".join(HEADS) + " |", "|" + "---|" * len(HEADS)]
    out += ["| " + " | ".join(_cells(row)) + " |" for row in outcome["comparisons"]]
    for title, lines in (("Ceiling", ceiling_lines(outcome)), ("Footprints", outcome["footprints"])):
        out += ["", f"{title}: " + "; ".join(lines) + "."]
    if left := left_out_lines(outcome):
        out += ["", "Left out:", ""] + [f"- {line}" for line in left]
    return "\n".join(out) + "\n"


def text(outcome):
    rows = [HEADS] + [_cells(row) for row in outcome["comparisons"]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADS))]
    out = conditions(outcome) + [""]
    out += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    out += ["", "ceiling"] + ["  " + line for line in ceiling_lines(outcome)]
    out += ["footprints"] + ["  " + line for line in outcome["footprints"]]
    if left := left_out_lines(outcome):
        out += ["left out"] + ["  " + line for line in left]
    return "\n".join(out) + "\n"


def _plain(value):
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def as_json(outcome):
    return json.dumps(_plain(outcome), indent=1, ensure_ascii=False) + "\n"
