"""gravmesh.run: decks of every kind, overrides, events, errors, Ctrl-C, and a machine on which something is missing."""

import os
import signal
import subprocess
import sys
import tomllib
import unittest
from pathlib import Path
from unittest import mock

import gravmesh
import numpy as np
from gravmesh.running import _overrides, toml
from support import ROOT, WORK, quietly, spheres

SMALL = {
    "mesh": {"cells": 16},
    "particles": {"plummer": {"count": 200}},
    "time": {"end": 0.04},
    "output": {"snapshots": 1},
}


class Toml(unittest.TestCase):
    def test_values_come_back(self):
        values = {
            "a": 1,
            "b": 0.1,
            "c": True,
            "d": 'x "y"\\\n\x7fé𝄞',
            "e": [1.5, 2.0],
            "f": {"g": [{"h i": "j"}]},
            "k": float("inf"),
            "l": 1e300,
        }
        self.assertEqual(tomllib.loads("".join(f"{key} = {toml(value)}\n" for key, value in values.items())), values)
        self.assertEqual(toml(np.float64(0.5)), "0.5")
        self.assertEqual(toml(np.arange(3)), "[0, 1, 2]")
        self.assertEqual(toml(Path("a/b")), '"a/b"')
        with self.assertRaisesRegex(gravmesh.Error, "found None"):
            toml({"a": None})

    def test_overrides(self):
        entries = {"mesh": {"cells": 16}, "time.end": 2, "particles": {"my disk": {"mass": 1.0}, 0: {"seed": 3}}}
        self.assertEqual(
            _overrides(entries), ["mesh.cells=16", "time.end=2", 'particles."my disk".mass=1.0', "particles.0.seed=3"]
        )


class Running(unittest.TestCase):
    def test_a_bundled_deck_with_overrides(self):
        events = []
        with self.assertWarnsRegex(UserWarning, "cells are too large for it"):
            folder = gravmesh.run(
                "plummer", out=WORK / "plummer", backend="cpu", on_event=events.append, show=False, **SMALL
            )
        self.assertEqual(
            (folder.summary["status"], folder.summary["particles"], folder.summary["time"]), ("complete", 200, 0.04)
        )
        self.assertEqual(events[-1]["event"], "end")
        self.assertIn("progress", [event["event"] for event in events])
        with self.assertRaisesRegex(gravmesh.Error, "already holds a run.*--force"):
            quietly(gravmesh.run, "plummer", out=WORK / "plummer", backend="cpu", **SMALL)

    def test_text_gives_what_a_dict_gives(self):
        again = quietly(gravmesh.run, spheres().deck, out=WORK / "text", backend="cpu")
        self.assertEqual(again.diagnostics.tobytes(), spheres().diagnostics.tobytes())

    def test_arrays_that_are_no_particles(self):
        deck = {"title": "arrays", "box": {"size": 20}, "mesh": {"cells": 16}, "time": {"end": 0.02, "step": 0.01}}
        deck["particles"] = [{"kind": "snapshot", "file": "-"}]
        with self.assertRaisesRegex(gravmesh.Error, "velocities|columns"):
            quietly(gravmesh.run, deck, arrays={"positions": np.zeros((9, 3))}, out=WORK / "missing", backend="cpu")
        self.assertEqual(list(Path().glob(".gravmesh-*")), [])

    def test_what_can_t_be_sent_is_one_error_and_leaves_nothing(self):
        deck = {"title": "arrays", "box": {"size": 20}, "mesh": {"cells": 16}, "time": {"end": 0.02, "step": 0.01}}
        deck["particles"] = [{"kind": "snapshot", "file": "-"}]
        x = np.full((9, 3), 10.0)
        good = {"positions": x, "velocities": 0 * x, "masses": np.ones(9)}
        wrong = [
            ({**good, "positions": [[1, 2, 3], [1, 2]]}, {}, r"arrays\['positions'\]: expected an array of numbers"),
            ({**good, "masses": np.array([None] * 9)}, {}, r"arrays\['masses'\]: .* found TypeError: object"),
            ({**good, "masses": (one for one in range(9))}, {}, r"arrays\['masses'\]"),
            ({**good, "masses": np.ones(9) * 1j}, {}, "found TypeError: complex128"),
            ([x, 0 * x], {}, "gravmesh.run: expected arguments"),
            ({**good, "positions": np.where(x > 0, np.nan, x)}, {}, "positions row 0 holds NaN"),
            ({**good, "masses": np.ones(8)}, {}, r"masses has the shape \[8\]"),
            (good, {"mesh": {"cells": None}}, "found None"),
            (good, {"title": "\ud800"}, "surrogates not allowed"),
            (good, {"extensions": 3}, "'int' object is not iterable"),
            (good, {"out": "results\0"}, "null byte"),
        ]
        traces = []
        with mock.patch("threading.excepthook", traces.append):
            for arrays, options, said in wrong:
                with self.subTest(said), self.assertRaisesRegex(gravmesh.Error, said):
                    quietly(gravmesh.run, deck, arrays=arrays, backend="cpu", **{"out": WORK / "wrong", **options})
        self.assertEqual((traces, list(Path().glob(".gravmesh-*"))), ([], []))

    def test_what_an_onlooker_raises_ends_the_run(self):
        def look(event):
            raise ZeroDivisionError(event["event"])

        with self.assertRaises(ZeroDivisionError):
            gravmesh.run(
                "plummer",
                out=WORK / "raised",
                backend="cpu",
                on_event=look,
                show=False,
                **{**SMALL, "time": {"end": 400}},
            )

    def test_errors_have_gravmesh_s_text(self):
        with self.assertRaises(gravmesh.Error) as caught:
            quietly(gravmesh.run, "plummer", **{"mesh.cells": -3})
        self.assertEqual(caught.exception.kind, "scenario")
        self.assertRegex(str(caught.exception), "override mesh.cells=-3: .*expected 2")
        path = WORK / "deck.toml"
        path.write_text("[mesh]\ncells = 17\n")
        with self.assertRaisesRegex(gravmesh.Error, r"deck\.toml:2:1: mesh\.cells"):
            quietly(gravmesh.run, path)
        # No name and no key is an option.
        with self.assertRaisesRegex(gravmesh.Error, "No scenario named --help"):
            quietly(gravmesh.run, "--help")
        with self.assertRaisesRegex(gravmesh.Error, "unknown key --force"):
            quietly(gravmesh.run, "plummer", **{"--force": True})
        with self.assertRaisesRegex(gravmesh.Error, "no folder --help"):
            gravmesh.view("--help")
        with self.assertRaisesRegex(gravmesh.Error, "expected either a deck or resume"):
            gravmesh.run()

    def test_ctrl_c_reaches_the_run_which_can_go_on(self):
        code = (
            "import gravmesh, sys\n"
            "say = lambda event: event['event'] == 'progress' and print('going', flush=True)\n"
            f"gravmesh.run('plummer', out=r'{WORK / 'interrupted'}', backend='cpu', on_event=say, **{ {**SMALL, 'time': {'end': 400}} })\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.assertEqual(child.stdout.readline(), "going\n")
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=1000)
        self.assertRegex(said, "KeyboardInterrupt: the run was stopped; go on with: .*--resume")
        summary = gravmesh.open(WORK / "interrupted").summary
        self.assertEqual(summary["status"], "interrupted")
        again = quietly(gravmesh.start, resume=WORK / "interrupted")
        self.assertEqual(again.until("start")["resumedAt"]["time"], summary["time"])
        self.assertTrue(again.running)
        again.stop()
        with self.assertWarns(UserWarning):
            self.assertEqual(again.wait().summary["status"], "interrupted")
        self.assertFalse(again.running)


    def test_an_interrupt_while_the_page_is_awaited_ends_the_run(self):
        started = []
        entries = {**SMALL, "time": {"end": 400}, "out": WORK / "awaited", "backend": "cpu", "live": True}

        def interrupted(run, kind):
            started.append(run)
            raise KeyboardInterrupt

        with mock.patch("gravmesh.running.Run.until", interrupted), self.assertRaises(KeyboardInterrupt):
            quietly(gravmesh.run, "plummer", **entries)
        self.assertFalse(started[0].running)


class Missing(unittest.TestCase):
    """With a PATH of its own."""

    def missing(self, package=None, programs=()):
        folder = WORK / f"path{len(programs)}{package is None}"
        folder.mkdir()
        for name in programs:
            (folder / name).symlink_to("/bin/true")
        environment = {"PATH": str(folder)}
        with mock.patch.dict(os.environ, environment, clear=True), mock.patch(
            "gravmesh.command.npm_package", lambda: package
        ):
            from gravmesh.command import command

            return command()

    def test_what_to_install(self):
        with self.assertRaisesRegex(gravmesh.Error, "^Node.js is missing.*https://nodejs.org"):
            self.missing(package=ROOT)
        with self.assertRaisesRegex(gravmesh.Error, "^gravmesh isn't installed: npm install -g gravmesh"):
            self.missing(programs=["node"])

    def test_where_it_is_found(self):
        self.assertEqual(self.missing(programs=["gravmesh", "node"])[0].split("/")[-1], "gravmesh")
        self.assertEqual(self.missing(package=ROOT, programs=["node"])[1], str(ROOT / "dist/bin/gravmesh.js"))
        with self.assertRaisesRegex(gravmesh.Error, "nowhere: expected the path of gravmesh"):
            quietly(gravmesh.run, "plummer", program="nowhere")
