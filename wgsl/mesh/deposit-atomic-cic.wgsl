// The columns of deposit-atomic.wgsl for CIC: at the base cell and the next x; components (dy, dz) = 00, 10, 01, 11.
//#import "../lib/mass.wgsl"
//#expects addTo

var<private> here: vec4u;
var<private> next: vec4u;

fn addToColumns(mass: u32, offsets: vec3u) {
  let z = splitInTwo(mass, offsets.z);
  let m = vec4u(splitInTwo(z.x, offsets.y), splitInTwo(z.y, offsets.y));
  let right = vec4u(weightedMass(m.x, offsets.x), weightedMass(m.y, offsets.x), weightedMass(m.z, offsets.x), weightedMass(m.w, offsets.x));
  here += m - right;
  next += right;
}

fn leaveColumns(base: vec3u, count: u32) {
  for (var k = 0u; k < count; k++) {
    let cell = base + vec3u(k, 0u, 0u);
    addTo(cell, here.x);
    addTo(cell + vec3u(0u, 1u, 0u), here.y);
    addTo(cell + vec3u(0u, 0u, 1u), here.z);
    addTo(cell + vec3u(0u, 1u, 1u), here.w);
    here = next;
    next = vec4u(0u);
  }
}
