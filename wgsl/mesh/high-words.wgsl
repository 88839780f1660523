// High words of the deposited mass, which few cells have, and behind them the marks of the rows of cells that have any
// (src/mesh/field.ts). Both must be zero before.
//#expects CELLS, high (array<atomic<u32>>)

// Cells count from the first of the buffer.
fn addToHigh(cell: u32, carry: u32) {
  let rows = arrayLength(&high) / (u32(CELLS) + 1u);
  atomicAdd(&high[cell], carry);
  atomicStore(&high[rows * u32(CELLS) + cell / u32(CELLS)], 1u);
}
