// Which mode of a lattice's spectrum [kz][ky][kx], kx = 0 … n/2, an invocation has. The spectrum lies in slabs of planes kz.
//#expects CELLS

const GROUP = 64u;
const SIDE = u32(CELLS);
const HALF = SIDE / 2u;

struct Mode {
  m: vec3i, // wave vector in units of 2π/L
  square: u32,
  kept: bool, // neither m = 0 nor on a Nyquist plane: such modes are zero
}

fn modeAt(index: u32) -> Mode {
  let row = index / (HALF + 1u);
  let j = vec3u(index - row * (HALF + 1u), row % SIDE, row / SIDE);
  let m = vec3i(j) - select(vec3i(0), vec3i(i32(SIDE)), j > vec3u(HALF));
  let square = u32(m.x * m.x + m.y * m.y + m.z * m.z);
  return Mode(m, square, square > 0u && !any(j == vec3u(HALF)));
}

// −i·a: a quarter turn.
fn turnedBack(a: vec2f) -> vec2f {
  return vec2f(a.y, -a.x);
}
