/** The terminal that a command writes to: how wide it is, and a line of it that comes and goes. */

export interface TerminalScreen {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

export const ERASE_LINE = "\r\u001b[2K";

/** Columns for text that is broken into lines: elsewhere than on a terminal none is, so that it can be searched. */
export function terminalWidth({ isTTY, columns }: TerminalScreen): number {
  return isTTY ? columns || 80 : Number.POSITIVE_INFINITY;
}

/** Says what is done at the moment, on a terminal alone. */
export function passingLine(out: TerminalScreen, { quiet = false }: { quiet?: boolean | undefined }) {
  const shown = out.isTTY === true && !quiet;
  return {
    show: (what: string): void => {
      // One column stays free: some terminals wrap when the last one is written.
      if (shown) out.write(`${ERASE_LINE}${what.slice(0, terminalWidth(out) - 1)}`);
    },
    erase: (): void => {
      if (shown) out.write(ERASE_LINE);
    },
  };
}
