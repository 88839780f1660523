// The columns of deposit-atomic.wgsl for NGP: the base cell alone.
//#expects addTo

var<private> here: u32;

fn addToColumns(mass: u32, offsets: vec3u) {
  here += mass;
}

fn leaveColumns(base: vec3u, count: u32) {
  if (count > 0u) {
    addTo(base, here);
    here = 0u;
  }
}
