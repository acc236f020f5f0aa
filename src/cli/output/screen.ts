// One of the program's outputs, as far as what is written depends on it: whether a person looks at it, how wide it is, and
// whether it takes colours. Made once for each stream (shell.ts); tests hand in a stream of their own.

export type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
export type Paint = (colour: Colour, text: string) => string;

export interface Screen {
  /** Whether it is a terminal. */
  readonly isTerminal: boolean;
  /** Undefined: as wide as need be. */
  readonly columns: number | undefined;
  readonly paint: Paint;
  /** Writes a line. */
  readonly line: (text: string) => void;
  /** Writes as it is. */
  readonly write: (text: string) => void;
}

type Stream = Pick<NodeJS.WriteStream, "write"> & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns">>;

const codes: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

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
    line: (text) => void stream.write(`${text}\n`),
    write: (text) => void stream.write(text),
  };
}
