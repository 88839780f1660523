// f and depth of a pair softened as Plummer's sphere, at r² in cells (src/engine/direct/softening.ts).
//#expects work (with the softening, ε in cells)

fn softened(square: f32) -> vec2f {
  let inverse = inverseSqrt(square + work.softening * work.softening);
  return vec2f(inverse * inverse * inverse, inverse);
}
