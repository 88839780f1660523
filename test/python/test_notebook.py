"""What a notebook shows: pictures, the page that is served, the widget where anywidget is there."""

import struct
import sys
import types
import unittest
import urllib.error
import urllib.request
import zlib
from unittest import mock

import gravmesh
import numpy as np
from gravmesh import notebook
from support import WORK, box, quietly, spheres


def pixels(png):
    """[height, width, 3] of a PNG as ours are."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    begin = png.index(b"IDAT") + 4
    size = struct.unpack(">I", png[begin - 8 : begin - 4])[0]
    rows = np.frombuffer(zlib.decompress(png[begin : begin + size]), np.uint8).reshape(height, 1 + 3 * width)
    assert (rows[:, 0] == 0).all()
    return rows[:, 1:].reshape(height, width, 3)


class Pictures(unittest.TestCase):
    def test_the_newest_map(self):
        density = spheres().maps["density_z", -1]
        shown = pixels(spheres().picture())
        self.assertEqual(shown.shape, (4, 6, 3))
        self.assertEqual(tuple(shown.reshape(-1, 3)[density.argmax()]), (252, 255, 164))
        order = np.argsort(density, axis=None)
        self.assertTrue((np.diff(shown.sum(axis=-1).ravel()[order].astype(int)) >= 0).all())

    def test_the_newest_snapshot_where_there_are_no_maps(self):
        shown = pixels(box().picture())
        self.assertEqual(shown.shape, (400, 400, 3))
        # Rows go down, y goes up.
        x, y, _ = box().snapshots[-1].particles["Coordinates"].T / 1e5 * 100
        one = np.zeros((100, 100))
        np.add.at(one, (99 - y.astype(int), x.astype(int)), 1)
        brightest = np.argwhere(shown[::4, ::4].sum(axis=-1) == 252 + 255 + 164)
        self.assertEqual(
            {tuple(place) for place in brightest}, {tuple(place) for place in np.argwhere(one == one.max())}
        )

    def test_maps_that_are_still_to_come(self):
        maps = {"Time": np.arange(3), "density_z": np.array([[[1.0, 2.0]], [[3.0, 4.0]], [[np.nan, np.nan]]])}

        class Maps(dict):
            def __getitem__(self, key):
                return super().__getitem__(key[0])[key[1]] if isinstance(key, tuple) else super().__getitem__(key)

        self.assertEqual(notebook._newest_map(types.SimpleNamespace(maps=Maps(maps))).tolist(), [[3.0, 4.0]])


class Pages(unittest.TestCase):
    def test_a_folder_s_page_until_it_is_stopped(self):
        shown = gravmesh.view(spheres().path)
        with urllib.request.urlopen(shown.address) as page:
            self.assertIn("frame-ancestors http://localhost:*", page.headers["content-security-policy"])
        with mock.patch.dict(sys.modules, {"anywidget": None}):
            found = shown._repr_mimebundle_()
        self.assertIn(f'href="{shown.address}"', found["text/html"])
        self.assertEqual(found["text/plain"], shown.address)
        shown.stop()
        shown._join()
        with self.assertRaises(urllib.error.URLError):
            urllib.request.urlopen(shown.address)
        with self.assertRaisesRegex(gravmesh.Error, "There is no folder"):
            gravmesh.view(WORK / "nowhere")

    def test_a_run_s_page_and_its_picture_at_the_end(self):
        made = []

        class AnyWidget:
            def __init__(self, **values):
                made.append(self)
                self.__dict__.update(values)

            def _repr_mimebundle_(self):
                return {"application/vnd.jupyter.widget-view+json": {}}

        class Trait:
            def __init__(self, *_):
                pass

            def tag(self, **_):
                return self

        fakes = {
            "anywidget": types.SimpleNamespace(AnyWidget=AnyWidget),
            "traitlets": types.SimpleNamespace(Unicode=Trait, Int=Trait, Bytes=Trait),
        }
        small = {
            "mesh": {"cells": 16},
            "particles": {"plummer": {"count": 200}},
            "time": {"end": 0.04},
            "output": {"snapshots": 1},
        }
        with mock.patch.dict(sys.modules, fakes):
            notebook._widget_class.cache_clear()
            run = quietly(gravmesh.start, "plummer", out=WORK / "live", backend="cpu", live=True, **small)
            self.assertIn("?token=", run.address)
            self.assertIn("application/vnd.jupyter.widget-view+json", run._repr_mimebundle_())
        notebook._widget_class.cache_clear()
        with self.assertWarns(UserWarning):
            folder = run.wait()
        self.assertEqual(made[0].address, run.address)
        self.assertEqual(made[0]._esm.name, "live.js")
        self.assertTrue(made[0]._esm.exists())
        self.assertEqual(made[0].picture, folder.picture())
        # With anywidget gone there is a link and the picture.
        with mock.patch.dict(sys.modules, {"anywidget": None}):
            self.assertIn("data:image/png;base64,iVBOR", run._repr_mimebundle_()["text/html"])
