// A progress line at the bottom of a terminal. Silent for files and pipes.

export interface StatusLine {
  /** Replaces the line with `text`. */
  show(text: string): void;
  /** Clears the line, so that output can be printed. */
  clear(): void;
}

type Terminal = Pick<NodeJS.WriteStream, "write" | "isTTY" | "columns">;

const toLineStart = "\r\x1b[K";

export function statusLine(terminal: Terminal): StatusLine {
  if (terminal.isTTY !== true) return { show: () => {}, clear: () => {} };
  let shown = false;
  return {
    show(text) {
      // A wrapped line could not be cleared.
      terminal.write(`${toLineStart}${text.slice(0, Math.max((terminal.columns || 80) - 1, 10))}`);
      shown = true;
    },
    clear() {
      if (shown) terminal.write(toLineStart);
      shown = false;
    },
  };
}
