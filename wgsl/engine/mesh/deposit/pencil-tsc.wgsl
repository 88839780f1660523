// Sums of TSC masses over the particles of a pencil (2 x 2 rows of cells) at one x: they reach 4 x 4 rows. Rows along y
// are a vector's components, those along z have vectors of their own.

struct Rows {
  a: vec4u,
  b: vec4u,
  c: vec4u,
  d: vec4u,
}

// Masses at one x in the planes z - 1, z and z + 1, components dy = -1, 0, 1.
struct Column {
  below: vec3u,
  level: vec3u,
  above: vec3u,
}

fn noRows() -> Rows {
  return Rows(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u));
}

fn placedY(m: vec3u, upper: bool) -> vec4u {
  return select(vec4u(m, 0u), vec4u(0u, m), upper);
}

// With the masses of a column added; `upper`: in y and z, whether the base cell is the upper one of its pencil.
fn placed(rows: Rows, column: Column, upper: vec2<bool>) -> Rows {
  let below = placedY(column.below, upper.x);
  let level = placedY(column.level, upper.x);
  let above = placedY(column.above, upper.x);
  return Rows(
    rows.a + select(below, vec4u(0u), upper.y),
    rows.b + select(level, below, upper.y),
    rows.c + select(above, level, upper.y),
    rows.d + select(vec4u(0u), above, upper.y),
  );
}

fn rowsAt(rows: Rows, k: u32) -> vec4u {
  return select(select(rows.a, rows.b, k == 1u), select(rows.c, rows.d, k == 3u), k > 1u);
}

fn selected(a: Rows, b: Rows, second: bool) -> Rows {
  return Rows(select(a.a, b.a, second), select(a.b, b.b, second), select(a.c, b.c, second), select(a.d, b.d, second));
}
