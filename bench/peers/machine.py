# SPDX-License-Identifier: Apache-2.0
"""What this machine is, how busy it is, and which footprints stand for its cache levels."""
import datetime
import os
import pathlib
import platform
import sqlite3
import subprocess
import tempfile
import time

MIB = 1 << 20


def text_of(path):
    try:
        return pathlib.Path(path).read_text().strip()
    except OSError:
        return ""


def cpu_model():
    for line in text_of("/proc/cpuinfo").splitlines():
        if line.startswith(("model name", "CPU part")):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def folio_bytes():
    return int(text_of("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") or 2 * MIB)


def cache_bytes(cpu, level):
    for index in sorted(pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/cache").glob("index*")):
        if text_of(index / "level") == str(level) and text_of(index / "type") in ("Unified", "Data"):
            return int(text_of(index / "size").rstrip("K")) * 1024
    return None


def stolen_and_all():
    """Ticks since boot of all CPUs: stolen by the hypervisor, and altogether."""
    fields = [int(word) for word in text_of("/proc/stat").splitlines()[0].split()[1:9]]
    return fields[7], sum(fields)


def busy_share(seconds=1.0):
    """Of all CPUs' time, while this script sleeps: what others use, or the hypervisor gives to others."""

    def used_and_all():
        fields = [int(word) for word in text_of("/proc/stat").splitlines()[0].split()[1:9]]
        return sum(fields) - fields[3] - fields[4], sum(fields)

    used, every = used_and_all()
    time.sleep(seconds)
    used_then, every_then = used_and_all()
    return (used_then - used) / max(1, every_then - every)


def load():
    return [round(value, 2) for value in os.getloadavg()]


def facts():
    return {
        "cpu": cpu_model(),
        "cpus": len(os.sched_getaffinity(0)),
        "linux": platform.release(),
        "hypervisor": "hypervisor" in text_of("/proc/cpuinfo"),
        "thp": text_of("/sys/kernel/mm/transparent_hugepage/enabled"),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    }


def latency_curve(folioscope):
    """[(bytes, ns)] as a short sweep measures it before its first block."""
    with tempfile.TemporaryDirectory() as folder:
        capsule = os.path.join(folder, "curve.folioscope")
        command = [folioscope, "sweep", "--orders", "sequential", "--kernels", "rep_stosb,dc_zva,memset"]
        command += ["--footprints", "1", "--states", "cold", "--budget", "15s", "--out", capsule]
        subprocess.run(command, capture_output=True, timeout=120)
        if not os.path.exists(capsule):
            return []
        with sqlite3.connect(capsule) as file:
            return file.execute("SELECT x, y FROM point WHERE series = 'latency.idle' ORDER BY x").fetchall()


def level_footprints(cpu, curve):
    """[(level, bytes or None, how it was chosen)]. A guest may see a fraction of the last cache that its CPU names, so
    L3 follows the latency curve: half of the largest working set that is three times as near as memory, in powers of
    two of a folio, and at least twice L2."""
    folio, l2 = folio_bytes(), cache_bytes(cpu, 2)
    levels = [("L2", l2 // 2 if l2 else None, "half of what Linux says L2 holds" if l2 else "Linux names no L2")]
    l3, why = None, "no latency curve was measured"
    if curve:
        memory = curve[-1][1]
        near = max((size for size, ns in curve if ns < memory / 3), default=0)
        l3 = folio
        while l3 * 2 <= near / 2:
            l3 *= 2
        why = f"latency passes a third of memory's {memory:.0f} ns above {near / MIB:.1f} MiB; half of that, in folios"
        if l3 > near / 2 or l3 < 2 * (l2 or 0):
            l3, why = None, why + ": no footprint is beyond L2 and well inside L3"
    levels.append(("L3", l3, why))
    dram = 200 * MIB // folio * folio or folio
    return levels + [("DRAM", dram, "beyond every cache that the curve shows")]
