// The progress of a command: a status line at the bottom of a terminal or, without a terminal, one line per step. On
// standard error, so that the output is unaffected.

import type { Screen } from "./screen.ts";
import { cut, plain } from "./text.ts";

export interface Progress {
  /** `step` is the current step; `detail` changes constantly, such as the seconds, and is only for terminals. */
  show(step: string, detail?: string): void;
  /** Clears the line. */
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
