/** GADGET's binary formats: SnapFormat 1 has its blocks in a fixed order, SnapFormat 2 gives them names. */
import type { FileFormat } from "./format.ts";
import { layoutOf, openGadget } from "./gadget-binary.node.ts";
import { writeGadget } from "./gadget-binary-writer.node.ts";

const snapFormat = (format: 1 | 2): FileFormat => ({
  name: `gadget-${format}`,
  about: `GADGET's binary SnapFormat ${format}`,
  endings: [`.gadget${format}`, `.g${format}`],
  gadget: true,
  hasUnits: false,
  passes: 4,
  recognise: (start) => layoutOf(start)?.format === format,
  open: (file, need) => openGadget(file, format, need),
  write: (file, written, options) => writeGadget(file, written, { ...options, format }),
});

export const gadget1 = snapFormat(1);
export const gadget2 = snapFormat(2);
