// Mesh values at a particle, interpolated with the weights of the deposit (Hockney & Eastwood 1988, ch. 5), so that momentum
// is conserved and a particle doesn't pull itself. The values around one cell are a stencil, read once for as many of its
// particles as follow one another.
//#import "assignment.wgsl"
//#import "cells.wgsl"
//#expects ORDER, MeshValue (what is interpolated: vec3f for the acceleration alone, which is quicker, or vec4f)
//#expects CELLS, meshValue (of a cell, by its place on each axis), UNROLLED (without a stencil)

const COLUMN = ORDER * ORDER;

// Values at the touched cells: ORDER columns along x, of ORDER × ORDER cells in (z, y).
struct Stencil {
  columns: array<array<MeshValue, COLUMN>, ORDER>,
}

// Touched cells on one axis: base (NGP), base and the next (CIC), the previous, base and the next (TSC).
fn touched(base: u32) -> vec3u {
  if (ORDER == 3) {
    return vec3u(wrapped(base + u32(CELLS) - 1u), base, wrapped(base + 1u));
  }
  return vec3u(base, wrapped(base + 1u), 0u);
}

fn readColumn(x: u32, cell: vec3u) -> array<MeshValue, COLUMN> {
  let y = touched(cell.y);
  let z = touched(cell.z);
  var column: array<MeshValue, COLUMN>;
  for (var k = 0; k < ORDER; k++) {
    for (var j = 0; j < ORDER; j++) {
      column[k * ORDER + j] = meshValue(vec3u(x, y[j], z[k]));
    }
  }
  return column;
}

fn stencilAround(cell: vec3u) -> Stencil {
  let x = touched(cell.x);
  var stencil: Stencil;
  for (var i = 0; i < ORDER; i++) { stencil.columns[i] = readColumn(x[i], cell); }
  return stencil;
}

// At `offset` in the cell of a stencil; with fma, so that every kernel gets the same bits.
fn interpolated(stencil: ptr<function, Stencil>, offset: vec3f) -> MeshValue {
  let wx = axisWeights(offset.x);
  let wy = axisWeights(offset.y);
  let wz = axisWeights(offset.z);
  var sum = MeshValue();
  for (var k = 0; k < ORDER; k++) {
    var plane = MeshValue();
    for (var j = 0; j < ORDER; j++) {
      var row = MeshValue();
      for (var i = 0; i < ORDER; i++) {
        row = fma(MeshValue(wx[i]), (*stencil).columns[i][k * ORDER + j], row);
      }
      plane = fma(MeshValue(wy[j]), row, plane);
    }
    sum = fma(MeshValue(wz[k]), plane, sum);
  }
  return sum;
}

// The same without a stencil; unless UNROLLED in loops that no compiler unrolls, which compile in a tenth of the time.
fn interpolatedAt(base: Base) -> MeshValue {
  let x = touched(base.cell.x);
  let y = touched(base.cell.y);
  let z = touched(base.cell.z);
  let wx = axisWeights(base.offset.x);
  let wy = axisWeights(base.offset.y);
  let wz = axisWeights(base.offset.z);
  let order = select(0, ORDER, UNROLLED || base.cell.x < 0xffffffffu); // which is always so, but compilers don't know
  var sum = MeshValue();
  for (var k = 0; k < order; k++) {
    var plane = MeshValue();
    for (var j = 0; j < order; j++) {
      var row = MeshValue();
      for (var i = 0; i < order; i++) {
        row = fma(MeshValue(wx[i]), meshValue(vec3u(x[i], y[j], z[k])), row);
      }
      plane = fma(MeshValue(wy[j]), row, plane);
    }
    sum = fma(MeshValue(wz[k]), plane, sum);
  }
  return sum;
}
