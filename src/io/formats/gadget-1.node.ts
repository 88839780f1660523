/** GADGET's SnapFormat 1: blocks in a fixed order. */
import type { FileFormat } from "./format.ts";
import { layoutOf, openGadget } from "./gadget-binary.node.ts";
import { writeGadget } from "./gadget-binary-writer.node.ts";

export const gadget1: FileFormat = {
  name: "gadget-1",
  about: "GADGET's binary SnapFormat 1",
  endings: [".gadget1", ".g1"],
  gadget: true,
  hasUnits: false,
  passes: 4,
  recognise: (start) => layoutOf(start)?.format === 1,
  open: (file, need) => openGadget(file, 1, need),
  write: (file, written, options) => writeGadget(file, written, { ...options, format: 1 }),
};
