"""Numbers with their units: rows in memory (Table), and data sets of an HDF5 file that are read when asked for (Columns)."""

import csv
import re
from collections.abc import Mapping
from contextlib import contextmanager

import h5py
import numpy as np

from .command import Absent, reading


class Table(np.ndarray):
    """A structured NumPy array. `units`: those of its columns by name, "" of pure numbers and where gravmesh doesn't say."""

    def __new__(cls, array, units=None):
        table = np.asarray(array).view(cls)
        table.units = dict(units or {})
        return table

    def __array_finalize__(self, source):
        # A column is no table, and has lost its name.
        self.units = getattr(source, "units", {}) if self.dtype.names else {}

    def __getitem__(self, key):
        if isinstance(key, str) and key not in (self.dtype.names or ()):
            raise Absent(f"{key}: the table has the columns {', '.join(self.dtype.names or ())}")
        found = super().__getitem__(key)
        return found.view(np.ndarray) if isinstance(key, str) and isinstance(found, Table) else found

    @classmethod
    def of(cls, columns, units=None):
        """`columns`: arrays of equal length by name."""
        arrays = {name: np.asarray(values) for name, values in columns.items()}
        rows = len(next(iter(arrays.values())))
        table = np.empty(rows, [(name, a.dtype, a.shape[1:]) for name, a in arrays.items()])
        for name, array in arrays.items():
            table[name] = array
        return cls(table, units)


def read_csv(path, units=None):
    """
    A csv of gravmesh: numbers as float64, to the bit that the text says, other columns as text. `units`: a function from a
    column's name and the comment in front of the names to its unit.
    """
    with reading(path), open(path, encoding="utf-8", newline="") as file:
        lines = file.read().splitlines()
        comments = "".join(line for line in lines if line.startswith("#"))
        heads, *rows = csv.reader(line for line in lines if not line.startswith("#"))
        # A last line may be half written while the run goes on.
        cells = list(zip(*(row for row in rows if len(row) == len(heads)))) or [()] * len(heads)
        columns = {head: _numbers_or_text(values) for head, values in zip(heads, cells)}
        return Table.of(columns, {head: units(head, comments) if units else "" for head in heads})


def _numbers_or_text(values):
    try:
        return np.array([float(value) for value in values], np.float64)
    except ValueError:
        return np.array(values, np.str_)


def units_in_comment(name, comment):
    """The unit in `# …: NAME in UNIT; …`, or ""."""
    found = re.search(rf"(?:^|[#:;,]) *{re.escape(name)} in ([^;,]+)", comment)
    return found.group(1).strip() if found else ""


@contextmanager
def opened(path, group):
    """A group of an HDF5 file, as long as it is read."""
    with reading(path), h5py.File(path, "r") as file:
        yield file[group]


def plain(value):
    """An attribute of HDF5: text for bytes."""
    return value.decode() if isinstance(value, bytes) else value


class Columns(Mapping):
    """
    Data sets of an HDF5 file by name. `columns["Time"]` reads one whole, `columns["density_z", -1]` a row of it; a group
    is Columns again, and "Curves/diagnostics/r50" leads into it. The file is open only while it is read, so that a run may go on with it.
    """

    def __init__(self, path, group="/", time_unit=""):
        """`time_unit`: of "Time", where the file doesn't say."""
        self.path, self.group, self._time_unit = path, group, time_unit
        with opened(self.path, self.group) as found:
            self._names = tuple(found)

    def __getitem__(self, key):
        name, *place = key if isinstance(key, tuple) else (key, ...)
        with opened(self.path, self.group) as group:
            if name not in group:
                raise Absent(f"{name}: {self.path} has {', '.join(self._names)}")
            found = group[name]
            if isinstance(found, h5py.Group):
                return Columns(self.path, found.name)
            values = found[tuple(place)]
            return np.char.decode(values, "utf-8") if values.dtype.kind == "S" else values

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)

    def attributes(self, name=None):
        """Attributes of a data set, or of the file."""
        with opened(self.path, self.group) as group:
            return {key: plain(value) for key, value in (group[name] if name else group).attrs.items()}

    @property
    def units(self):
        return {name: self._unit(name) for name in self}

    def _unit(self, name):
        return self.attributes(name).get("unit", self._time_unit if name == "Time" else "")

    def table(self, *names):
        """The named data sets, or all that have a row for each time (or for each halo), as one Table."""
        with opened(self.path, self.group) as group:
            sets = {name: group[name] for name in names or self if isinstance(group[name], h5py.Dataset)}
            rows = len(group["Time"] if "Time" in group else next(iter(sets.values())))
            sets = {name: one[()] for name, one in sets.items() if one.shape[:1] == (rows,)}
            return Table.of(sets, {name: self._unit(name) for name in sets})
