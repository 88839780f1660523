"""The examples of docs/python.md, in small; of those for AMUSE that they are Python."""

import os
import re
import sys
import unittest
from unittest import mock

import gravmesh
from support import ROOT, WORK, spheres


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


class Examples(unittest.TestCase):
    def test_of_the_page(self):
        folder = WORK / "docs"
        (folder / "results").mkdir(parents=True)
        (folder / "results/galaxy").symlink_to(spheres().path)
        small = {"backend": "cpu", "show": False, "mesh": {"cells": 16}, "time": {"end": 0.02}}
        few = {"particles": {"plummer": {"count": 200}}}
        started, start = [], gravmesh.start

        def in_small(deck, **options):
            started.append(start(deck, **{**options, **small, **(few if deck == "plummer" else {})}))
            return started[-1]

        found, before = {"gravmesh": gravmesh}, os.getcwd()
        drawing = mock.MagicMock()
        os.chdir(folder)
        try:
            with mock.patch.dict(sys.modules, {"matplotlib": drawing, "matplotlib.pyplot": drawing.pyplot}):
                with mock.patch("gravmesh.running.start", in_small), mock.patch(
                    "gravmesh.start", in_small
                ), self.assertWarns(UserWarning):
                    for code in blocks("docs/python.md"):
                        exec(compile(code, "docs/python.md", "exec"), found)
                    started[-1].wait()
        finally:
            os.chdir(before)
        self.assertEqual(len(started), 3)
        self.assertEqual([call.kwargs["label"] for call in drawing.pyplot.plot.call_args_list], ["r10", "r50", "r90"])
        drawing.pyplot.xlabel.assert_called_with("time [time units]")
        self.assertEqual((len(found["extent"]), found["last"].shape, found["x"].shape), (4, (4, 6), (50, 3)))
        self.assertEqual((len(found["everything"]), found["cloud"].summary["particles"]), (200, 1000))

    def test_for_amuse(self):
        codes = [*blocks("docs/amuse.md"), (ROOT / "docs/examples/cluster-in-galaxy.py").read_text(encoding="utf-8")]
        for code in codes:
            compile(code, "amuse", "exec")
        self.assertEqual(len(codes), 3)
