// The words of a command of virsh, taken apart. A command, an option or a file that the fake does not know is a bug of
// the test or of the fake, and never looks like an answer of libvirt.

import { fromInput, toOutput } from "../../../src/engines/libvirt/virsh/virsh.ts";

const takesValue = new Set(["--pool", "--mode", "--offset", "--length", "--devname"]);

export class Words {
  readonly command: string;
  readonly #positional: readonly string[];
  readonly #options: ReadonlyMap<string, string>;

  constructor([command = "", ...rest]: readonly string[]) {
    const positional: string[] = [];
    const options = new Map<string, string>();
    for (let index = 0; index < rest.length; index++) {
      const word = rest[index] ?? "";
      if (!word.startsWith("--")) positional.push(word);
      else if (takesValue.has(word)) options.set(word, rest[++index] ?? "");
      else options.set(word, "");
    }
    this.command = command;
    this.#positional = positional;
    this.#options = options;
  }

  /** The word at that place that is no option. */
  at(index: number): string {
    const word = this.#positional[index];
    if (word === undefined) throw new Error(`BUG: virsh ${this.command} wants another argument`);
    return word;
  }

  has(option: string): boolean {
    return this.#options.has(option);
  }

  option(name: string): string | undefined {
    return this.#options.get(name);
  }

  number(name: string): number | undefined {
    const value = this.#options.get(name);
    return value === undefined ? undefined : Number(value);
  }

  /** Throws for what is not in this list, and for another number of arguments. */
  only(count: number, ...options: readonly string[]): void {
    const unknown = [...this.#options.keys()].filter((name) => !options.includes(name));
    if (this.#positional.length === count && unknown.length === 0) return;
    throw new Error(`BUG: the fake does not know this form of virsh ${this.command}: ${unknown.join(" ")}`);
  }

  readsInput(index: number): void {
    if (this.at(index) !== fromInput) throw new Error(`BUG: virsh ${this.command} reads a file of this machine`);
  }

  writesOutput(index: number): void {
    if (this.at(index) !== toOutput) throw new Error(`BUG: virsh ${this.command} writes a file of this machine`);
  }
}
