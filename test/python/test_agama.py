"""Agama's INI files as [[potential]] tables: docs/examples/agama-potential.py."""

import importlib.util
import tomllib
import unittest

from support import ROOT


def converted(text):
    spec = importlib.util.spec_from_file_location("agama", ROOT / "docs/examples/agama-potential.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return tomllib.loads(module.tables(text, 1))["potential"]


class Agama(unittest.TestCase):
    def test_kinds(self):
        bulge, disk, halo, log = converted(
            "# Bovy 2015\n[Potential bulge]\ntype = SpheroidDensity\ndensityNorm = 2.22694e8\ngamma = 1.8\nbeta = 1.8\n"
            "outerCutoffRadius = 1.9\n[Potential disk]\nType=MiyamotoNagai\nscaleRadius=3\nscaleHeight=0.28\nmass=6.8e10\n"
            "[Potential halo]\ntype=Spheroid\ndensityNorm=8.48683e6\ngamma=1\nbeta=3\nscaleRadius=16\n"
            "[Potential]\ntype = Logarithmic\nv0 = 200\nscaleRadius = 2\naxisRatioZ = 0.8\n"
        )
        self.assertEqual(bulge["kind"], "power-law-cutoff")
        self.assertAlmostEqual(bulge["mass"] / 4.5014e9, 1, 4)  # galpy's
        self.assertEqual((disk["kind"], disk["scaleLength"], disk["mass"]), ("miyamoto-nagai", 3, 6.8e10))
        self.assertEqual((halo["kind"], halo["name"]), ("nfw", "Potential halo"))
        self.assertAlmostEqual(halo["mass"] / 4.36833e11, 1, 4)
        self.assertEqual([log[key] for key in ("speed", "core", "flattening", "elongation")], [200, 2, 0.8, 1])

    def test_table(self):
        # Hernquist's sphere: M(r) = 2πρ0a³ (r/(r + a))²
        (one,) = converted("[Potential]\ntype=Spheroid\ndensityNorm=3\ngamma=1\nbeta=4\nscaleRadius=2\n")
        for r, mass in zip(one["radii"], one["masses"]):
            x = r / (r + 2)
            self.assertLess(abs(mass / (48 * 3.141592653589793 * x * x) - 1), 1e-3 if r < 0.1 else 1e-5)

    def test_refused(self):
        for text, words in [
            ("type=Ferrers", "found ferrers"),
            ("type=Plummer\naxisRatioZ=0.5", "found axis ratios 1 and 0.5"),
            ("type=Plummer\ncenter=1,0,0", "found center"),
        ]:
            with self.assertRaisesRegex(ValueError, words):
                converted("[Potential]\n" + text)


if __name__ == "__main__":
    unittest.main()
