"""
Prints an axisymmetric potential as an axisymmetric-table of a deck (docs/potentials.md), in kpc and km/s:

    python3 potential-table.py galpy "MWPotential2014" >> deck.toml
    python3 potential-table.py galpy "DoubleExponentialDiskPotential(hr=3/8, hz=0.3/8)" --ro 8 --vo 220
    python3 potential-table.py agama my-potential.ini
    python3 potential-table.py rows R-z-phi.txt

galpy takes what its module galpy.potential has under that name, or what the expression makes; Agama any file that it reads,
with the potential's value at y = 0. A file of rows has R, z ≥ 0 and φ of a whole rectangular grid, in any order.
"""

import argparse

import numpy as np


def grid(least, largest, count):
    """0, and the rest in equal steps of the logarithm."""
    return np.append(0, np.geomspace(least, largest, count - 1))


def of_galpy(expression, radii, heights, ro, vo):
    from galpy import potential

    made = eval(expression, vars(potential))
    at = lambda R, z: potential.evaluatePotentials(made, max(R, 1e-6) / ro, z / ro, use_physical=False)
    return vo**2 * np.array([[float(at(R, z)) for z in heights] for R in radii])


def of_agama(file, radii, heights):
    import agama

    agama.setUnits(length=1, velocity=1, mass=1)
    R, z = np.meshgrid(radii, heights, indexing="ij")
    return agama.Potential(file).potential(np.stack([R, 0 * R, z], axis=-1).reshape(-1, 3)).reshape(R.shape)


def of_rows(file):
    rows = np.loadtxt(file)
    radii, heights = np.unique(rows[:, 0]), np.unique(rows[:, 1])
    if rows.shape[1] != 3 or len(rows) != len(radii) * len(heights) or heights[0] < 0:
        raise SystemExit(f"{file}: expected R, z ≥ 0 and φ of {len(radii)} × {len(heights)} points, found {rows.shape}")
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    return radii, heights, rows[order, 2].reshape(len(radii), len(heights))


def table(radii, heights, potentials):
    if not np.isfinite(potentials).all():
        raise SystemExit("expected a finite potential everywhere, found none at some points: raise --least")
    numbers = lambda values: "[" + ", ".join(f"{x:.10g}" for x in np.ravel(values)) + "]"
    keys = {"radii": radii, "heights": heights, "potentials": potentials}
    return '\n[[potential]]\nkind = "axisymmetric-table"\n' + "".join(f"{k} = {numbers(v)}\n" for k, v in keys.items())


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("source", choices=["galpy", "agama", "rows"])
    options.add_argument("what", help="a name or an expression of galpy, or a file")
    options.add_argument("--least", type=float, default=0.05, help="first radius and height after 0 [kpc]")
    options.add_argument("--largest", type=float, default=100, help="last radius and height [kpc]")
    options.add_argument("--count", type=int, default=33, help="of radii and of heights, 8 to 64")
    options.add_argument("--ro", type=float, default=8, help="galpy's unit of length [kpc]")
    options.add_argument("--vo", type=float, default=220, help="galpy's unit of velocity [km/s]")
    given = options.parse_args()
    R = z = grid(given.least, given.largest, given.count)
    if given.source == "rows":
        R, z, phi = of_rows(given.what)
    elif given.source == "agama":
        phi = of_agama(given.what, R, z)
    else:
        phi = of_galpy(given.what, R, z, given.ro, given.vo)
    print(table(R, z, phi), end="")
