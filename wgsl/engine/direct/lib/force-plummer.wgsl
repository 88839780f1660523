// Plummer's force of a pair: A = Gm r/ρ³, −φ = Gm/ρ, ρ² = r² + ε².
//#import "force-pair.wgsl"
//#expects Body, job, SOFTENED (ε > 0)

// G·m and 1/ρ; both harmless where the pair exerts nothing: the same body, or no distance and no softening.
struct Reach {
  mass: f32,
  inverse: f32,
}

fn reachOf(here: Body, there: Body, r: vec3f) -> Reach {
  let square = squareOf(r, job.softening2);
  if (SOFTENED) {
    return Reach(select(there.mass, 0.0, here.id == there.id), inverseRoot(square));
  }
  let apart = square > 0.0;
  return Reach(select(0.0, there.mass, apart && here.id != there.id), inverseRoot(select(1.0, square, apart)));
}

// Gm/ρ³: no power of 1/ρ by itself, which would overflow first.
fn pullOf(reach: Reach) -> f32 {
  return ((reach.mass * reach.inverse) * reach.inverse) * reach.inverse;
}

fn deeper(reach: Reach, depth: f32) -> f32 {
  return fma(reach.mass, reach.inverse, depth);
}

// x/ρ²
fn perSquare(reach: Reach, x: f32) -> f32 {
  return (x * reach.inverse) * reach.inverse;
}

// (r·v/ρ²)² + beta
fn bent(reach: Reach, along: f32, alpha: f32, beta: f32) -> f32 {
  return fma(alpha, alpha, beta);
}
