"""
What a run's catalogues and trees say of its haloes, found again from the snapshots with numpy and no tree or grid:

    python haloes.py RUN        # the folder of a run with haloes.definitions and a catalogue with every snapshot

Masses, radii, spins and largest circular velocities of the 50 heaviest haloes, and the main progenitor of every one.
"""

import sys
import tomllib
from collections import Counter

import gravmesh
import numpy as np

G = 43.00917270038  # Mpc/h (km/s)² / (1e10 Msun/h)
CRITICAL = 3 * 100**2 / (8 * np.pi * G)


def state(snapshot, omega, side):
    """Positions [Mpc/h], peculiar velocities [km/s] by particle id, and the mass of a particle [1e10 Msun/h]."""
    (name,) = snapshot.components
    table = snapshot[name].table("ParticleIDs", "Coordinates", "Velocities")
    order = np.argsort(table["ParticleIDs"])
    x, u = table["Coordinates"][order] / 1e3, table["Velocities"][order].astype(float)
    return x, u * np.sqrt(snapshot.time), omega * CRITICAL * side**3 / len(x)


def halo(row, definitions, densities, particles, free, least):
    """Of a catalogue's halo: the particles within its first radius, masses and radii, spin, largest circular velocity."""
    x, v, m, side, a = particles
    centre = x[row["halo_centre_particle"]]
    offsets = x[free] - centre
    offsets -= side * np.round(offsets / side)
    r = np.sqrt((offsets**2).sum(1))
    order = np.argsort(r)
    r, mass = r[order], m * np.arange(1, len(r) + 1)
    found = {}
    for name, density in zip(definitions, densities):
        radius = np.cbrt(mass / (4 / 3 * np.pi * density))
        dense = r <= radius
        if dense[least - 1]:  # outwards to the first particle that the radius doesn't reach
            count = least + np.argmax(r[least:] > radius[least - 1 : -1])
        else:
            count = np.flatnonzero(dense[:least])[-1] + 1
        found |= {f"halo_m{name}": 1e10 * mass[count - 1], f"halo_r{name}": radius[count - 1]}
        if name == definitions[0]:
            inside, M, R = order[:count], mass[count - 1], radius[count - 1]
    ids, d = free[inside], offsets[inside]
    w = v[ids] - v[ids].mean(0)
    J = m * a * np.linalg.norm(np.cross(d, w).sum(0))
    speeds = np.sqrt(G * mass[least - 1 : len(ids)] / (a * r[least - 1 : len(ids)]))
    spin = J / (np.sqrt(2) * M * np.sqrt(G * M / (a * R)) * a * R)
    return ids, found | {"halo_spin_bullock": spin, "halo_vmax": speeds.max(), "halo_vrms": np.sqrt((w**2).sum(1).mean())}


def recomputed(run, which=-1, most=50):
    """The largest relative difference of each column from a recomputation, and how many haloes were looked at."""
    catalogue = run.catalogues[which]
    about, a = catalogue.about, catalogue.time
    snapshot = next(one for one in run.snapshots if abs(one.time - a) < 1e-9)
    omega, side = tomllib.loads(run.deck)["cosmology"]["omegaM"], about["Lbox"]
    x, v, m = state(snapshot, omega, side)
    densities = about["overdensities"] * omega * CRITICAL
    free = np.ones(len(x), bool)
    differences = {}
    rows = catalogue[:most]
    for row, members in zip(rows, catalogue.particles):
        given = np.flatnonzero(free), int(about["minimum_members"])
        ids, found = halo(row, about["definitions"].split(), densities, (x, v, m, side, a), *given)
        assert set(ids) == set(members), f"halo {row['halo_id']}: other particles"
        free[ids] = False
        for name, value in found.items():
            differences[name] = max(differences.get(name, 0), abs(value / row[name] - 1))
    return differences, len(rows)


def progenitors(run):
    """The main progenitor of every halo, by counting the particles of cores (docs/haloes.md): {id: id or −1}."""
    catalogues = list(run.catalogues)
    ids = [list(one["halo_id"]) for one in catalogues]
    cores, holders = [], []
    for one in catalogues:
        least = int(one.about["minimum_members"])
        cores.append([own[: max(least, int(np.ceil(0.1 * len(own))))] for own in one.particles])
        holders.append({id: place for place, own in enumerate(one.particles) for id in own})

    def shared(core, holder):
        return Counter(holder[id] for id in core if id in holder)

    def joined(early, late, among, to):
        """{late halo: main progenitor} and {early halo: descendant}, by place."""
        descendant = {}
        for place in among:
            counts = shared(cores[early][place], holders[late])
            best = min(counts, key=lambda one: (-counts[one], one), default=None)
            if best in to and 2 * counts[best] >= len(cores[early][place]):
                descendant[place] = best
        main = {}
        for place in to:
            counts = shared(cores[late][place], holders[early])
            own = [one for one, into in descendant.items() if into == place]
            if own:
                main[place] = min(own, key=lambda one: (-counts[one], one))
        return main, descendant

    result = {id: -1 for layer in ids for id in layer}
    mains = [{} for _ in ids]
    for late in range(1, len(ids)):
        everyone = range(len(ids[late]))
        main, _ = joined(late - 1, late, range(len(ids[late - 1])), everyone)
        mains[late] = {place: (late - 1, one) for place, one in main.items()}
        if late > 1:
            kept = {one for layer, one in mains[late - 1].values() if layer == late - 2}
            loose = [place for place in range(len(ids[late - 2])) if place not in kept]
            main, _ = joined(late - 2, late, loose, [place for place in everyone if place not in mains[late]])
            mains[late] |= {place: (late - 2, one) for place, one in main.items()}
        for place, (layer, one) in mains[late].items():
            result[ids[late][place]] = ids[layer][one]
    return result


def main(folder):
    run = gravmesh.open(folder)
    differences, count = recomputed(run)
    print(f"{count} haloes at scale factor {run.catalogues[-1].time:g}, largest relative difference")
    for name, value in differences.items():
        print(f"  {name:18} {value:.1e}")
    trees = run.trees
    expected = progenitors(run)
    same = sum(expected[row["halo_id"]] == row["halo_main_prog_id"] for row in trees)
    print(f"main progenitors: {same} of {len(trees)} the same, {(trees['halo_main_prog_id'] >= 0).sum()} have one")


if __name__ == "__main__":
    main(sys.argv[1])
