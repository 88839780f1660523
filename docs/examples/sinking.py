"""The sinking of a satellite, compared with Chandrasekhar's dynamical friction: python3 sinking.py results/satellite

The halo's mass, density and dispersion are those of its particles in snapshot_000.hdf5; the satellite is a point
with the mass M that it has left (dwarf.m90 of galaxies.csv) on an orbit in that halo with
    dv/dt = -G M(<r) r/r^3 - 4 pi G^2 M rho lnL [erf X - 2 X exp(-X^2)/sqrt(pi)] v/v^3,   X = v/(sqrt(2) sigma)
(Binney & Tremaine 2008, eq 8.7). Prints the separation of galaxies.csv and that for several Coulomb logarithms lnL, and
the one that fits best while the satellite is outside a third of its first separation.
"""
import math
import sys

import h5py
import numpy as np

folder = sys.argv[1]
G = 1.0
SUNK = 0.1  # the estimate says nothing about the core

with h5py.File(f"{folder}/snapshot_000.hdf5") as f:
    attributes = f["Parameters"].attrs
    names = {attributes[f"galaxies.{k}.name"].decode(): k for k in (1, 2)}
    groups = [f[name] for name in f if name.startswith("PartType")]
    table = f["Header"].attrs["MassTable"]

    def column(name):
        return np.concatenate([g[name][:] for g in groups])

    masses = np.concatenate([g["Masses"][:] if "Masses" in g else np.full(len(g["GalaxyIDs"]), table[int(g.name[-1])]) for g in groups])
    x, v, galaxy = column("Coordinates"), column("Velocities"), column("GalaxyIDs")

table = np.genfromtxt(f"{folder}/galaxies.csv", delimiter=",", names=True, deletechars="")
time, separation = table["time"], table["host:dwarf.separation"]


def state(name):
    return [np.array([table[f"{name}.{k}"][0] for k in of]) for of in (("x", "y", "z"), ("vx", "vy", "vz"))]


halo, satellite = galaxy == names["host"], galaxy == names["dwarf"]
M = masses[satellite].sum()
left = table["dwarf.m90"] / table["dwarf.m90"][0]
(centre, drift), (place, speed) = state("host"), state("dwarf")
r = np.linalg.norm(x[halo] - centre, axis=1)
edges = np.geomspace(0.03, r.max(), 41)
middle = np.sqrt(edges[1:] * edges[:-1])
shell = np.histogram(r, edges, weights=masses[halo])[0]
density = shell / (4 / 3 * math.pi * (edges[1:] ** 3 - edges[:-1] ** 3))
inside = masses[halo][r < edges[0]].sum() + np.concatenate([[0], np.cumsum(shell)])
square = ((v[halo] - drift) ** 2).sum(axis=1) / 3
sigma = np.sqrt(np.histogram(r, edges, weights=masses[halo] * square)[0] / np.maximum(shell, 1e-30))


def orbit(logarithm, dt=0.005):
    """The separations at the times of galaxies.csv, by a Runge-Kutta scheme of fourth order."""

    def rate(y, t):
        d, w = y[:3], y[3:]
        r, u = np.linalg.norm(d), np.linalg.norm(w)
        X = u / (math.sqrt(2) * np.interp(r, middle, sigma))
        share = math.erf(X) - 2 * X * math.exp(-X * X) / math.sqrt(math.pi)
        m = M * np.interp(t, time, left)
        friction = 4 * math.pi * G**2 * m * np.interp(r, middle, density) * logarithm * share / u**3
        return np.concatenate([w, -G * (np.interp(r, edges, inside) + m) * d / r**3 - friction * w])

    y, found, t = np.concatenate([place - centre, speed - drift]), [], 0.0
    for at in time:
        while t < at - 1e-9 and np.linalg.norm(y[:3]) > SUNK:
            h = min(dt, at - t)
            a = rate(y, t)
            b = rate(y + 0.5 * h * a, t + 0.5 * h)
            c = rate(y + 0.5 * h * b, t + 0.5 * h)
            d = rate(y + h * c, t + h)
            y = y + h / 6 * (a + 2 * b + 2 * c + d)
            t += h
        found.append(np.linalg.norm(y[:3]) if np.linalg.norm(y[:3]) > SUNK else 0.0)
    return np.array(found)


outside = time <= time[np.argmax(separation < separation[0] / 3)] if (separation < separation[0] / 3).any() else time >= 0
trials = np.arange(0.5, 4.01, 0.1)
errors = [np.sqrt(np.mean((orbit(k, 0.05) - separation)[outside] ** 2)) for k in trials]
best = trials[np.argmin(errors)]
shown = [1.0, 1.5, 2.0, 3.0]
curves = [orbit(k) for k in shown]
print(f"satellite: M = {M:.4g}; halo inside the first separation: {np.interp(separation[0], edges, inside):.4g}")
print("time   measured  " + "  ".join(f"lnL={k:.1f}" for k in shown))
for i in range(0, len(time), max(1, len(time) // 16)):
    print(f"{time[i]:5.1f}  {separation[i]:8.3f}  " + "  ".join(f"{curve[i]:7.3f}" for curve in curves))
print(f"best fit: lnL = {best:.1f}, off by {min(errors):.3f} in the mean")
