"""A mesh's box compared with what another code made of the same start.

    python3 box-beside-reference.py START.hdf5 REFERENCE.hdf5 CELLS,CELLS … [key=value …]

START is a GADGET-4 snapshot of a box; REFERENCE, of the same particles later, another, or a data set "positions" in order of id in
units of 1/65536 of the box, with the attribute Time (the scale factor). For each mesh gravmesh evolves the start to that time,
in results/box-CELLS; further arguments override its deck (mesh.assignment=cic time.step=0.0078125). In place of a mesh's cells
a snapshot may stand, of a run of one's own (with P³M: docs/p3m.md). Prints power, its ratio to the reference's, the cross-correlation r of both densities, and haloes by members (friends of friends, b = 0.2). Power is that
of cloud-in-cell on 192³ cells as it is, less shot noise. GRAVMESH names the command, "gravmesh" unless set. Needs h5py and scipy.
"""
import os
import subprocess
import sys

import h5py
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

start, reference, meshes, *overrides = sys.argv[1:]
CELLS = 192
EDGES = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 21, 28, 36, 46, 59, 77]  # of kL/2π
MEMBERS = [32, 50, 100, 200, 400, 800, 1600, 3200, 6400, 10**9]


def read(file):
    """Positions in order of id over the side of the box, and the scale factor."""
    with h5py.File(file) as f:
        if "positions" in f:
            return (f["positions"][:] + 0.5) / 65536, f.attrs["Time"]
        header, particles = f["Header"].attrs, f["PartType1"]
        x = particles["Coordinates"][:][np.argsort(particles["ParticleIDs"][:])]
        return x / header["BoxSize"] % 1, header["Time"]


def modes(x):
    density = np.zeros(CELLS**3)
    base, share = np.divmod(x * CELLS, 1)
    for corner in np.ndindex(2, 2, 2):
        at = (base.astype(int) + corner) % CELLS
        weight = np.prod(np.where(corner, share, 1 - share), axis=1)
        density += np.bincount(np.ravel_multi_index(at.T, (CELLS,) * 3), weight, CELLS**3)
    return np.fft.rfftn(density.reshape((CELLS,) * 3)) / len(x)


m = np.fft.fftfreq(CELLS, 1 / CELLS)
half = np.arange(CELLS // 2 + 1)
n = np.sqrt(m[:, None, None] ** 2 + m[None, :, None] ** 2 + half**2).ravel()
twice = np.broadcast_to(np.where(half % (CELLS // 2), 2, 1), (CELLS, CELLS, CELLS // 2 + 1)).ravel()


def shells(values):
    return np.histogram(n, EDGES, weights=twice * values)[0] / np.histogram(n, EDGES, weights=twice)[0]


def haloes(x):
    links = cKDTree(x, boxsize=1).query_pairs(0.2 / len(x) ** (1 / 3), output_type="ndarray")
    graph = coo_matrix((np.ones(len(links), bool), links.T), shape=(len(x),) * 2)
    return np.histogram(np.bincount(connected_components(graph)[1]), MEMBERS)[0]


def row(label, numbers, form):
    print(label.ljust(16), " ".join(form.format(number).rjust(7) for number in numbers))


with h5py.File(start) as f:
    header, cosmology = f["Header"].attrs, f["Parameters"].attrs
    box = header["BoxSize"] / 1000
    begin = header["Time"]
    table = f"""omegaM = {cosmology["Omega0"]}
h = {cosmology["HubbleParam"]}"""
there, end = read(reference)
theirs = modes(there).ravel()
noise = box**3 / len(there)
row("k [h/Mpc]", 2 * np.pi / box * shells(n), "{:.3f}")
P = box**3 * shells(np.abs(theirs) ** 2)
row("P, reference", P - noise, "{:.4g}")
found = []


def evolved(cells):
    """Runs gravmesh; the snapshot at the end."""
    deck = f"""title = "A box from {os.path.basename(start)}"
units.system = "cosmological"
box = {{ size = {box}, boundary = "periodic" }}
mesh = {{ cells = {cells}, assignment = "tsc" }}
time = {{ clock = "comoving", start = {begin}, end = {min(end, 1.0)}, step = 0.015625 }}
output = {{ snapshots = 1, powerSpectra = false, haloes = false }}
[cosmology]
{table}
[[particles]]
kind = "snapshot"
file = "{os.path.abspath(start)}"
"""
    folder = f"results/box-{cells}"
    os.makedirs("results", exist_ok=True)
    with open(f"{folder}.toml", "w") as file:
        file.write(deck)
    command = os.environ.get("GRAVMESH", "gravmesh").split()
    subprocess.run([*command, "run", f"{folder}.toml", *overrides, "--out", folder, "--force", "--quiet"], check=True)
    return f"{folder}/snapshot_001.hdf5"


for mesh in meshes.split(","):
    ready = mesh.endswith(".hdf5")
    label = os.path.basename(os.path.dirname(mesh)) if ready else f"{mesh}³ cells"
    here, _ = read(mesh if ready else evolved(mesh))
    ours = modes(here).ravel()
    Q = box**3 * shells(np.abs(ours) ** 2)
    cross = box**3 * shells((ours * theirs.conj()).real)
    row(f"{label}, P", Q - noise, "{:.4g}")
    row("  ratio", (Q - noise) / (P - noise), "{:.3f}")
    row("  r", cross / np.sqrt(P * Q), "{:.4f}")
    found.append((label, haloes(here)))
row("haloes from", MEMBERS[:-1], "{}")
for label, counts in [("reference", haloes(there)), *found]:
    row(label, counts, "{}")
