// The line at the bottom of a terminal that says what is going on. Not for files and pipes: there it says nothing.

export interface StatusLine {
  /** Shows `text` in the place of what it showed. */
  show(text: string): void;
  /** Takes it away, so that a line of output can be printed. */
  clear(): void;
}

type Terminal = Pick<NodeJS.WriteStream, "write" | "isTTY" | "columns">;

const toLineStart = "\r\x1b[K";

export function statusLine(terminal: Terminal): StatusLine {
  if (terminal.isTTY !== true) return { show: () => {}, clear: () => {} };
  let shown = false;
  return {
    show(text) {
      // One that wraps could not be taken away again.
      terminal.write(`${toLineStart}${text.slice(0, Math.max((terminal.columns || 80) - 1, 10))}`);
      shown = true;
    },
    clear() {
      if (shown) terminal.write(toLineStart);
      shown = false;
    },
  };
}
