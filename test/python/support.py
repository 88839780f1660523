"""Runs that the tests share, small and on the CPU. GRAVMESH is the built command (test/cli/python.test.ts sets it)."""

import atexit
import functools
import shutil
import tempfile
import warnings
from pathlib import Path

import gravmesh

ROOT = Path(__file__).resolve().parents[2]
WORK = Path(tempfile.mkdtemp(prefix="gravmesh-python-"))
atexit.register(shutil.rmtree, WORK, ignore_errors=True)

# Two components of one species and one of another, in files of at most 70 particles.
DECK = {
    "title": "three spheres",
    "units": {"system": "galactic"},
    "box": {"size": 40.0},
    "mesh": {"cells": 16},
    "galaxy": [{"name": "host"}],
    "particles": [
        {
            "kind": "plummer",
            "name": "dark one",
            "galaxy": "host",
            "species": "halo",
            "count": 60,
            "mass": 3.0,
            "scale": 4.0,
        },
        {"kind": "plummer", "name": "bulge", "species": "bulge", "count": 50, "mass": 1.0, "scale": 3.0, "seed": 2},
        {"kind": "plummer", "name": "outer", "species": "halo", "count": 90, "mass": 2.0, "scale": 4.0, "seed": 3},
    ],
    "time": {"end": 0.02, "step": 0.01},
    "output": {
        "snapshots": 1,
        "particlesPerFile": 70,
        "fields": ["positions", "velocities", "ids", "masses", "potential"],
    },
    "subsample": {"every": 7, "count": 1},
    "maps": {"count": 1, "width": 6, "height": 4},
    "orbits": {"sample": 5},
    "bars": {"count": 1, "components": ["bulge"], "radius": 8.0},
}


def quietly(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, show=False, **options)


@functools.cache
def spheres():
    return quietly(gravmesh.run, DECK, out=WORK / "spheres", backend="cpu")


@functools.cache
def box():
    entries = {
        "mesh": {"cells": 16},
        "particles": {"dark matter": {"perSide": 16}},
        "output": {"redshifts": [0], "haloes": True, "powerSpectra": True, "leastMembers": 2, "linkingLength": 0.6},
        "spectra": {"multipoles": "z", "triangles": 2, "correlation": 3},
        "fields": {"of": ["density", "velocity", "linear density"]},
        "lightcone": {"redshift": 0.05, "shells": 2, "nside": 8, "sources": [0.05], "opening": "octant"},
    }
    return quietly(gravmesh.run, "lcdm", out=WORK / "box", backend="cpu", **entries)
