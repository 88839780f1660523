// Scale of float terms that are added as integers, so that their order doesn't matter: 2^(29 − e) where the greatest
// (its bits, not negative) lies in [2^e, 2^(e+1)), which leaves 30 bits of that. The host takes it out again.

fn integerScale(greatest: u32) -> f32 {
  return bitcast<f32>((283u - max(greatest >> 23u, 29u)) << 23u);
}
