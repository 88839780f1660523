// Friends of friends: a forest of cells, by their heads, whose parents have lesser numbers than their children. Lock-free
// (Anderson & Woll 1991): parents only ever become lesser, and a stale one is still an ancestor.
//#expects parents ([N] atomic)

// Root of a node; every other node on the way becomes a child of its grandparent.
fn rootOf(start: u32) -> u32 {
  var node = start;
  loop {
    let parent = atomicLoad(&parents[node]);
    if (parent == node) { break; }
    let above = atomicLoad(&parents[parent]);
    if (above != parent) { atomicMin(&parents[node], above); }
    node = above;
  }
  return node;
}

// Makes two nodes one tree and returns its root as it was then.
fn join(a: u32, b: u32) -> u32 {
  var root = rootOf(a);
  var other = rootOf(b);
  while (root != other) {
    let child = max(root, other);
    root = min(root, other);
    if (atomicCompareExchangeWeak(&parents[child], child, root).exchanged) { break; }
    root = rootOf(root);
    other = rootOf(child);
  }
  return root;
}
