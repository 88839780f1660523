"""A cluster of stars by direct sums inside a live galaxy on the mesh, both by gravmesh, coupled by AMUSE's Bridge.

    python3 cluster-in-galaxy.py [time]

N-body units. The galaxy is a Plummer sphere of 20,000 particles from the deck's own model; the cluster has 256 stars and 10⁻⁴ of its
mass, and goes round it at radius 1. Prints the cluster's place and the energy of both as they go.
"""

import sys

import numpy as np
from amuse.couple.bridge import Bridge
from amuse.ic.plummer import new_plummer_model
from amuse.units import nbody_system
from gravmesh.amuse import Gravmesh

GALAXY = """
title = "a galaxy"
[box]
size = 20
[mesh]
cells = 64
[[particles]]
kind = "plummer"
count = 20_000
scale = 0.6
[time]
end = 1
step = 0.03125
"""

end = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
length, mass, speed, time = nbody_system.length, nbody_system.mass, nbody_system.speed, nbody_system.time

galaxy = Gravmesh(deck=GALAXY)
galaxy.draw()

stars = new_plummer_model(256)
stars.mass *= 1e-4
stars.position *= 0.01
stars.velocity *= 0.1  # √(mass/size)
stars.radius = 0 | length
stars.x += 1 | length
stars.vy += 0.794 | speed  # of a circle, √(r²/(r² + 0.6²)^(3/2))
cluster = Gravmesh(deck={"direct": {"softening": 1e-4}, "time": {"step": 2.0**-9}})
cluster.particles.add_particles(stars)

bridge = Bridge(timestep=1 / 32 | time)
bridge.add_system(cluster, (galaxy,))
bridge.add_system(galaxy, (cluster,))


def energy():
    return (bridge.kinetic_energy + bridge.potential_energy).value_in(mass * speed**2)


first = energy()
for step in range(1, 9):
    bridge.evolve_model(end * step / 8 | time)
    place = cluster.particles.center_of_mass().value_in(length)
    half = np.median(np.linalg.norm(cluster.particles.position.value_in(length) - place, axis=1))
    print(
        f"t = {end * step / 8:.3f}  cluster at {place[0]:6.3f} {place[1]:6.3f} {place[2]:6.3f}, half-mass radius {half:.4f}, ΔE/E {energy() / first - 1:+.1e}",
        flush=True,
    )
cluster.stop()
galaxy.stop()
