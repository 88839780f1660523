"""What a run or an ensemble has left in its folder, read when it is asked for. Names of columns are those of the files."""

import json
import re
import tempfile
import warnings
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from .command import HERE, Error, reading
from .notebook import picture
from .snapshots import Snapshot
from .tables import Columns, Table, read_csv, units_in_comment

# Of a run's time: a step that moves nothing.
_MOMENT = 1e-6


def open(folder):
    """The Folder of a run, or the Ensemble. Raises Error where neither is."""
    path = Path(folder).expanduser()
    if (path / "ensemble.json").exists():
        return Ensemble(path)
    if (path / "scenario.toml").exists():
        return Folder(path)
    found = "no such folder" if not path.is_dir() else "no scenario.toml and no ensemble.json in it"
    raise Error(f"{path}: expected the folder of a run or an ensemble, found {found}.", "io")


class _Files(Sequence):
    """Files of a series by number, opened when asked for."""

    def __init__(self, paths, opened):
        self.paths, self._opened = paths, opened

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return _Files(self.paths[index], self._opened)
        return self._opened(self.paths[index])


def _csv(file, about=None):
    return property(lambda self: self._table(file), doc=about)


def _hdf5(file, about=None):
    return property(lambda self: Columns(self._need(file), time_unit=self._time_unit), doc=about)


class Folder:
    """The folder of a run, which may still be under way: each look reads what is there."""

    def __init__(self, path):
        self.path = Path(path)

    def __repr__(self):
        return f"<gravmesh run {self.path}: {self.summary.get('status', 'under way')}>"

    def picture(self):
        """PNG of the newest map, or of the newest snapshot from above; None before there is one."""
        with reading(self.path):
            return picture(self)

    _repr_png_ = picture

    @property
    def deck(self):
        """The complete deck as run, TOML."""
        with reading(path := self._need("scenario.toml")):
            return path.read_text(encoding="utf-8")

    @property
    def summary(self):
        """summary.json (docs/summary.md); empty until the run has ended or was interrupted."""
        path = self.path / "summary.json"
        if not path.exists():
            return {}
        with reading(path):
            found = json.loads(path.read_text(encoding="utf-8"))
            return {**found, "status": found["status"]}

    @property
    def report(self):
        """The path of report.html."""
        return self._need("report.html")

    diagnostics = _csv("diagnostics.csv")
    galaxies = _csv("galaxies.csv")
    components = _csv("components.csv", "components.csv: density centre, radii and masses of each component.")
    centres = _csv("centres.csv", "centres.csv: potentials that move, and the frame of a host.")
    bar = _csv("bars.csv", "bars.csv: the bar in numbers, a row a time.")
    bars = _hdf5("bars.hdf5", "bars.hdf5: everything in rings.")
    maps = _hdf5("maps.hdf5")
    orbits = _hdf5("orbits.hdf5")
    fields = _hdf5("fields.hdf5", "fields.hdf5: density and velocity on a grid, a row a time.")
    initial_fields = _hdf5("initial_fields.hdf5", "initial_fields.hdf5: displacement and linear density of the start.")

    @property
    def haloes(self):
        """A row a halo, in full precision."""
        return Columns(self._need("haloes.hdf5"), "Haloes").table()

    @property
    def catalogues(self):
        """
        Catalogues of spherical haloes (docs/haloes.md): a Table each, a row a halo, with its `time`, the file's attributes in
        `about`, and in `particles` an array of ids for each halo, the most bound first.
        """
        return _Files(self._numbered("haloes", "hdf5"), _catalogue)

    @property
    def trees(self):
        """Merger trees: a row a halo of any catalogue."""
        return Columns(self._need("halo_trees.hdf5"), "Trees").table()

    @property
    def light_cone(self):
        """Shells of the light cone (docs/lightcones.md), from the nearest: Columns each, with `attributes()`."""
        return _Files(self._numbered("lightcone", "hdf5"), Columns)

    @property
    def shell_maps(self):
        """HEALPix maps of the counts of each shell, in the ring scheme; NaN where nothing is seen."""
        return _Files(self._numbered("lightcone", "fits"), _healpix)

    @property
    def kappa_maps(self):
        """HEALPix maps of the convergence, one for each redshift of sources."""
        return _Files(self._numbered("kappa", "fits"), _healpix)

    @property
    def kappa_power(self):
        """Their angular power beside Limber's integral: a Table each, a row a multipole."""
        return _Files(self._numbered("kappa", "csv"), lambda path: read_csv(path, lambda *_: ""))

    @property
    def spectra(self):
        """Power spectra, one with every snapshot: a Table each, with its `time`."""
        return _Files(self._numbered("power", "csv"), _spectrum)

    @property
    def multipoles(self):
        """P0, P2, P4 in redshift space with every snapshot: a Table each, with its `time`; so the three that follow."""
        return _Files(self._numbered("multipoles", "csv"), _spectrum)

    @property
    def cross(self):
        """Power of every component, cross-power and correlation of every two."""
        return _Files(self._numbered("cross", "csv"), _spectrum)

    @property
    def bispectra(self):
        """A row a triangle of bins of k."""
        return _Files(self._numbered("bispectrum", "csv"), _spectrum)

    @property
    def correlations(self):
        """The two-point correlation function, a row a bin of r."""
        return _Files(self._numbered("correlation", "csv"), _spectrum)

    @property
    def snapshots(self):
        return _Files(self._numbered("snapshot", "hdf5"), self._snapshot)

    @property
    def subsamples(self):
        return _Files(self._numbered("subsample", "hdf5"), self._snapshot)

    def field(self, points, snapshot=-1, **options):
        """
        Acceleration and Potential at points [K, 3], box coordinates in the snapshot's unit of length, as a Table: of all that
        acts in the run, by the beginning of a run of the same deck from the snapshot with tracers at the points. `options`: of run.
        """
        import tomllib  # of Python 3.11

        from .running import run

        shown, deck = self.snapshots[snapshot], tomllib.loads(self.deck)
        points = np.asarray(points, float).reshape(-1, 3) / shown._per_deck_length
        now = {"kind": "snapshot", "name": "now", "file": str(shown.path.resolve())}
        rigid = (one for one in deck["particles"] if one.get("rigid"))
        deck["particles"] = [now, *rigid, {"kind": "snapshot", "name": "points", "file": "-", "units": "deck"}]
        for level in deck.get("level", []):
            if level.get("around") in shown.components:
                level["around"] = f"now {level['around']}"
        for table in ("maps", "bars", "haloes", "orbits", "spectra", "fields", "lightcone", "subsample", "galaxy"):
            deck.pop(table, None)
        deck["output"] = {"snapshots": 1, "fields": ["positions", "ids", "masses", "potential", "accelerations"]}
        begin = shown.time if deck["time"]["clock"] == "comoving" else 0.0
        step = _MOMENT * (deck["time"]["end"] - begin or 1)
        deck["time"].update(start=begin, end=begin + step, step=step)
        arrays = {"positions": points, "velocities": 0 * points, "masses": np.zeros(len(points))}
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = run(deck, arrays=arrays, out=f"{folder}/field", **{"show": False, **options}).snapshots[0]
            return next(found[name] for name in found.components if name.startswith("points")).table("Acceleration", "Potential")

    def _snapshot(self, path):
        return Snapshot(path, self._labels)

    def _numbered(self, stem, ending):
        """Of a snapshot of several files the first one, which appears last."""
        found = {}
        for path in self.path.glob(f"{stem}_*.{ending}"):
            match = re.fullmatch(rf"{stem}_(\d+)(\.0)?\.{ending}", path.name)
            if match:
                found[int(match.group(1))] = path
        return [found[number] for number in sorted(found)]

    @cached_property
    def _labels(self):
        system = re.search(r'^system\s*=\s*"(\w+)"', self.deck, re.MULTILINE)
        with reading(self.path / "scenario.toml"):
            return _columns()["labels"][system.group(1) if system else "nbody"]

    @cached_property
    def _time_unit(self):
        comoving = re.search(r'^clock\s*=\s*"comoving"', self.deck, re.MULTILINE)
        return "scale factor" if comoving else self._labels["time"]

    def _table(self, file):
        dimensions = _columns()[file]

        def unit(head, _):
            # galaxies.csv has the galaxy in front: "host.r50".
            name = head.rsplit(".", 1)[-1]
            return self._time_unit if name == "time" else _unit(dimensions.get(name, ""), self._labels)

        found = read_csv(path := self._need(file), unit)
        if "time" not in found.dtype.names:
            raise Error(f"{path}: expected a column time, found {', '.join(found.dtype.names)}", "input")
        return found

    def _need(self, file):
        path = self.path / file
        if not path.exists():
            raise Error(f"{path} isn't there: the deck doesn't ask for it, or the run hasn't come to it yet.", "io")
        return path


def _columns():
    """Names of units by unit system, dimensions of columns by file; written from gravmesh's own lists by .tooling/docs.mjs."""
    return json.loads((HERE / "columns.json").read_text(encoding="utf-8"))


def _unit(dimensions, labels):
    """ "mass velocity²" in the names of the deck's units: "1e10 Msun (km/s)²"."""

    def name(found):
        label = labels[found[0]]
        return f"({label})" if found[0] != dimensions and re.search("[/ ]", label) else label

    return re.sub("|".join(labels), name, dimensions)


def _healpix(path):
    """As healpy.read_map has it."""
    with reading(path):
        found = path.read_bytes()
        header = found[2880 : found.index(b"END" + 77 * b" ", 2880)].decode("ascii")
        nside = int(re.search(r"NSIDE   = *(\d+)", header)[1])
        start = 2880 * (2 + len(header) // 2880)
        values = np.frombuffer(found, ">f4", 12 * nside**2, start).astype(np.float32)
        return np.where(values < -1e30, np.float32(np.nan), values)


def _catalogue(path):
    file = Columns(path)
    table = file["Haloes"].table()
    table.about = file.attributes()
    table.time = table.about["scale_factor"]
    members = file["Members/particle_id"] if len(table) else np.empty(0, np.uint32)
    table.particles = np.split(members, np.cumsum(table["halo_num_p"])[:-1]) if len(table) else []
    return table


_SPECTRAL = {
    "k": r"k(\d|_low|_high)?$",
    "r": r"r(_low|_high)?$",
    "bispectrum": r"bispectrum$",
    "power": r"(power|cross\.|P\d|kaiser\d|linear$|halofit$|shot_noise$)",
}
"""Dimensions in the comments of files of spectra, by the columns that have them."""


def _spectrum(path):
    table = read_csv(path, _spectrum_unit)
    with reading(path), path.open(encoding="utf-8") as file:
        table.time = float(re.match(r"# *time ([^;]+)", file.readline())[1])
    return table


def _spectrum_unit(head, comment):
    dimension = next((one for one in _SPECTRAL if re.match(_SPECTRAL[one], head)), "")
    return units_in_comment(dimension, comment)


class Ensemble:
    """The folder of an ensemble, its members collected (`gravmesh ensemble`)."""

    def __init__(self, path):
        self.path = Path(path)

    def __repr__(self):
        return f"<gravmesh ensemble {self.path}>"

    @property
    def table(self) -> Table:
        """ensemble.csv: a row a member."""
        return read_csv(self._need("ensemble.csv"), units_in_comment)

    @property
    def data(self):
        """ensemble.hdf5: curves of every member, statistics, spectra with their covariance."""
        return Columns(self._need("ensemble.hdf5"))

    def member(self, index):
        """The Folder of a member that has begun."""
        path = self.path / str(self.table["folder"][index])
        return open(path)

    def _need(self, file):
        path = self.path / file
        if not path.exists():
            raise Error(f"{path} isn't there yet: gravmesh ensemble --collect {self.path}", "io")
        return path
