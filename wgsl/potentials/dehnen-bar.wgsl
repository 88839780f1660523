// Bar as a quadrupole, in the frame of its long axis: φ = A c U, c = x² − y², U = (r/R_b)³/r² − 2/r² inside R_b,
// −(R_b/r)³/r² outside; f = −2A (±U + c dU/d(r²)). src/potentials/dehnen-bar.ts
//#import "jets.wgsl"
//#expects DehnenBar

fn dehnenBarField(p: DehnenBar, d: vec3f) -> vec4f {
  let r2 = dot(d, d);
  if (r2 == 0.0) { return vec4f(); }
  let r = sqrt(r2);
  let ratio = r / p.radius;
  let cube = ratio * ratio * ratio;
  let c = (d.x - d.y) * (d.x + d.y) / r2;
  let inner = ratio < 1.0;
  let shape = select(-1.0 / cube, cube - 2.0, inner); // U r²
  let common = c * select(2.5 / cube, fma(0.5, cube, 2.0), inner); // c U′ r²
  return vec4f(d * (-2.0 * p.amplitude / r2 * vec3f(common + shape, common - shape, common)), p.amplitude * c * shape);
}

fn dehnenBarStrengths(p: DehnenBar, squares: mat3x3f) -> mat3x3f {
  let square = squares[0] + squares[1] + squares[2];
  if (square.x == 0.0) { return mat3x3f(); }
  let once = jetInverse(square);
  let distance = jetRoot(square);
  let ratio = distance / p.radius;
  let cube = jetProduct(ratio, jetProduct(ratio, ratio));
  var shape = jetProduct(jetShifted(cube, -2.0), once);
  var slope = jetProduct(jetProduct(jetShifted(0.5 * cube, 2.0), once), once);
  if (ratio.x >= 1.0) {
    shape = -jetProduct(jetInverse(cube), once);
    slope = -2.5 * jetProduct(shape, once);
  }
  let common = jetProduct(squares[0] - squares[1], slope);
  return (-2.0 * p.amplitude) * mat3x3f(common + shape, common - shape, common);
}
