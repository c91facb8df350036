# SPDX-License-Identifier: Apache-2.0
"""Against tabulated quantiles, made-up latency curves and made-up programs that print as the real ones do."""
import json
import math
import os
import pathlib
import random
import stat
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/peers"))

import contestants
import machine
import match
import student
import table

MIB = machine.MIB


class Student(unittest.TestCase):
    def test_quantiles_are_the_tabulated_ones(self):
        for two_sided, freedom, expected in [
            (0.05, 1, 12.7062), (0.05, 2, 4.3027), (0.05, 9, 2.2622), (0.10, 9, 1.8331), (0.05, 30, 2.0423),
            (0.01, 120, 2.6174),
        ]:  # fmt: skip
            self.assertAlmostEqual(student.quantile(two_sided, freedom), expected, places=4)
            self.assertAlmostEqual(student.two_sided_p(expected, freedom), two_sided, places=4)

    def test_holm_steps_down(self):
        self.assertEqual(student.holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])

    def judged(self, effect, noise, rounds=12, aa_noise=0.001):
        draw = random.Random(7)
        logs = [effect + draw.gauss(0, noise) for _ in range(rounds)]
        row = student.comparison(logs, [draw.gauss(0, aa_noise) for _ in range(rounds)])
        student.judge([row])
        return row["verdict"], row["held"]

    def test_verdicts(self):
        self.assertEqual(self.judged(math.log(1.2), 0.01), ("slower", "no"))
        self.assertEqual(self.judged(math.log(0.8), 0.01), ("faster", "yes"))
        self.assertEqual(self.judged(0, 0.005), ("no_difference", "yes"))
        self.assertEqual(self.judged(0, 0.3), ("cannot_tell", "cannot_tell"))
        self.assertEqual(self.judged(math.log(1.2), 0.01, rounds=9), ("cannot_tell", "cannot_tell"))

    def test_noise_of_the_aa_arm_widens_delta(self):
        self.assertEqual(self.judged(math.log(1.1), 0.01, aa_noise=0.5)[0], "no_difference")

    def test_one_round_is_not_an_error(self):
        self.assertEqual(self.judged(0, 0.1, rounds=1), ("cannot_tell", "cannot_tell"))


class Footprints(unittest.TestCase):
    def chosen(self, curve, l2=MIB, folio=2 * MIB):
        with mock.patch.object(machine, "cache_bytes", return_value=l2), mock.patch.object(
            machine, "folio_bytes", return_value=folio
        ):
            return {level: size for level, size, _ in machine.level_footprints(0, curve)}

    def test_l3_follows_the_curve(self):
        steps = [(MIB, 9.0), (2 * MIB, 15.0), (4 * MIB, 33.0), (6 * MIB, 98.0), (128 * MIB, 158.0)]
        self.assertEqual(self.chosen(steps), {"L2": MIB // 2, "L3": 2 * MIB, "DRAM": 200 * MIB})
        self.assertEqual(self.chosen(steps[:3] + [(32 * MIB, 40.0), (128 * MIB, 158.0)])["L3"], 16 * MIB)

    def test_without_a_third_level_there_is_none(self):
        self.assertIsNone(self.chosen([(MIB, 9.0), (2 * MIB, 100.0), (128 * MIB, 150.0)])["L3"])
        self.assertIsNone(self.chosen([])["L3"])
        self.assertIsNone(self.chosen([], l2=None)["L2"])


PRINTED = {
    "perf": """case "$*" in
  *help*) printf 'Available functions:\\n\\tdefault ... of glibc\\n\\tother-stosb ... of Linux\\n'; exit 1 ;;
  *) [ -n "$GLIBC_TUNABLES" ] || exit 9; printf '# function\\n85388925081.433228\\n' ;;
esac""",
    "likwid-bench": """case "$*" in
  -a) printf 'clstore - a line\\nstore - scalar\\nstore_mem_avx - streaming\\nstream - triad\\n' ;;
  *store_mem*) echo 'Illegal instruction' >&2; exit 132 ;;
  *) printf 'Size (Byte):\\t\\t524288\\nMByte/s:\\t\\t107048.77\\n' ;;
esac""",
    "stress-ng": """printf 'stress-ng: metrc: [7] memrate %s MB per sec (geometic mean)\\n' \\
  '1024.00 write64' '9.00 read64' '2048.00 write128nt' '4.00 memset' >&2""",
    "folioscope": r"""cat <<'END'
{"kernels": [
 {"name": "plain", "kind": "clear", "usable": true, "store": "plain", "weakly_ordered": false},
 {"name": "stream", "kind": "clear", "usable": true, "store": "non_temporal", "weakly_ordered": true},
 {"name": "memset", "kind": "clear", "usable": true, "store": "library", "weakly_ordered": false},
 {"name": "nothing", "kind": "clear", "usable": true, "store": "none", "weakly_ordered": false},
 {"name": "absent", "kind": "clear", "usable": false, "store": "plain", "weakly_ordered": false},
 {"name": "copy", "kind": "copy", "usable": true, "store": "plain", "weakly_ordered": false}]}
END""",
    "bench_clear": r"""for a in "$@"; do case "$a" in
  --benchmark_out=*) out="${a#*=}" ;;
esac; [ "$last" = --kernels ] && names="$a"; last="$a"; done
{ echo '{"benchmarks": ['; sep=; for k in $(echo "$names" | tr , ' '); do
  echo "$sep{\"name\": \"clear/$k/sequential/512K\", \"bytes_per_second\": 5e10}"; sep=,; done; echo ']}'; } > "$out" """,
}


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, body in PRINTED.items():
            path = pathlib.Path(self.folder.name, name)
            path.write_text("#!/bin/sh\n" + body + "\n")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        path = mock.patch.dict(os.environ, {"PATH": self.folder.name + ":" + os.environ["PATH"]})
        path.start()
        self.addCleanup(path.stop)

    def test_contestants_and_rates(self):
        cpu = min(os.sched_getaffinity(0))
        for program, expected in [
            (contestants.PerfBench(cpu), {("default", "cached"): 85388925081.433228, ("other-stosb", "cached"): 85388925081.433228}),
            (contestants.StressNg(cpu), {("write64", "cached"): 1024 * MIB, ("write128nt", "bypassing"): 2048 * MIB, ("memset", "cached"): 4 * MIB}),
        ]:  # fmt: skip
            rates = program.run(list(program.contestants()), 1 << 19)
            self.assertEqual({(c.kernel, c.style): rate for c, rate in rates.items()}, expected)

    def test_what_a_cpu_cannot_run_is_a_reason(self):
        likwid = contestants.Likwid(0)
        plain, streaming = likwid.contestants()
        self.assertEqual(likwid.run([plain], 1 << 19)[plain], 107048.77e6)
        with self.assertRaisesRegex(contestants.Failed, "132: Illegal instruction"):
            likwid.run([streaming], 1 << 19)

    def test_a_whole_match(self):
        cpu = min(os.sched_getaffinity(0))
        tool = lambda name: os.path.join(self.folder.name, name)
        ours = contestants.Folioscope(tool("bench_clear"), tool("folioscope"), cpu)
        m = match.Match(ours, [contestants.PerfBench(cpu), contestants.Likwid(0)], {"L2": 1 << 19}, random.Random(1), lambda _: None)
        m.qualify(1)
        m.choose_finalists(2)
        self.assertNotIn(("L2", "bypassing"), m.finalists)  # no peer of that style ran
        m.play(10, math.inf)
        (row,) = m.comparisons()
        self.assertEqual((row["ours"], row["peer"], row["n"]), ("folioscope plain", "likwid-bench store", 10))
        self.assertEqual((row["verdict"], row["held"]), ("slower", "no"))
        self.assertEqual(m.failed, {"L2: likwid-bench store_mem_avx": "exit status 132: Illegal instruction"})
        self.assertEqual(m.ceilings(1)["L2"]["bytes_per_second"], 5e10)
        self.assertTrue(json.loads(table.as_json({"rows": [row, math.inf]}))["rows"][0]["ci"])

    def test_a_hung_program_is_ended(self):
        with self.assertRaisesRegex(contestants.Failed, "more than"):
            contestants.output_of(["sleep", "30"], timeout=0.1)


if __name__ == "__main__":
    unittest.main()
