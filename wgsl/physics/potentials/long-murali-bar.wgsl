// Softened needle in the frame of its long axis, with h = √(z² + c²), q = y² + (b + h)², P² = (x² − a² + q)² + 4a²q and
// Σ² = 2 (x² + a² + q + P): φ = −(GM/2a) ln((Σ + 2a)/(Σ − 2a)), f_x = −2GM/(PΣ), f_y = f_x (P − (x² − a² − q))/2q,
// f_z = f_y (b + h)/h. src/physics/potentials/long-murali-bar.ts
//#import "jets.wgsl"
//#import "../../lib/elementary.wgsl"
//#expects LongMuraliBar

fn longMuraliBarField(p: LongMuraliBar, d: vec3f) -> vec4f {
  let a = p.halfLength;
  let high = sqrt(fma(d.z, d.z, p.height * p.height));
  let depth = p.width + high;
  let q = fma(d.y, d.y, depth * depth);
  let along = (d.x - a) * (d.x + a);
  let inner = along + q;
  let pair = sqrt(fma(inner, inner, 4.0 * a * a * q));
  let both = sqrt(2.0 * (fma(d.x, d.x, a * a) + q + pair));
  let f = -2.0 * p.mass / (pair * both);
  let outer = along - q;
  let share = select(0.5 * (pair - outer) / q, 2.0 * d.x * d.x / (pair + abs(outer)), outer > 0.0);
  let beyond = 2.0 * select(4.0 * a * a * q / (pair + abs(inner)), pair + inner, inner > 0.0);
  let potential = -0.5 * p.mass / a * logOnePlus(4.0 * a * fma(2.0, a, both) / beyond);
  return vec4f(d * (f * vec3f(1.0, share, share * (depth / high))), potential);
}

fn longMuraliBarStrengths(p: LongMuraliBar, squares: mat3x3f) -> mat3x3f {
  let a2 = p.halfLength * p.halfLength;
  let high = jetRoot(jetShifted(squares[2], p.height * p.height));
  let depth = jetShifted(high, p.width);
  let q = squares[1] + jetProduct(depth, depth);
  let inner = jetShifted(squares[0], -a2) + q;
  let pair = jetRoot(jetProduct(inner, inner) + 4.0 * a2 * q);
  let both = jetRoot(2.0 * (jetShifted(squares[0], a2) + q + pair));
  let f = (-2.0 * p.mass) * jetInverse(jetProduct(pair, both));
  let outer = jetShifted(squares[0], -a2) - q;
  var share = 0.5 * jetProduct(pair - outer, jetInverse(q));
  if (outer.x > 0.0) { share = 2.0 * jetProduct(squares[0], jetInverse(pair + outer)); }
  let alongY = jetProduct(f, share);
  return mat3x3f(f, alongY, jetProduct(alongY, jetProduct(depth, jetInverse(high))));
}
