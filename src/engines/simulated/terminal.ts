// A session in a simulated machine, to try a web terminal without a real one: it says that it is simulated, reads lines
// as a shell does (node:readline), responds to a few commands (shell.ts), and runs nothing. `exit` and Ctrl-D end it.
//
// Invariant: a line has at most `longestLine` characters, which limits a session's memory.

import { createInterface, type Interface } from "node:readline";
import { PassThrough, Writable } from "node:stream";
import type { Terminal } from "../engine.ts";
import { notice, replyTo, type SimulatedMachine } from "./shell.ts";

const longestLine = 4096;
const yellow = (text: string) => `\u001b[33m${text}\u001b[0m`;
const clearScreen = "\u001b[H\u001b[2J";

export class SimulatedTerminal implements Terminal {
  readonly #machine: SimulatedMachine;
  readonly #input = new PassThrough();
  readonly #screen: Screen;
  readonly #lines: Interface;
  readonly #decoder = new TextDecoder();
  #onEnd: (() => void) | undefined;
  #ended = false;

  constructor(machine: SimulatedMachine) {
    this.#machine = machine;
    this.#screen = new Screen();
    this.#lines = createInterface({
      input: this.#input,
      output: this.#screen,
      terminal: true,
      prompt: `root@${machine.hostname}:~# `,
      historySize: 100,
      removeHistoryDuplicates: true,
    });
    this.#lines.on("line", (line) => this.#run(line));
    this.#lines.on("SIGINT", () => this.#discardLine());
    // Without a listener, Ctrl-Z would suspend the whole service.
    this.#lines.on("SIGTSTP", () => undefined);
    this.#lines.on("close", () => this.#leave("exit\r\n"));
    this.#screen.write(`${yellow(notice)}\r\n`);
    this.#lines.prompt();
  }

  onData(listener: (data: Uint8Array) => void): void {
    this.#screen.showOn(listener);
  }

  onEnd(listener: () => void): void {
    if (this.#ended) listener();
    else this.#onEnd = listener;
  }

  write(data: Uint8Array): void {
    if (this.#ended) return;
    // One at a time: readline treats several as pasted text, which it does not show in the middle of a line.
    for (const character of this.#fitting(this.#decoder.decode(data, { stream: true }))) this.#input.write(character);
  }

  unread(): number {
    return this.#input.readableLength;
  }

  resize(columns: number, _rows: number): void {
    this.#screen.resize(columns);
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#lines.close();
    this.#onEnd?.();
  }

  /** The input without characters that exceed the line's limit. Control characters always pass. */
  #fitting(typed: string): string[] {
    let left = longestLine - this.#lines.line.length - this.#input.readableLength;
    // The limit starts again with the next line.
    const fits = (character: string) => {
      if (character < " ") left = character === "\r" || character === "\n" ? longestLine : left;
      else left -= 1;
      return character < " " || left >= 0;
    };
    return Array.from(typed).filter(fits);
  }

  #run(line: string): void {
    const reply = replyTo(line, this.#machine);
    if (reply === "exit") {
      this.#leave("");
      return;
    }
    this.#screen.write(reply === "clear" ? clearScreen : reply.map((one) => `${one}\r\n`).join(""));
    this.#lines.prompt();
  }

  #discardLine(): void {
    this.#screen.write("^C\r\n");
    // Like Ctrl-E and Ctrl-U; their output disappears with the next prompt.
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
    this.#lines.prompt();
  }

  #leave(word: string): void {
    if (this.#ended) return;
    this.#screen.write(word);
    this.close();
  }
}

/** The output stream of readline, with the width that it requires. */
class Screen extends Writable {
  /** Read by readline; unlimited until the client reports its width. */
  columns = Number.POSITIVE_INFINITY;
  /** Output from before the first listener. */
  #early: Uint8Array[] = [];
  #listener: ((data: Uint8Array) => void) | undefined;

  showOn(listener: (data: Uint8Array) => void): void {
    this.#listener = listener;
    for (const data of this.#early.splice(0)) listener(data);
  }

  resize(columns: number): void {
    this.columns = columns;
    this.emit("resize");
  }

  override _write(data: Buffer, _encoding: string, done: () => void): void {
    if (this.#listener === undefined) this.#early.push(data);
    else this.#listener(data);
    done();
  }
}
