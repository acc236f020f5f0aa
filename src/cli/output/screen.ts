// An output stream and what affects formatting: whether it is a terminal, its width and its colors. Created once for
// each stream (shell.ts); tests pass their own stream.
//
// Invariant: no output controls the terminal, whatever names, messages or addresses from others it contains.

import { plainLines } from "./text.ts";

export type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
export type Paint = (colour: Colour, text: string) => string;

export interface Screen {
  /** Whether it is a terminal. */
  readonly isTerminal: boolean;
  /** Undefined: unlimited. */
  readonly columns: number | undefined;
  readonly paint: Paint;
  /** Writes one or more lines; characters unsafe for a terminal are shown as a question mark. */
  readonly line: (text: string) => void;
  /** Writes without a change. */
  readonly write: (text: string) => void;
}

/** The stream behind it: the part of a terminal that is used. */
export type Stream = Pick<NodeJS.WriteStream, "write"> & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns">>;

const codes: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** What `paint` writes. Others may write it too, but only change a color. */
const painted = new RegExp(`(\\u001b\\[(?:${Object.values(codes).flat().join("|")})m)`);

function plainButPainted(text: string): string {
  return text
    .split(painted)
    .map((part, index) => (index % 2 === 0 ? plainLines(part) : part))
    .join("");
}

/** Colors only on a terminal, and not if NO_COLOR is set (no-color.org) or the terminal is dumb. */
export function screenOf(stream: Stream, env: NodeJS.ProcessEnv): Screen {
  const isTerminal = stream.isTTY === true;
  const colours = isTerminal && !env.NO_COLOR && env.TERM !== "dumb";
  return {
    isTerminal,
    get columns() {
      return isTerminal ? stream.columns || 80 : undefined;
    },
    paint: (colour, text) => {
      const [on, off] = codes[colour];
      return colours && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
    },
    line: (text) => void stream.write(`${colours ? plainButPainted(text) : plainLines(text)}\n`),
    write: (text) => void stream.write(text),
  };
}
