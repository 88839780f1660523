// The force of a pair softened by a cubic spline of radius h = 2.8 ε: equations in src/engine/direct/softening.ts.
//#import "force-pair.wgsl"
//#expects Body, job, SPLINE_RADIUS (h/ε)

struct Reach {
  pull: f32, // Gm f; nothing of the same body
  well: f32, // −φ
  q: f32,
  b: f32,
}

fn reachOf(here: Body, there: Body, r: vec3f) -> Reach {
  let mass = select(there.mass, 0.0, here.id == there.id);
  let square = squareOf(r, 0.0);
  let perRadius = inverseRoot((SPLINE_RADIUS * SPLINE_RADIUS) * job.softening2);
  let apart = square > 0.0;
  let inverse = inverseRoot(select(1.0, square, apart));
  let distance = square * inverse;
  let u = distance * perRadius;
  let perSquare = perRadius * perRadius;
  if (u < 0.5) {
    let u2 = u * u;
    let inside = fma(u2, fma(32.0, u, -38.4), 32.0 / 3.0);
    let depth = fma(-u2, fma(u2, fma(6.4, u, -9.6), 16.0 / 3.0), 2.8);
    let q = fma(-32.0, u, 25.6) / inside * perSquare;
    // What diverges in the middle is multiplied by (r·v)² r.
    let curve = select(0.0, 32.0 / (u * inside), apart) * perSquare;
    return Reach(
      (((mass * inside) * perRadius) * perRadius) * perRadius,
      mass * (depth * perRadius),
      q,
      fma(6.0 * q, q, -(curve * perSquare)),
    );
  }
  let w = max(0.0, fma(-distance, perRadius, 1.0));
  let w2 = w * w;
  let w4 = w2 * w2;
  let inside = fma(-w4, fma(w, fma(32.0 / 3.0, w, -25.6), 16.0), 1.0);
  let q = fma(-(64.0 / 3.0 * (w2 * w)) * (u / inside), perSquare, inverse * inverse);
  let curve = (w2 * fma(320.0 / 3.0 / u, w, 64.0)) / inside * perSquare;
  let far = (inverse * inverse) * (inverse * inverse);
  return Reach(
    (((mass * inside) * inverse) * inverse) * inverse,
    mass * fma(w4 * fma(-12.8, w, 16.0), perRadius, inside * inverse),
    q,
    fma(6.0 * q, q, fma(curve, perSquare, -5.0 * far)),
  );
}

fn pullOf(reach: Reach) -> f32 {
  return reach.pull;
}

fn deeper(reach: Reach, depth: f32) -> f32 {
  return depth + reach.well;
}

fn perSquare(reach: Reach, x: f32) -> f32 {
  return x * reach.q;
}

fn bent(reach: Reach, along: f32, alpha: f32, beta: f32) -> f32 {
  return fma(along * along, reach.b, beta);
}
