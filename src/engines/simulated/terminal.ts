// A stand-in for a session in a simulated machine, so that a web terminal can be tried without a real one: it says what
// it is, shows what is typed, and runs nothing. `exit` and Ctrl-D end it.

import type { Terminal } from "../engine.ts";

const endOfText = "\u0003";
const endOfTransmission = "\u0004";
const escapeKey = "\u001b";
const rubouts = ["\u007f", "\b"];

export class SimulatedTerminal implements Terminal {
  readonly #prompt: string;
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  #line = "";
  /** Shown before anybody listened. */
  #early: Uint8Array[] = [];
  #onData: ((data: Uint8Array) => void) | undefined;
  #onEnd: (() => void) | undefined;
  #ended = false;

  constructor(hostname: string) {
    this.#prompt = `root@${hostname}:~# `;
    this.#show(`This is a simulated machine: what you type is shown, and nothing runs.\r\n${this.#prompt}`);
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

  /** What it shows has no width. */
  resize(_columns: number, _rows: number): void {}

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd?.();
  }

  #type(character: string): void {
    if (character === "\r" || character === "\n") this.#enter();
    else if (character === endOfText) this.#newLine("^C");
    else if (character === endOfTransmission) {
      if (this.#line === "") this.#bye("exit");
    } else if (rubouts.includes(character)) this.#rubOut();
    else if (character >= " " || character === "\t") {
      this.#line += character;
      this.#show(character);
    } else this.#show(character === escapeKey ? "^[" : "");
  }

  #enter(): void {
    if (this.#line.trim() === "exit") this.#bye("");
    else this.#newLine("");
  }

  #newLine(before: string): void {
    this.#line = "";
    this.#show(`${before}\r\n${this.#prompt}`);
  }

  #bye(word: string): void {
    this.#show(`${word}\r\n`);
    this.close();
  }

  #rubOut(): void {
    if (this.#line === "") return;
    this.#line = Array.from(this.#line).slice(0, -1).join("");
    this.#show("\b \b");
  }

  #show(text: string): void {
    if (text === "") return;
    const data = this.#encoder.encode(text);
    if (this.#onData === undefined) this.#early.push(data);
    else this.#onData(data);
  }
}
