"""Snapshots and subsamples, of one file or several, by component (docs/snapshots.md)."""

import re
from functools import cached_property
from pathlib import Path

import numpy as np

from .command import Absent, reading
from .tables import Table, opened, plain

SPECIES = ("gas", "halo", "disk", "bulge", "stars", "black-holes")
_DIMENSIONS = ("mass", "length", "velocity")


class Snapshot:
    """A moment of a run, a snapshot or a subsample: its heads are read, and data when a component's are asked for."""

    def __init__(self, path, labels):
        """`labels`: the names of the deck's units."""
        path = Path(path)
        stem = re.sub(r"(\.\d+)?\.hdf5$", "", path.name)
        parts = path.parent.glob(f"{stem}.*.hdf5")
        several = sorted(
            (p for p in parts if re.search(r"\.\d+\.hdf5$", p.name)), key=lambda p: int(p.name.split(".")[-2])
        )
        self.path = path
        self._paths = several or [path]
        # Files of a cosmological run are in kpc/h, as GADGET's are.
        self._labels = {**labels, "length": labels["length"].replace("Mpc", "kpc")}
        self._per_deck_length = 1000 if self._labels != labels else 1

    def __repr__(self):
        return f"<gravmesh snapshot {self.path.name}: time {self.time:g}, {', '.join(self.components)}>"

    @cached_property
    def _heads(self):
        heads = []
        for path in self._paths:
            with opened(path, "/") as file:
                head = {key: plain(v) for g in ("Parameters", "Header") for key, v in file[g].attrs.items()}
                numbers = {key: float(head[key]) for key in ("Time", "Redshift", "BoxSize", "box.size")}
                lists = {key: np.asarray(head[key], float).reshape(6) for key in ("NumPart_ThisFile", "MassTable")}
                heads.append(head | numbers | lists)
        return heads

    @property
    def attributes(self):
        """Those of /Header and /Parameters, the deck among them."""
        return self._heads[0]

    @property
    def time(self):
        """[time]; the scale factor of an expanding box."""
        return self.attributes["Time"]

    @property
    def redshift(self):
        return self.attributes["Redshift"]

    @property
    def box_size(self):
        """Side of the box in the file's unit of length, of an isolated one, too: its mesh's."""
        head = self.attributes
        return head["BoxSize"] or head["box.size"] * self._per_deck_length

    @cached_property
    def components(self):
        """By name."""
        head = self.attributes
        found = {}
        with reading(self.path):
            for k in range(int(head["components.number"])):
                about = {key: head.get(f"components.{k}.{key}") for key in ("name", "species", "first", "count", "galaxy")}
                # From 0 on over all files; of a snapshot these are the ids.
                first, last = about["places"] = (int(about["first"]), int(about["first"] + about["count"]))
                about["kind"] = SPECIES.index("" + about["species"])
                if not 0 <= first <= last <= sum(sum(one["NumPart_ThisFile"]) for one in self._heads):
                    raise ValueError(f"particles {first} to {last} of component {k}")
                found["" + about["name"]] = about
        return found

    @property
    def particles(self):
        """All components, one after the other."""
        return Particles(self, list(self.components))

    def __getitem__(self, component):
        if component not in self.components:
            raise Absent(f"{component}: {self.path.name} has the components {', '.join(self.components)}")
        return Particles(self, [component])

    def _about(self, components, centre):
        """Places [N, 3] about `centre`, or about where they are densest, velocities about the mean there, and masses [N]."""
        found = Particles(self, [components] if isinstance(components, str) else list(components or self.components))
        x, v, m = (np.asarray(found[name], float) for name in ("Coordinates", "Velocities", "Masses"))
        side = self.attributes["BoxSize"]  # 0 of an isolated box
        around = lambda place: (x - place) - (side * np.round((x - place) / side) if side else 0)  # noqa: E731
        core = np.ones(len(m), bool)
        if centre is None:
            centre = np.average(x, axis=0, weights=m)
            radius = np.linalg.norm(around(centre), axis=1).max()
            while radius > 0:  # as galaxies.csv has it (Power et al. 2003)
                radius *= 0.85
                inside = np.linalg.norm(around(centre), axis=1) <= radius
                if inside.sum() < max(50, 0.1 * len(m)):
                    break
                core, centre = inside, centre + np.average(around(centre)[inside], axis=0, weights=m[inside])
        return found, around(np.asarray(centre, float)), v - np.average(v[core], axis=0, weights=m[core]), m

    def profile(self, components=None, edges=32, centre=None):
        """
        Density in spherical shells about `centre`, or about where the particles are densest: a Table of r, density, mass and
        count. `components`: a name or several; `edges`: [B + 1], or how many shells, equal in log r over 99 % of the particles.
        """
        _, x, _, m = self._about(components, centre)
        r = np.linalg.norm(x, axis=1)
        edges = np.geomspace(*np.quantile(r, [0.005, 0.995]), edges + 1) if np.isscalar(edges) else np.asarray(edges)
        mass, count = np.histogram(r, edges, weights=m)[0], np.histogram(r, edges)[0]
        length, of = self._labels["length"], self._labels["mass"]
        density = mass / (4 / 3 * np.pi * np.diff(edges**3))
        columns = {"r": np.sqrt(edges[1:] * edges[:-1]), "density": density, "mass": mass, "count": count}
        return Table.of(columns, {"r": length, "density": f"{of}/({length})^3", "mass": of, "count": ""})

    def rotation_curve(self, components="disk", edges=30, centre=None, normal=(0, 0, 1)):
        """
        In rings about `normal` through `centre`, or through where the particles are densest: a Table of R, rotation (mean v_phi),
        sigma_R, sigma_phi, sigma_z, height (dispersion of z), count and, where the file has accelerations, circular (of the mean
        force). `edges`: [B + 1], or how many rings, of equal width over 98 % of the particles. NaN in empty rings.
        """
        found, x, v, m = self._about(components, centre)
        axis = np.asarray(normal, float) / np.linalg.norm(normal)
        z, vz = x @ axis, v @ axis
        flat = x - z[:, None] * axis
        R = np.linalg.norm(flat, axis=1)
        out = flat / np.where(R > 0, R, np.nan)[:, None]
        edges = np.linspace(0, np.quantile(R, 0.98), edges + 1) if np.isscalar(edges) else np.asarray(edges)

        def mean(values):
            with np.errstate(invalid="ignore"):
                return np.histogram(R, edges, weights=m * np.nan_to_num(values))[0] / np.histogram(R, edges, weights=m)[0]

        def spread(values):
            return np.sqrt(np.maximum(0, mean(values**2) - mean(values) ** 2))

        vR, vphi = (out * v).sum(1), (np.cross(axis, out) * v).sum(1)
        columns = {"R": (edges[1:] + edges[:-1]) / 2, "rotation": mean(vphi), "sigma_R": spread(vR), "sigma_phi": spread(vphi)}
        columns |= {"sigma_z": spread(vz), "height": spread(z), "count": np.histogram(R, edges)[0]}
        if "Acceleration" in found.names:
            columns["circular"] = np.sqrt(np.maximum(0, mean(-(flat * found["Acceleration"]).sum(1))))
        units = {"R": "length", "height": "length", "count": None}
        return Table.of(columns, {name: self._labels.get(units.get(name, "velocity"), "") for name in columns})

    def _pieces(self, name):
        """(file, group, mass or 0, first row, end) of a component, in the order of its ids."""
        wanted, begin = self.components[name], 0
        kind = wanted["kind"]
        for path, head in zip(self._paths, self._heads):
            end = begin + int(sum(head["NumPart_ThisFile"]))
            row = 0
            for other in self.components.values():
                first, last = (min(max(place, begin), end) for place in other["places"])
                if other is wanted and last > first:
                    yield path, f"PartType{kind}", head["MassTable"][kind], row, row + last - first
                if other["species"] == wanted["species"]:
                    row += last - first
            begin = end


class Particles:
    """Particles of a component, in the order of their ids: `particles["Coordinates"]` reads that of them alone."""

    def __init__(self, snapshot, components):
        self._snapshot, self._components = snapshot, components

    def __len__(self):
        places = (self._snapshot.components[name]["places"] for name in self._components)
        return sum(last - first for first, last in places)

    def _pieces(self):
        return (piece for name in self._components for piece in self._snapshot._pieces(name))

    @cached_property
    def _units(self):
        path, group, mass, *_ = next(self._pieces(), (self._snapshot.path, "Header", 0))
        with opened(path, group) as found:
            units = {name: self._unit(found[name].attrs) for name in found}
        return {**units, **({"Masses": self._snapshot._labels["mass"]} if mass > 0 else {})}

    def _unit(self, attributes):
        """From the exponents beside a data set: "km/s", "(km/s)²/kpc", and with a where a box expands."""
        powers = {d: float(attributes.get(f"{d}_scaling", 0)) for d in _DIMENSIONS}
        a = float(attributes.get("a_scaling", 0))
        parts = [(f"a^{a:g}", 1.0)] if a and not (powers["length"] == 1 and a == 1) else []
        parts += [(self._snapshot._labels[d], power) for d, power in powers.items() if power]
        single = len(parts) == 1 and parts[0][1] == 1
        texts = [f"({label})" if not single and re.search(r"[/ ]", label) else label for label, _ in parts]
        raised = [text + {1.0: "", 2.0: "²"}.get(power, f"^{power:g}") for text, (_, power) in zip(texts, parts)]
        return " ".join(raised)

    @property
    def names(self):
        """What the file has of them."""
        return list(self._units)

    @property
    def units(self):
        return dict(self._units)

    def __getitem__(self, name):
        if name not in self._units:
            raise Absent(f"{name}: of these particles {self._snapshot.path} has {', '.join(self._units)}")
        parts = []
        for path, group, mass, first, end in self._pieces():
            with opened(path, group) as found:
                parts.append(found[name][first:end] if name in found else np.full(end - first, mass))
                if len(parts[-1]) != end - first:
                    raise ValueError(f"{len(parts[-1])} rows of {name} for {end - first} particles")
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def table(self, *names):
        """The named data, or all that there are, as one Table."""
        wanted = names or self.names
        return Table.of({name: self[name] for name in wanted}, {name: self._units[name] for name in wanted})
