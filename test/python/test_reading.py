"""gravmesh.open: what it gives are the figures of the files, to the bit, with their units."""

import csv
import os
import re
import shutil
import subprocess
import unittest

import gravmesh
import h5py
import numpy as np
from gravmesh.command import command
from support import DECK, ROOT, WORK, box, spheres


def bits(array):
    array = np.ascontiguousarray(array)
    return array.shape, array.dtype, array.tobytes()


def same(test, found, expected):
    test.assertEqual(bits(found), bits(expected))


def as_text(path):
    """The cells of a csv as they stand."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return list(csv.reader(lines))


class Csv(unittest.TestCase):
    def check(self, table, path):
        heads, *rows = as_text(path)
        self.assertEqual(list(table.dtype.names), heads)
        self.assertGreater(len(rows), 0)
        for k, head in enumerate(heads):
            same(self, table[head], np.array([float(row[k]) for row in rows]))

    def test_figures(self):
        run = spheres()
        self.check(run.diagnostics, run.path / "diagnostics.csv")
        self.check(run.bar, run.path / "bars.csv")
        self.check(run.galaxies, run.path / "galaxies.csv")
        self.check(run.components, run.path / "components.csv")
        self.check(box().spectra[-1], box().path / "power_001.csv")

    def test_units(self):
        units = spheres().diagnostics.units
        self.assertEqual(
            (units["kinetic"], units["r50"], units["time"], units["step"]),
            ("(1e10 Msun) (km/s)²", "kpc", "kpc/(km/s)", ""),
        )
        units = spheres().galaxies.units
        self.assertEqual(
            [units[f"host.{name}"] for name in ("x", "vx", "r50", "m90")], ["kpc", "km/s", "kpc", "1e10 Msun"]
        )
        self.assertEqual(box().diagnostics.units["time"], "scale factor")
        spectrum = box().spectra[0]
        self.assertEqual(
            [spectrum.units[name] for name in ("k", "k_low", "power", "linear", "modes")],
            ["1/(Mpc/h)", "1/(Mpc/h)", "(Mpc/h)^3", "(Mpc/h)^3", ""],
        )

    def test_statistics_and_fields(self):
        run = box()
        for kind in ("multipoles", "bispectra", "correlations"):
            found = getattr(run, kind)
            self.assertEqual([one.time for one in found], [one.time for one in run.snapshots])
        units = {**run.multipoles[-1].units, **run.bispectra[-1].units, **run.correlations[-1].units}
        names = ("k", "P2", "kaiser4", "k1", "bispectrum", "r_low", "xi")
        per, length = "1/(Mpc/h)", "(Mpc/h)"
        expected = [per, f"{length}^3", f"{length}^3", per, f"{length}^6", length, ""]
        self.assertEqual([units[name] for name in names], expected)
        self.assertEqual(run.fields["Velocity", -1].shape, (16, 16, 16, 3))
        self.assertEqual(run.initial_fields["LinearDensity"].shape, (16, 16, 16))

    def test_a_light_cone(self):
        run = box()
        self.assertEqual((len(run.light_cone), len(run.shell_maps), len(run.kappa_maps)), (2, 2, 1))
        shell, counts = run.light_cone[1], run.shell_maps[1]
        r = np.linalg.norm(shell["Coordinates"], axis=1)
        about = shell.attributes()
        self.assertTrue(np.all((r >= about["Near"]) & (r < about["Far"])))
        self.assertEqual(shell.units["Velocities"], "km/s")
        self.assertEqual(counts.shape, (768,))
        self.assertAlmostEqual(np.isfinite(counts).mean(), 1 / 8, delta=0.03)
        self.assertAlmostEqual(np.nansum(counts) / len(r), np.isfinite(counts).sum() / 96, delta=0.1)
        self.assertEqual(run.kappa_power[0].dtype.names, ("ell", "power", "linear", "halofit", "shot_noise"))

    def test_a_spectrum_knows_its_time(self):
        self.assertEqual([one.time for one in box().spectra], [one.time for one in box().snapshots])

    def test_a_column_and_a_row(self):
        table = spheres().diagnostics
        self.assertIs(type(table["kinetic"]), np.ndarray)
        self.assertEqual(table[-1]["time"], 0.02)
        self.assertEqual(table[table["step"] > 0].units, table.units)

    def test_a_line_that_is_half_written(self):
        path = WORK / "half.csv"
        whole = (spheres().path / "diagnostics.csv").read_text()
        path.write_text(whole + "0.03,3,1.2")
        from gravmesh.tables import read_csv

        same(self, np.asarray(read_csv(path)), np.asarray(spheres().diagnostics))


class Snapshots(unittest.TestCase):
    def raw(self, index, name):
        """Of all files together, by id."""
        found = []
        for path in spheres().path.glob(f"snapshot_{index:03d}.*.hdf5"):
            with h5py.File(path) as file:
                for group in (file[key] for key in file if key.startswith("PartType")):
                    found += list(zip(group["ParticleIDs"][...], group[name][...]))
        return np.array([value for _, value in sorted(found, key=lambda one: one[0])])

    def test_several_files_are_one(self):
        self.assertEqual(len(list(spheres().path.glob("snapshot_000.*.hdf5"))), 3)
        self.assertEqual(len(spheres().snapshots), 2)
        self.assertEqual([one.time for one in spheres().snapshots], [0, 0.02])

    def test_by_component(self):
        first = 0
        snapshot = spheres().snapshots[-1]
        self.assertEqual(list(snapshot.components), ["dark one", "bulge", "outer"])
        for one in DECK["particles"]:
            particles = snapshot[one["name"]]
            ids = np.arange(first, first + one["count"])
            self.assertEqual(len(particles), one["count"])
            same(self, particles["ParticleIDs"], ids.astype(np.uint32))
            for name in ("Coordinates", "Velocities", "Potential"):
                same(self, particles[name], self.raw(1, name)[ids])
            np.testing.assert_allclose(particles["Masses"].sum(), one["mass"], rtol=0.1)
            first += one["count"]
        table = snapshot.particles.table("Coordinates", "ParticleIDs")
        same(self, table["Coordinates"], self.raw(1, "Coordinates"))
        self.assertEqual(table.units, {"Coordinates": "kpc", "ParticleIDs": ""})

    def test_subsamples(self):
        self.assertEqual(len(spheres().subsamples), 2)
        one = spheres().subsamples[1]
        for name, ids in (("dark one", range(0, 60, 7)), ("bulge", range(63, 110, 7)), ("outer", range(112, 200, 7))):
            same(self, one[name]["ParticleIDs"], np.array(ids, np.uint32))
            same(self, one[name]["Coordinates"], self.raw(1, "Coordinates")[list(ids)])

    def test_units(self):
        units = spheres().snapshots[0]["bulge"].units
        self.assertEqual((units["Velocities"], units["Potential"], units["Masses"]), ("km/s", "(km/s)²", "1e10 Msun"))
        units = box().snapshots[0].particles.units
        self.assertEqual(
            (units["Coordinates"], units["Velocities"], units["Masses"]), ("kpc/h", "a^0.5 (km/s)", "1e10 Msun/h")
        )

    def test_profile(self):
        snapshot = spheres().snapshots[-1]
        outer, edges, centre = snapshot["outer"], np.array([0.5, 2.0, 4.0, 9.0]), [20, 20, 20]
        table = snapshot.profile("outer", edges, centre)
        r = np.linalg.norm(outer["Coordinates"] - centre, axis=1)
        for k in range(3):
            inside = (r >= edges[k]) & (r < edges[k + 1])
            mass = outer["Masses"][inside].sum()
            volume = 4 / 3 * np.pi * (edges[k + 1] ** 3 - edges[k] ** 3)
            self.assertEqual(table["count"][k], inside.sum())
            np.testing.assert_allclose([table["mass"][k], table["density"][k]], [mass, mass / volume], rtol=1e-6)
        self.assertEqual((table.units["density"], table.units["r"]), ("1e10 Msun/(kpc)^3", "kpc"))
        # About the densest place of all, which lies near the middle of the box.
        self.assertGreater(snapshot.profile()["density"][0], 10 * snapshot.profile()["density"][-1])

    def test_rotation_curve(self):
        # Rings as the report's: in a sphere at rest there is no rotation, and three equal dispersions.
        snapshot = spheres().snapshots[-1]
        table = snapshot.rotation_curve(["bulge", "outer"], np.array([0.0, 5.0]), [20, 20, 20])
        particles = [snapshot[name] for name in ("bulge", "outer")]
        x = np.concatenate([one["Coordinates"] for one in particles]) - 20
        v = np.concatenate([one["Velocities"] for one in particles]).astype(float)
        m = np.concatenate([one["Masses"] for one in particles]).astype(float)
        v -= np.average(v, axis=0, weights=m)
        R = np.hypot(x[:, 0], x[:, 1])
        inside = R < 5
        phi = ((x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]) / R)[inside]
        weights = m[inside]
        mean = np.average(phi, weights=weights)
        height = np.sqrt(np.average(x[inside, 2] ** 2, weights=weights) - np.average(x[inside, 2], weights=weights) ** 2)
        found = [table[name][0] for name in ("rotation", "sigma_phi", "height", "count", "R")]
        spread = np.sqrt(np.average(phi**2, weights=weights) - mean**2)
        np.testing.assert_allclose(found, [mean, spread, height, inside.sum(), 2.5], rtol=1e-5)
        self.assertEqual([table.units[name] for name in ("R", "sigma_z", "count")], ["kpc", "km/s", ""])
        turned = snapshot.rotation_curve(["bulge", "outer"], np.array([0.0, 5.0]), [20, 20, 20], normal=(0, 0, -1))
        np.testing.assert_allclose(turned["rotation"], -table["rotation"], rtol=1e-9)

    def test_field_at_points(self):
        # At the places of the particles it is the field that the run has there.
        run = spheres()
        particles = run.snapshots[1].particles
        found = run.field(particles["Coordinates"], 1, backend="cpu")
        np.testing.assert_allclose(found["Potential"], particles["Potential"], rtol=1e-6)
        self.assertEqual(found.units, {"Acceleration": "kpc^-1 (km/s)²", "Potential": "(km/s)²"})
        # Far from everything, G M / d².
        mass = particles["Masses"].sum()
        pull = run.field([[39.0, 20.0, 20.0]], backend="cpu")["Acceleration"][0]
        np.testing.assert_allclose(pull[0], -43007.1 * mass / 19**2, rtol=0.15)

    def test_what_is_not_there(self):
        with self.assertRaisesRegex(KeyError, "has the components dark one, bulge, outer"):
            spheres().snapshots[0]["disk"]
        with self.assertRaisesRegex(KeyError, "hdf5 has Coordinates"):
            spheres().snapshots[0]["bulge"]["Acceleration"]


class Hdf5(unittest.TestCase):
    def check(self, columns, path, group="/"):
        with h5py.File(path) as file:
            sets = {name: one for name, one in file[group].items() if isinstance(one, h5py.Dataset)}
            self.assertEqual(set(columns), set(file[group]))
            for name, one in sets.items():
                same(self, columns[name], one[...])
                self.assertEqual(columns.attributes(name).keys(), one.attrs.keys())

    def test_figures(self):
        run = spheres()
        for columns, name in ((run.maps, "maps"), (run.orbits, "orbits"), (run.bars, "bars")):
            self.check(columns, run.path / f"{name}.hdf5")
        same(self, run.maps["density_z", -1], run.maps["density_z"][-1])
        table = run.orbits.table()
        same(self, table["Coordinates"], run.orbits["Coordinates"])
        self.assertEqual(table.units["Velocities"], "km/s")
        self.assertEqual(run.maps.table().units, {"Time": "kpc/(km/s)", "density_z": "1e10 Msun/(kpc)^2"})

    def test_haloes(self):
        haloes = box().haloes
        self.assertGreater(len(haloes), 0)
        with h5py.File(box().path / "haloes.hdf5") as file:
            for name in haloes.dtype.names:
                same(self, haloes[name], file["Haloes"][name][...])
        self.assertEqual((haloes.units["Mass"], haloes.units["Position"]), ("1e10 Msun/h", "Mpc/h"))

    def test_ensemble(self):
        folder = WORK / "ensemble"
        entries = ["particles.0.count=200", "mesh.cells=16", "time.end=0.04", "output.snapshots=1"]
        subprocess.run(
            [
                *command(),
                "ensemble",
                "plummer",
                *entries,
                "--vary",
                "seed=1,2",
                "--backend",
                "cpu",
                "--quiet",
                "--out",
                folder,
            ],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        ensemble = gravmesh.open(folder)
        heads, *rows = as_text(folder / "ensemble.csv")
        self.assertEqual(list(ensemble.table.dtype.names), heads)
        same(self, ensemble.table["kinetic"], np.array([float(row[heads.index("kinetic")]) for row in rows]))
        self.assertEqual(list(ensemble.table["state"]), ["finished"] * 2)
        self.assertEqual(ensemble.table.units["wall_seconds"], "s")
        curves = ensemble.data["Curves"]["diagnostics"]
        self.check(curves, folder / "ensemble.hdf5", "Curves/diagnostics")
        same(self, curves["r50"][1], np.asarray(ensemble.member(1).diagnostics["r50"]))
        same(self, ensemble.data["Curves/diagnostics/r50", 1], curves["r50"][1])
        self.assertEqual(list(ensemble.data["Members"]["state"]), ["finished"] * 2)
        with self.assertRaisesRegex(KeyError, "has .*Curves.*Statistics"):
            ensemble.data["r50"]


class Folders(unittest.TestCase):
    def test_what_is_no_result(self):
        with self.assertRaisesRegex(
            gravmesh.Error, "expected the folder of a run or an ensemble, found no such folder"
        ):
            gravmesh.open(WORK / "nowhere")
        with self.assertRaisesRegex(gravmesh.Error, "galaxies.csv isn't there: the deck doesn't ask for it"):
            box().galaxies
        self.assertEqual(spheres().summary["status"], "complete")
        self.assertIn("three spheres", spheres().deck)

    def looks(self, run):
        """All that a folder has, a look each."""
        kept = [name for name in ("spectra", "snapshots") if len(getattr(run, name))]
        files = ("bar", "bars", "components", "diagnostics", "haloes", "maps", "orbits")
        yield from ((name, lambda name=name: getattr(run, name)) for name in ("summary", "deck", *files))
        yield from ((name, lambda name=name: getattr(run, name)[-1]) for name in kept)
        yield from ((name, lambda name=name: getattr(run, name).table()) for name in ("bars", "maps", "orbits"))
        yield "particles", lambda: [run.snapshots[-1].particles.table(), run.snapshots[-1].redshift]
        yield "profile", lambda: run.snapshots[-1].profile()
        yield "picture", run.picture

    def check(self, damage, folder):
        run = gravmesh.open(folder)
        for name, look in self.looks(run):
            with self.subTest(f"{damage}: {name}"):
                try:
                    look()
                except gravmesh.Error as error:
                    self.assertRegex(str(error), f"{folder.name}|expected")

    def test_damaged_files(self):
        folder = WORK / "damaged"
        wholes = {
            "half": lambda data: data[: len(data) // 2],
            "noise": lambda data: bytes((7 * k) % 251 for k in range(999)),
            "list": lambda data: b"[1, 2]",
            "folder": None,
        }
        for source in (spheres(), box()):
            files = [path for path in sorted(source.path.iterdir()) if path.suffix in (".csv", ".hdf5", ".json", ".toml")]
            for k, path in enumerate(files):
                # Two of the four each, by turns.
                for damage, made in list(wholes.items())[k % 2 :: 2]:
                    shutil.rmtree(folder, ignore_errors=True)
                    shutil.copytree(source.path, folder, copy_function=os.link, ignore=lambda *_: ["checkpoint"])
                    (folder / path.name).unlink()
                    if made:
                        (folder / path.name).write_bytes(made(path.read_bytes()))
                    else:
                        (folder / path.name).mkdir()
                    self.check(f"{damage} {path.name}", folder)

    def test_damaged_heads(self):
        folder = WORK / "heads"
        names = ["Time", "BoxSize", "NumPart_ThisFile", "MassTable", "components.number", "components.0.name"]
        names += ["components.0.first", "components.0.species"]
        for name in names:
            for value in (None, "xyz", 10**9, [1, 2, 3]):
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(box().path, folder)
                with h5py.File(folder / "snapshot_001.hdf5", "a") as file:
                    attributes = file["Parameters" if "." in name else "Header"].attrs
                    del attributes[name]
                    if value is not None:
                        attributes[name] = value
                self.check(f"{name} = {value}", folder)

    def test_version_and_size(self):
        version = re.search(r'"version": "(.+)"', (ROOT / "package.json").read_text())[1]
        self.assertEqual(gravmesh.__version__, version)
        files = [
            path for path in (ROOT / "src/doors/python").rglob("*") if path.is_file() and "__pycache__" not in path.parts
        ]
        self.assertLess(sum(path.stat().st_size for path in files), 1_000_000)
