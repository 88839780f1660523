// Positions in fixed point, x = L·u/2^32, and the cells they fall in. With n cells of the grid's size along the box, the
// product u·n has 64 bits: its high word is the cell, its low word the offset in units of 2^-32 cell, both exact for every n.
// Mesh values live at cell centres, (i + 1/2) h.
//#import "wide-product.wgsl"
//#import "on-grid.wgsl"
//#expects CELLS (n, per side), PER_BOX, ORDER (of the assignment: 1 NGP, 2 CIC, 3 TSC)
//#expects REACH (cells that assignment and gradient reach past the base cell), HAS_OUTSIDE

struct Base {
  // NGP and TSC the cell that holds the particle, CIC the lower of the two cells whose centres bracket it; in [0, PER_BOX)
  // from the grid's first.
  cell: vec3u,
  // In cells, in [0, 1): CIC from the centre of the base cell, NGP and TSC from the lower face.
  offset: vec3f,
}

// 24 bits of the offset, exact in f32 and below 1.
fn unitOffset(low: u32) -> f32 {
  return f32(low >> 8u) * 0x1p-24;
}

// On one axis, of cells of which `perBox` fill the box, counted from `first`: the base cell, and the offset [2^-32 cell].
fn baseAmong(u: u32, first: u32, perBox: u32) -> vec2u {
  var product = wideProduct(u, perBox);
  var before = first; // cells of the box that don't count
  if (ORDER == 2) {
    // Half a cell back, to count from cell centres.
    before += select(0u, 1u, product.y < 0x80000000u);
    product.y -= 0x80000000u;
  }
  return vec2u(select(product.x - before, product.x + perBox - before, product.x < before), product.y);
}

fn baseOnAxis(u: u32, first: u32) -> vec2u {
  return baseAmong(u, first, u32(PER_BOX));
}

fn baseOf(position: vec3u) -> Base {
  let first = firstCell();
  let x = baseOnAxis(position.x, first.x);
  let y = baseOnAxis(position.y, first.y);
  let z = baseOnAxis(position.z, first.z);
  return Base(vec3u(x.x, y.x, z.x), vec3f(unitOffset(x.y), unitOffset(y.y), unitOffset(z.y)));
}

// A cell's index on one axis, from 0 to 2n.
fn wrapped(i: u32) -> u32 {
  return select(i, i - u32(CELLS), i >= u32(CELLS));
}

// Whether the base cell's indices in y and z are odd: of the two rows of its pencil it is in the upper ones.
fn isUpperRow(position: vec3u) -> vec2<bool> {
  let first = firstCell();
  return vec2<bool>((baseOnAxis(position.y, first.y).x & 1u) == 1u, (baseOnAxis(position.z, first.z).x & 1u) == 1u);
}

// Place of a cell in the order of particles: pencils of 2 x 2 rows along x, whose four cells at each x follow one another.
fn cellPlace(cell: vec3u) -> u32 {
  let pencil = (cell.z >> 1u) * (u32(CELLS) / 2u) + (cell.y >> 1u);
  return 4u * (pencil * u32(CELLS) + cell.x) + 2u * (cell.z & 1u) + (cell.y & 1u);
}

// Whether a particle's stencil stays on a grid that has an outside; `image` is its packed box offset, 0 in the box.
fn insideMesh(cell: vec3u, image: u32) -> bool {
  return insideCube(cell, image, u32(CELLS));
}

// The same of a grid of so many cells a side.
fn insideCube(cell: vec3u, image: u32, cells: u32) -> bool {
  let low = u32(REACH);
  let high = cells - 1u - u32(REACH);
  return image == 0u && all(cell >= vec3u(low)) && all(cell <= vec3u(high));
}

// The sorting key: the base cell's place; n^3 for a particle outside.
fn cellKey(u: vec3u, image: u32) -> u32 {
  let cell = baseOf(u).cell;
  if (HAS_OUTSIDE && !insideMesh(cell, image)) {
    return u32(CELLS) * u32(CELLS) * u32(CELLS);
  }
  return cellPlace(cell);
}
