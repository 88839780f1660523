// Miyamoto–Nagai disk, with h = √(z² + b²): φ = −GM/√(R² + (a + h)²), f_R = −GM/(R² + (a + h)²)^{3/2},
// f_z = f_R (a + h)/h. src/physics/potentials/miyamoto-nagai.ts
//#import "jets.wgsl"
//#expects MiyamotoNagai

fn miyamotoNagaiField(p: MiyamotoNagai, d: vec3f) -> vec4f {
  let height = sqrt(fma(d.z, d.z, p.scaleHeight * p.scaleHeight));
  let depth = p.scaleLength + height;
  let inverse = 1.0 / sqrt(fma(d.x, d.x, fma(d.y, d.y, depth * depth)));
  let f = -p.mass * inverse * inverse * inverse;
  return vec4f(d.xy * f, d.z * (f * (depth / height)), -p.mass * inverse);
}

fn miyamotoNagaiStrengths(p: MiyamotoNagai, squares: mat3x3f) -> mat3x3f {
  let height = jetRoot(jetShifted(squares[2], p.scaleHeight * p.scaleHeight));
  let depth = jetShifted(height, p.scaleLength);
  let once = jetInverse(jetRoot(squares[0] + squares[1] + jetProduct(depth, depth)));
  let planar = -p.mass * jetProduct(once, jetProduct(once, once));
  return mat3x3f(planar, planar, jetProduct(planar, jetProduct(depth, jetInverse(height))));
}
