/** GADGET's SnapFormat 2: blocks with names. */
import type { FileFormat } from "./format.ts";
import { layoutOf, openGadget } from "./gadget-binary.node.ts";
import { writeGadget } from "./gadget-binary-writer.node.ts";

export const gadget2: FileFormat = {
  name: "gadget-2",
  about: "GADGET's binary SnapFormat 2",
  endings: [".gadget2", ".g2"],
  gadget: true,
  hasUnits: false,
  passes: 4,
  recognise: (start) => layoutOf(start)?.format === 2,
  open: (file, need) => openGadget(file, 2, need),
  write: (file, written, options) => writeGadget(file, written, { ...options, format: 2 }),
};
