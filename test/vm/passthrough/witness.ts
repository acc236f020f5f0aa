// The guest's initrd with the witness in it (witness.sh), which runs before all else there. Used by run.ts.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withFirstProgram } from "./first-program.ts";

export interface Witness {
  /** The file, a volume of the pool. */
  readonly initrd: string;
  /** What the kernel's command line has to say for it. */
  readonly commandLine: string;
  /** What it writes wherever it writes, as devmem shows it. */
  readonly mark: string;
  /** The address at which the guest has no memory, and the host has. */
  readonly foreign: number;
}

/** Memory of the guest that its kernel leaves alone. */
const ours = 0x800_0000;
const foreign = 0x6000_0000;

/** `light`: the initrd to which the witness is added. `directory`: for files. */
export async function makeWitness(light: string, mark: string, directory: string): Promise<Witness> {
  const numbers: Readonly<Record<string, string>> = { MARK: mark, OURS: `${ours}`, FOREIGN: `${foreign}` };
  const code = readFileSync(join(import.meta.dirname, "witness.sh"), "utf8");
  const named = code.replace(/\b(MARK|OURS|FOREIGN)\b/g, (name) => numbers[name] ?? name);
  const { initrd, commandLine } = await withFirstProgram({ light, name: "witness", code: named, directory });
  return { initrd, mark, foreign, commandLine: `${commandLine} memmap=64K$0x${ours.toString(16)}` };
}
