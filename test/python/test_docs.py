"""The examples of docs/python.md and the notebook, in small; of those for AMUSE that they are Python."""

import contextlib
import json
import os
import re
import sys
import unittest
from unittest import mock

import gravmesh
import numpy as np
from support import ROOT, WORK, spheres


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


SMALL = {"backend": "cpu", "show": False, "mesh": {"cells": 16}, "time": {"end": 0.02, "step": 0.01}}


class Examples(unittest.TestCase):
    def ran(self, codes, folder, count):
        """The names that codes leave, run in `folder` with bundled decks of `count` particles; the runs, and what was drawn."""
        started, start, drawing = [], gravmesh.start, mock.MagicMock()
        drawing.pyplot.subplots.return_value = (mock.MagicMock(), [mock.MagicMock(), mock.MagicMock()])

        def in_small(deck, **options):
            few = {"particles": {deck: {"count": count}}} if isinstance(deck, str) else {}
            started.append(start(deck, **{**options, **SMALL, **few}))
            return started[-1]

        found, before = {"gravmesh": gravmesh}, os.getcwd()
        os.chdir(folder)
        try:
            with contextlib.ExitStack() as stack:
                stack.enter_context(
                    mock.patch.dict(sys.modules, {"matplotlib": drawing, "matplotlib.pyplot": drawing.pyplot})
                )
                for name in ("gravmesh.running.start", "gravmesh.start"):
                    stack.enter_context(mock.patch(name, in_small))
                stack.enter_context(self.assertWarns(UserWarning))
                stack.enter_context(contextlib.redirect_stdout(None))
                for code in codes:
                    exec(compile(code, "example", "exec"), found)
                for run in started:
                    run.wait()
        finally:
            os.chdir(before)
        return found, started, drawing.pyplot

    def test_of_the_page(self):
        folder = WORK / "docs"
        (folder / "results").mkdir(parents=True)
        (folder / "results/galaxy").symlink_to(spheres().path)
        found, started, plot = self.ran(blocks("docs/python.md"), folder, 200)
        self.assertEqual(len(started), 3)
        self.assertEqual([call.kwargs["label"] for call in plot.plot.call_args_list], ["r10", "r50", "r90"])
        plot.xlabel.assert_called_with("time [time units]")
        self.assertEqual((len(found["extent"]), found["last"].shape, found["x"].shape), (4, (4, 6), (50, 3)))
        self.assertEqual(len(found["everything"]), 200)
        cloud, x = found["cloud"], 10 + np.random.default_rng(1).normal(size=(1000, 3))
        first = cloud.snapshots[0].particles
        np.testing.assert_allclose(first["Coordinates"], x, rtol=0, atol=20 / 2**32)
        self.assertEqual((np.ptp(first["Velocities"]), set(first["Masses"])), (0, {1e-3}))
        with np.load(cloud.path / "stdin.data") as kept:
            np.testing.assert_array_equal(kept["positions"], x)
        self.assertEqual(list(folder.glob(".gravmesh-*")), [])

    def test_of_the_notebook(self):
        cells = json.loads((ROOT / "docs/examples/disk.ipynb").read_text(encoding="utf-8"))["cells"]
        codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        found, _, plot = self.ran(codes, WORK, 2000)
        curve = plot.plot.call_args.args[1]
        # In units of √(GM/R_d), where an exponential disk has 0.6 at its peak.
        self.assertEqual(curve.shape, (20,))
        self.assertTrue(0.4 < curve.max() < 0.8)
        self.assertGreater(found["count"].sum(), 1500)

    def test_for_amuse(self):
        codes = [*blocks("docs/amuse.md"), (ROOT / "docs/examples/cluster-in-galaxy.py").read_text(encoding="utf-8")]
        for code in codes:
            compile(code, "amuse", "exec")
        self.assertEqual(len(codes), 3)
