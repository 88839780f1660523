"""Catalogues of spherical haloes and merger trees: figures recomputed with numpy, brute-force progenitors, same bits after a resume."""

import functools
import importlib.util
import unittest

import gravmesh
import numpy as np
from support import ROOT, WORK, quietly


@functools.cache
def web():
    entries = {
        "mesh": {"cells": 32},
        "box": {"size": 20.0},
        "particles": {"dark matter": {"perSide": 24}},
        "time": {"step": 0.04},
        "output": {"redshifts": [], "snapshots": 1, "powerSpectra": False},
        "haloes": {"definitions": ["vir", "200m", "200c", "500c"], "members": 12, "count": 6},
    }
    return quietly(gravmesh.run, "lcdm", out=WORK / "web", backend="cpu", **entries)


def example():
    spec = importlib.util.spec_from_file_location("haloes", ROOT / "docs/examples/haloes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Haloes(unittest.TestCase):
    def test_recomputed(self):
        differences, count = example().recomputed(web())
        self.assertGreater(count, 5)
        self.assertEqual(len(differences), 11)
        self.assertLess(max(differences.values()), 1e-5, differences)

    def test_progenitors(self):
        trees = web().trees
        expected = example().progenitors(web())
        self.assertEqual({row["halo_id"]: row["halo_main_prog_id"] for row in trees}, expected)
        self.assertGreater((trees["halo_main_prog_id"] >= 0).sum(), 5)
        self.assertEqual(set(trees["halo_snapnum"]) - set(range(7)), set())

    def test_files(self):
        catalogue = web().catalogues[-1]
        self.assertEqual((catalogue.time, catalogue.about["redshift"], catalogue.about["Lbox"]), (1.0, 0.0, 20.0))
        self.assertEqual((catalogue.units["halo_mvir"], catalogue.units["halo_rvir"]), ("Msun/h", "Mpc/h"))
        np.testing.assert_array_less(catalogue["halo_mvir"][1:], catalogue["halo_mvir"][:-1] * (1 + 1e-12))
        for name in ("halo_m200c", "halo_m500c"):
            np.testing.assert_array_less(catalogue[name], catalogue["halo_mvir"] * (1 + 1e-12))
        self.assertEqual([len(own) for own in catalogue.particles], list(catalogue["halo_num_p"]))
        self.assertEqual(len(web().catalogues[0]), 0)
        text = (web().path / "haloes_006.csv").read_text().splitlines()
        self.assertEqual(sorted(text[1].split(",")), sorted(catalogue.dtype.names))
        self.assertEqual([int(line.split(",")[0]) for line in text[2:]], list(catalogue["halo_id"]))
