// One line as it is typed at a terminal that shows nothing by itself: what each key changes, and what has to be shown for
// it. Enough of what people's fingers know from a real shell: moving, rubbing out, the lines of before. Pure, but for its own
// state. Used by terminal.ts.

/** What a key did: `shown` goes to the screen, `line` was entered, or a key was hit that means something to a shell. */
export interface Typed {
  readonly shown: string;
  readonly line?: string;
  readonly key?: "interrupt" | "end" | "clear";
}

const remembered = 100;
const longest = 4096;

export class LineEditor {
  readonly #history: string[] = [];
  /** In #history; its length: the line that is being typed. */
  #at = 0;
  #line: string[] = [];
  #cursor = 0;
  /** The beginning of a key that comes as several characters. */
  #escape = "";

  /** `character`: one code point. */
  type(character: string): Typed {
    if (this.#escape !== "" || character === "\u001b") return this.#sequence(character);
    const known = keys[character];
    if (known !== undefined) return known(this);
    if (character < " " || this.#line.length >= longest) return { shown: "" };
    return this.insert(character);
  }

  /** The line and what is right of the cursor, shown anew, as after the screen was cleared. */
  redrawn(): string {
    return `${this.#line.join("")}${back(this.#line.length - this.#cursor)}`;
  }

  insert(character: string): Typed {
    this.#line.splice(this.#cursor, 0, character);
    this.#cursor += 1;
    return { shown: `${character}${this.#rest()}` };
  }

  enter(): Typed {
    const line = this.#line.join("");
    if (line.trim() !== "" && this.#history.at(-1) !== line) this.#history.push(line);
    if (this.#history.length > remembered) this.#history.shift();
    this.#reset();
    return { shown: "\r\n", line };
  }

  interrupt(): Typed {
    this.#reset();
    return { shown: "^C\r\n", key: "interrupt" };
  }

  /** Ctrl-D: the end where nothing is typed, else what Delete does. */
  end(): Typed {
    return this.#line.length === 0 ? { shown: "", key: "end" } : this.#cut(this.#cursor, this.#cursor + 1);
  }

  rubOut(): Typed {
    if (this.#cursor === 0) return { shown: "" };
    if (this.#cursor < this.#line.length) return this.#cut(this.#cursor - 1, this.#cursor);
    this.#line.pop();
    this.#cursor -= 1;
    return { shown: "\b \b" };
  }

  rubOutWord(): Typed {
    const before = this.#line.slice(0, this.#cursor).join("");
    return this.#cut(Array.from(before.replace(/\S*\s*$/, "")).length, this.#cursor);
  }

  rubOutToStart(): Typed {
    return this.#cut(0, this.#cursor);
  }

  rubOutToEnd(): Typed {
    return this.#cut(this.#cursor, this.#line.length);
  }

  move(to: "start" | "end" | "left" | "right"): Typed {
    const before = this.#cursor;
    const targets = { start: 0, end: this.#line.length, left: Math.max(0, before - 1), right: before + 1 };
    this.#cursor = Math.min(this.#line.length, targets[to]);
    const by = this.#cursor - before;
    return { shown: by < 0 ? back(-by) : by > 0 ? `\u001b[${by}C` : "" };
  }

  recall(by: -1 | 1): Typed {
    const to = this.#at + by;
    if (to < 0 || to > this.#history.length) return { shown: "" };
    this.#at = to;
    const away = `${back(this.#cursor)}\u001b[K`;
    this.#line = Array.from(this.#history[to] ?? "");
    this.#cursor = this.#line.length;
    return { shown: away + this.#line.join("") };
  }

  #cut(from: number, to: number): Typed {
    if (this.#line.splice(from, to - from).length === 0) return { shown: "" };
    const shown = `${back(this.#cursor - from)}\u001b[K${this.#line.slice(from).join("")}`;
    this.#cursor = from;
    return { shown: `${shown}${back(this.#line.length - from)}` };
  }

  /** What is right of the cursor, and the cursor before it again. */
  #rest(): string {
    const rest = this.#line.slice(this.#cursor);
    return rest.length === 0 ? "" : `${rest.join("")}${back(rest.length)}`;
  }

  #reset(): void {
    this.#line = [];
    this.#cursor = 0;
    this.#at = this.#history.length;
  }

  #sequence(character: string): Typed {
    this.#escape += character;
    const known = sequences[this.#escape.slice(1)];
    // A letter or ~ ends it, but for the one that begins it.
    if (
      known === undefined &&
      (this.#escape.length < 3 ? "[O\u001b".includes(character) : !/[A-Za-z~]/.test(character))
    ) {
      if (this.#escape.length < 16) return { shown: "" };
    }
    this.#escape = "";
    return known?.(this) ?? { shown: "" };
  }
}

const back = (columns: number) => (columns > 0 ? `\u001b[${columns}D` : "");

type Key = (editor: LineEditor) => Typed;

const keys: Readonly<Record<string, Key | undefined>> = {
  "\r": (editor) => editor.enter(),
  "\n": (editor) => editor.enter(),
  "\u0001": (editor) => editor.move("start"),
  "\u0002": (editor) => editor.move("left"),
  "\u0003": (editor) => editor.interrupt(),
  "\u0004": (editor) => editor.end(),
  "\u0005": (editor) => editor.move("end"),
  "\u0006": (editor) => editor.move("right"),
  "\b": (editor) => editor.rubOut(),
  "\u007f": (editor) => editor.rubOut(),
  "\u000b": (editor) => editor.rubOutToEnd(),
  "\u000c": () => ({ shown: "", key: "clear" }),
  "\u000e": (editor) => editor.recall(1),
  "\u0010": (editor) => editor.recall(-1),
  "\u0015": (editor) => editor.rubOutToStart(),
  "\u0017": (editor) => editor.rubOutWord(),
};

/** What comes after the escape character. */
const sequences: Readonly<Record<string, Key | undefined>> = {
  "[A": (editor) => editor.recall(-1),
  "[B": (editor) => editor.recall(1),
  "[C": (editor) => editor.move("right"),
  "[D": (editor) => editor.move("left"),
  "[H": (editor) => editor.move("start"),
  "[F": (editor) => editor.move("end"),
  "[1~": (editor) => editor.move("start"),
  "[4~": (editor) => editor.move("end"),
  "[3~": (editor) => editor.end(),
  OA: (editor) => editor.recall(-1),
  OB: (editor) => editor.recall(1),
  OC: (editor) => editor.move("right"),
  OD: (editor) => editor.move("left"),
  OH: (editor) => editor.move("start"),
  OF: (editor) => editor.move("end"),
};
