// Sums of CIC masses over the particles of a pencil (2 x 2 rows of cells) at one x: they reach 3 x 3 rows. Rows along y
// are a vector's components, those along z have vectors of their own.

struct Rows {
  a: vec3u,
  b: vec3u,
  c: vec3u,
}

fn noRows() -> Rows {
  return Rows(vec3u(0u), vec3u(0u), vec3u(0u));
}

fn placedY(m: vec2u, upper: bool) -> vec3u {
  return select(vec3u(m, 0u), vec3u(0u, m), upper);
}

// With the masses of a column added; `upper`: in y and z, whether the base cell is the upper one of its pencil.
fn placed(rows: Rows, column: vec4u, upper: vec2<bool>) -> Rows {
  let low = placedY(column.xy, upper.x);
  let high = placedY(column.zw, upper.x);
  return Rows(
    rows.a + select(low, vec3u(0u), upper.y),
    rows.b + select(high, low, upper.y),
    rows.c + select(vec3u(0u), high, upper.y),
  );
}

fn selected(a: Rows, b: Rows, second: bool) -> Rows {
  return Rows(select(a.a, b.a, second), select(a.b, b.b, second), select(a.c, b.c, second));
}
