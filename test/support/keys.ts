// SSH key pairs of customers, as ssh-keygen makes them.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

export interface TestKey {
  /** The private key's file, as `ssh -i` takes it. */
  readonly file: string;
  readonly publicKey: string;
}

/** A new ed25519 pair in `directory`. */
export async function makeKey(directory: string, name: string): Promise<TestKey> {
  const file = join(directory, `${name}.key`);
  await promisify(execFile)("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file]);
  return { file, publicKey: (await readFile(`${file}.pub`, "utf8")).trim() };
}
