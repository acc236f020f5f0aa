// One of the program's outputs, as far as what is written depends on it: whether a person looks at it, how wide it is, and
// whether it takes colours. Made once for each stream (shell.ts); tests hand in a stream of their own.
//
// Invariant: no line gives orders to a terminal, whatever name, message or address of somebody else stands in it.

import { plainLines } from "./text.ts";

export type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
export type Paint = (colour: Colour, text: string) => string;

export interface Screen {
  /** Whether it is a terminal. */
  readonly isTerminal: boolean;
  /** Undefined: as wide as need be. */
  readonly columns: number | undefined;
  readonly paint: Paint;
  /** Writes a line, or several; what is not fit for a terminal is shown as a question mark. */
  readonly line: (text: string) => void;
  /** Writes as it is. */
  readonly write: (text: string) => void;
}

/** What it is written to: as much of a terminal as is asked about. */
export type Stream = Pick<NodeJS.WriteStream, "write"> & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns">>;

const codes: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** What `paint` writes. Others may write it too, and have changed a colour then. */
const painted = new RegExp(`(\\u001b\\[(?:${Object.values(codes).flat().join("|")})m)`);

function plainButPainted(text: string): string {
  return text
    .split(painted)
    .map((part, index) => (index % 2 === 0 ? plainLines(part) : part))
    .join("");
}

/** Colours on a terminal alone, and not where NO_COLOR is set (no-color.org) or the terminal is a dumb one. */
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
