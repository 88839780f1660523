// A particle on its way to its slot in the other half, but for its box image; velocities are moved as bits.
//#import "position.wgsl"
//#expects velocities, ids, newPositions, newVelocities, newIds ([slots] or [slots, 3])

struct Particle {
  position: vec3u,
  velocity: vec3u,
  id: u32,
}

fn particleIn(i: u32) -> Particle {
  let velocity = vec3u(velocities[3u * i], velocities[3u * i + 1u], velocities[3u * i + 2u]);
  return Particle(positionOf(i), velocity, ids[i]);
}

fn putParticle(slot: u32, particle: Particle) {
  newIds[slot] = particle.id;
  newPositions[3u * slot] = particle.position.x;
  newPositions[3u * slot + 1u] = particle.position.y;
  newPositions[3u * slot + 2u] = particle.position.z;
  newVelocities[3u * slot] = particle.velocity.x;
  newVelocities[3u * slot + 1u] = particle.velocity.y;
  newVelocities[3u * slot + 2u] = particle.velocity.z;
}
