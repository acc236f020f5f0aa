// What goes on while a command waits: one line at the bottom of a terminal that changes, or, where nobody looks, a line for
// each step. On standard error, so that the output stays what it is.

import type { Screen } from "./screen.ts";
import { cut, plain } from "./text.ts";

export interface Progress {
  /** `step` is what goes on; `detail` changes all the time, such as the seconds, and is for terminals alone. */
  show(step: string, detail?: string): void;
  /** Takes the line away. */
  clear(): void;
}

const toLineStart = "\r\x1b[K";

export function progressOn(screen: Screen): Progress {
  let shown = "";
  if (!screen.isTerminal) {
    return {
      show(step) {
        if (step !== shown) screen.line(plain(step));
        shown = step;
      },
      clear: () => {},
    };
  }
  return {
    show(step, detail = "") {
      const text = cut(plain(`${step} ${detail}`.trimEnd()), Math.max((screen.columns ?? 80) - 1, 10));
      screen.write(`${toLineStart}${screen.paint("cyan", text)}`);
      shown = text;
    },
    clear() {
      if (shown !== "") screen.write(toLineStart);
      shown = "";
    },
  };
}
