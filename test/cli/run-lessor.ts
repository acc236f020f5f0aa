// `lessor` as a program sees it: a process of its own without a terminal, its two outputs apart, and its exit code. For the
// tests of this folder, and of src/cli where only the whole program shows something.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

const main = resolve(import.meta.dirname, "../../src/main.ts");

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Given {
  /** Besides PATH; nothing of this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs it to its end. */
export async function runLessor(args: readonly string[], { env = {}, input = "" }: Given = {}): Promise<Ran> {
  const child = spawn(process.execPath, [main, ...args], { env: { PATH: process.env.PATH ?? "", ...env } });
  const closed = once(child, "close");
  child.stdin.on("error", () => {}); // Some commands end before they have read it.
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}
