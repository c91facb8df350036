# SPDX-License-Identifier: Apache-2.0
"""Who competes: each contestant is one kernel of one program, the command that runs it over one footprint, and how its
bandwidth is read from what it prints. All loop over one buffer on one CPU."""
import dataclasses
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

import machine

CACHED, BYPASSING = "cached", "bypassing"

# glibc asks for huge pages for all that it allocates, and allocates all of it from the heap: a mapping of its own begins
# with malloc's header and so is never aligned to a huge page.
HUGE_PAGES = {
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1073741824:glibc.malloc.top_pad=8388608"
}


@dataclasses.dataclass(frozen=True)
class Contestant:
    program: str
    kernel: str
    style: str  # CACHED or BYPASSING
    ours: bool = False

    @property
    def name(self):
        return f"{self.program} {self.kernel}"


class Failed(Exception):
    pass


def output_of(command, environment=None, watch=None, timeout=120):
    """Standard output and error together; `watch(pid)` is called every few milliseconds while it runs."""
    process = subprocess.Popen(
        command,
        env={**os.environ, "LC_ALL": "C", **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    deadline = time.monotonic() + timeout
    try:
        while watch and process.poll() is None and time.monotonic() < deadline:
            watch(process.pid)
            time.sleep(0.005)
        text, _ = process.communicate(timeout=max(1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise Failed(f"took more than {timeout} s") from None
    finally:
        if process.poll() is None:  # also when this script is interrupted
            process.kill()
            process.communicate()
    if process.returncode:
        last = text.strip().splitlines()[-1:] or ["no output"]
        raise Failed(f"exit status {process.returncode}: {last[0][:120]}")
    return text


class Folioscope:
    """Our own kernels, and libc's memset in the same harness. Whole-folio calls in ascending order, THP."""

    program = "folioscope"
    package = "this build"
    pages = "THP (verified by the program)"

    def __init__(self, bench, folioscope, cpu):
        self.bench, self.cpu = bench, cpu
        listed = json.loads(output_of([folioscope, "list", "kernels", "--json"]))["kernels"]
        self.kernels = [k for k in listed if k["kind"] == "clear" and k["usable"] and k["store"] != "none"]

    def contestants(self):
        for kernel in self.kernels:
            style = BYPASSING if kernel["weakly_ordered"] else CACHED
            library = kernel["store"] == "library"
            yield Contestant("libc" if library else self.program, kernel["name"], style, not library)

    def run(self, some, footprint, threads=1, watch=None):
        """One process for contestants of one style; {contestant: bytes per second}. A pass clears at least 128 MiB."""
        command = [self.bench, "--kernels", ",".join(c.kernel for c in some), "--orders", "sequential"]
        command += ["--footprints", f"{footprint // 1024}K", "--calls", f"{machine.folio_bytes() // 1024}K"]
        command += ["--backings", "thp", "--states", "hot" if some[0].style == CACHED else "cold"]
        command += ["--threads", str(threads), "--in-place", str(max(2, (128 << 20) // footprint))]
        command += ["--benchmark_filter=/sequential/", "--benchmark_repetitions=1"]
        if threads == 1:
            command = ["taskset", "-c", str(self.cpu), *command]
        with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
            output_of([*command, f"--benchmark_out={file.name}", "--benchmark_out_format=json"], watch=watch)
            results = json.load(file)["benchmarks"]
        rates = {r["name"].split("/")[1]: r["bytes_per_second"] for r in results if not r.get("error_occurred")}
        return {c: rates[c.kernel] for c in some if c.kernel in rates}


def loops(footprint):
    return max(8, (4 << 30) // footprint)


class PerfBench:
    program = "perf bench"
    package = "linux-perf"
    binary = "perf"
    pages = "THP asked for through glibc"

    def __init__(self, cpu):
        self.cpu = cpu

    def contestants(self):
        listed = subprocess.run(
            ["perf", "bench", "mem", "memset", "-f", "help"], capture_output=True, text=True, stdin=subprocess.DEVNULL
        )  # it lists the functions and exits with status 1
        for name in re.findall(r"^\s+(\S+) \.\.\. ", listed.stdout + listed.stderr, re.MULTILINE):
            yield Contestant(self.program, name, CACHED)

    def run(self, some, footprint, watch=None):
        rates = {}
        for c in some:
            command = ["taskset", "-c", str(self.cpu), "perf", "bench", "--format", "simple", "mem", "memset"]
            command += ["-f", c.kernel, "-s", f"{footprint}B", "-l", str(loops(footprint))]
            found = re.search(r"^(\d+\.\d+)$", output_of(command, HUGE_PAGES, watch), re.MULTILINE)
            if not found:
                raise Failed("printed no bandwidth")
            rates[c] = float(found.group(1))
        return rates


class Likwid:
    program = "likwid-bench"
    package = "likwid"
    binary = "likwid-bench"
    pages = "THP asked for through glibc"

    def __init__(self, cpu):
        self.cpu = cpu

    def contestants(self):
        for name in re.findall(r"^(store\w*) - ", output_of(["likwid-bench", "-a"]), re.MULTILINE):
            yield Contestant(self.program, name, BYPASSING if "_mem" in name else CACHED)

    def run(self, some, footprint, watch=None):
        """-w with one thread pins it to the first hardware thread of the node; -i spares its own choice of loops."""
        rates = {}
        for c in some:
            command = ["likwid-bench", "-t", c.kernel, "-w", f"N:{footprint}B:1", "-i", str(loops(footprint))]
            found = re.search(r"^MByte/s:\s+(\d+\.\d+)", output_of(command, HUGE_PAGES, watch), re.MULTILINE)
            if not found:
                raise Failed("printed no bandwidth")
            rates[c] = 1e6 * float(found.group(1))
        return rates


class StressNg:
    """One run goes through all methods of its memrate stressor in turn: one process, many contestants."""

    program = "stress-ng"
    package = "stress-ng"
    binary = "stress-ng"
    pages = "base pages (it takes no advice)"

    def __init__(self, cpu):
        self.cpu = cpu

    def _rates(self, footprint, watch=None):
        command = ["stress-ng", "--memrate", "1", "--memrate-bytes", str(footprint), "--timeout", "1", "--metrics"]
        text = output_of([*command, "--taskset", str(self.cpu)], watch=watch)
        found = re.findall(r"memrate\s+(\d+\.\d+) ((?:write|memset)\w*) MB per sec", text)
        return {name: float(rate) * machine.MIB for rate, name in found}

    def contestants(self):
        for name in self._rates(4 << 20):
            yield Contestant(self.program, name, BYPASSING if "nt" in name else CACHED)

    def run(self, some, footprint, watch=None):
        rates = self._rates(footprint, watch)
        return {c: rates[c.kernel] for c in some if c.kernel in rates}


def version_of(package):
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
    return found.stdout or "version unknown"


PEERS = (PerfBench, Likwid, StressNg)


def peers(cpu, wanted=("all",)):
    """Programs that are here, and {program: why it is left out}."""
    here, left_out = [], {
        "mbw": "it copies and has no test that only writes",
        "tinymembench": "not in Debian 12",
    }
    for kind in PEERS:
        if "all" not in wanted and kind.binary not in wanted:
            left_out[kind.program] = "not asked for"
        elif shutil.which(kind.binary):
            here.append(kind(cpu))
        else:
            left_out[kind.program] = f"not installed: apt-get install {kind.package}"
    if any(p.program == "likwid-bench" for p in here) and cpu != 0:
        here = [p for p in here if p.program != "likwid-bench"]
        left_out["likwid-bench"] = f"it would pin itself to CPU 0, and this run is on CPU {cpu}"
    return here, left_out
