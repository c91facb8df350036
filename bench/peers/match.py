# SPDX-License-Identifier: Apache-2.0
"""Qualifying, then rounds in random order, then the ceiling: from contestants to comparisons."""
import math
import time
from statistics import fmean, median

import machine
import student
from contestants import BYPASSING, CACHED, Contestant, Failed

STYLES = (CACHED, BYPASSING)


def huge_bytes_of(pid):
    """Of a running process, by smaps: what it asked for is not what it got."""
    for line in machine.text_of(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("AnonHugePages"):
            return int(line.split()[1]) * 1024
    return 0


class Match:
    def __init__(self, ours, peers, levels, random, say):
        self.programs = {"folioscope": ours, "libc": ours, **{p.program: p for p in peers}}
        self.levels, self.random, self.say = levels, random, say
        self.qualifying = {}  # (level, Contestant) -> [bytes per second]
        self.rounds = {}  # the same, of the rounds proper
        self.again = {}  # (level, style) -> the A/A arm of our finalists[0]
        self.finalists = {}  # (level, style) -> ([ours], [peers])
        self.huge = {}  # (level, program) -> most bytes in huge pages that it was seen with
        self.failed = {}  # "level: contestant" -> reason
        self.field = self._field()

    def _field(self):
        found = []
        for program in {id(p): p for p in self.programs.values()}.values():
            try:
                found += program.contestants()
            except Failed as trouble:
                self.failed[program.program] = str(trouble)
        return found

    def _run(self, level, some, watch=None):
        try:
            return self.programs[some[0].program].run(some, self.levels[level], watch=watch)
        except Failed as trouble:
            for c in some:
                self.failed[f"{level}: {c.name}"] = str(trouble)
            return {}

    def _batches(self):
        """Contestants that one process can run together."""
        groups = {}
        for c in self.field:
            alone = c.program in ("perf bench", "likwid-bench")
            key = (c.program, c.kernel) if alone else c.style if c.program in ("folioscope", "libc") else c.program
            groups.setdefault(key, []).append(c)
        return list(groups.values())

    def qualify(self, times):
        """All contestants at all levels; also the runs in which the pages are looked at, since looking disturbs."""
        for lap in range(times):
            tasks = [(level, batch) for level in self.levels for batch in self._batches()]
            self.random.shuffle(tasks)
            for level, batch in tasks:

                def look(pid, key=(level, batch[0].program)):
                    self.huge[key] = max(self.huge.get(key, 0), huge_bytes_of(pid))

                if any(f"{level}: {c.name}" in self.failed for c in batch):
                    continue
                for c, rate in self._run(level, batch, look if lap == 0 else None).items():
                    self.qualifying.setdefault((level, c), []).append(rate)
            self.say(f"qualifying {lap + 1} of {times}")

    def choose_finalists(self, count):
        for level in self.levels:
            for style in STYLES:
                sides = []
                for ours in (True, False):
                    side = [c for c in self.field if c.style == style and c.ours == ours]
                    side = [c for c in side if (level, c) in self.qualifying]
                    side.sort(key=lambda c: -max(self.qualifying[level, c]))
                    sides.append(side[:count])
                if all(sides):
                    self.finalists[level, style] = tuple(sides)

    def play(self, count, deadline):
        """Rounds of all finalists in random order; our first one runs twice, the A/A arm."""
        longest = 0.0
        for n in range(count):
            begun = time.monotonic()
            if begun + longest > deadline:
                self.say(f"out of time after {n} rounds")
                break
            tasks = []
            for (level, style), (ours, peers) in self.finalists.items():
                tasks += [(level, style, c, False) for c in ours + peers] + [(level, style, ours[0], True)]
            self.random.shuffle(tasks)
            for level, style, c, again in tasks:
                rate = self._run(level, [c]).get(c, math.nan)
                (self.again.setdefault((level, style), []) if again else self.rounds.setdefault((level, c), [])).append(
                    rate
                )
            longest = max(longest, time.monotonic() - begun)
            self.say(f"round {n + 1} of {count}: {time.monotonic() - begun:.0f} s")

    def _best(self, level, side):
        played = [c for c in side if any(r > 0 for r in self.rounds.get((level, c), []))]
        rate = lambda c: fmean(math.log(r) for r in self.rounds[level, c] if r > 0)
        return max(played, key=rate, default=None)

    def comparisons(self):
        rows = []
        for (level, style), (ours, peers) in self.finalists.items():
            best, rival = self._best(level, ours), self._best(level, peers)
            if not best or not rival:
                continue
            mine, theirs = self.rounds[level, best], self.rounds[level, rival]
            logs = [math.log(b / a) for a, b in zip(mine, theirs) if a > 0 and b > 0]
            twice = zip(self.rounds[level, ours[0]], self.again[level, style])
            aa = [math.log(a / b) for a, b in twice if a > 0 and b > 0]
            row = {"level": level, "footprint_bytes": self.levels[level], "style": style}
            row |= {"ours": best.name, "peer": rival.name, "ours_bytes_per_second": median(mine)}
            row |= {"peer_bytes_per_second": median(theirs)}
            row |= {"peer_pages": self.pages(level, rival)}
            rows.append(row | student.comparison(logs, aa))
        student.judge(rows)
        return rows

    def pages(self, level, c: Contestant):
        share = min(1.0, self.huge.get((level, c.program), 0) / self.levels[level])
        if c.program in ("folioscope", "libc"):
            return "THP"
        return "base pages" if share == 0 else "THP" if share == 1 else f"THP for {share:.0%}"

    def ceilings(self, cpus):
        """Level -> the most that all CPUs reach together, of all our kernels; each CPU has a footprint of its own."""
        found = {}
        ours = self.programs["folioscope"]
        for level, footprint in self.levels.items():
            rates = {}
            for style in STYLES:
                some = [c for c in self.field if c.program in ("folioscope", "libc") and c.style == style]
                try:
                    rates |= ours.run(some, footprint, threads=cpus) if some else {}
                except Failed as trouble:
                    self.failed[f"{level}: ceiling, {style}"] = str(trouble)
            if rates:
                best = max(rates, key=rates.get)
                found[level] = {"kernel": best.name, "cpus": cpus, "bytes_per_second": rates[best]}
            self.say(f"ceiling of {level}")
        return found
