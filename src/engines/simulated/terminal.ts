// A stand-in for a session in a simulated machine, so that a web terminal can be tried without a real one: it says what
// it is, takes lines as a shell does (line-editor.ts), answers a few commands (stand-in-shell.ts), and runs nothing. `exit`
// and Ctrl-D end it.

import type { Terminal } from "../engine.ts";
import { LineEditor } from "./line-editor.ts";
import { notice, replyTo, type SimulatedMachine } from "./shell.ts";

const yellow = (text: string) => `\u001b[33m${text}\u001b[0m`;
const clearScreen = "\u001b[H\u001b[2J";

export class SimulatedTerminal implements Terminal {
  readonly #machine: SimulatedMachine;
  readonly #prompt: string;
  readonly #editor = new LineEditor();
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  /** Shown before anybody listened. */
  #early: Uint8Array[] = [];
  #onData: ((data: Uint8Array) => void) | undefined;
  #onEnd: (() => void) | undefined;
  #ended = false;

  constructor(machine: SimulatedMachine) {
    this.#machine = machine;
    this.#prompt = `root@${machine.hostname}:~# `;
    this.#show(`${yellow(notice)}\r\n${this.#prompt}`);
  }

  onData(listener: (data: Uint8Array) => void): void {
    this.#onData = listener;
    for (const data of this.#early.splice(0)) listener(data);
  }

  onEnd(listener: () => void): void {
    if (this.#ended) listener();
    else this.#onEnd = listener;
  }

  write(data: Uint8Array): void {
    for (const character of this.#decoder.decode(data, { stream: true })) {
      if (this.#ended) return;
      this.#type(character);
    }
  }

  unread(): number {
    return 0;
  }

  /** What it shows has no width. */
  resize(_columns: number, _rows: number): void {}

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd?.();
  }

  #type(character: string): void {
    const { shown, line, key } = this.#editor.type(character);
    this.#show(shown);
    if (key === "end") this.#leave("exit\r\n");
    else if (key === "interrupt") this.#show(this.#prompt);
    else if (key === "clear") this.#show(`${clearScreen}${this.#prompt}${this.#editor.redrawn()}`);
    else if (line !== undefined) this.#answer(line);
  }

  #answer(line: string): void {
    const reply = replyTo(line, this.#machine);
    if (reply === "exit") this.#leave("");
    else if (reply === "clear") this.#show(`${clearScreen}${this.#prompt}`);
    else this.#show(`${reply.map((one) => `${one}\r\n`).join("")}${this.#prompt}`);
  }

  #leave(word: string): void {
    this.#show(word);
    this.close();
  }

  #show(text: string): void {
    if (text === "") return;
    const data = this.#encoder.encode(text);
    if (this.#onData === undefined) this.#early.push(data);
    else this.#onData(data);
  }
}
