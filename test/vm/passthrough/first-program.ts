// Adds a program to the light guest's initrd, which runs before all else in the guest. Used by witness.ts and
// secret/tenants.ts.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../support/lab/run.ts";

export interface FirstProgram {
  /** The light guest's initrd. */
  readonly light: string;
  /** Of the program in the guest, and of the file. */
  readonly name: string;
  /** A script; busybox is at /bin/busybox. */
  readonly code: string;
  /** For files. */
  readonly directory: string;
}

/** `initrd`: the new file, a volume of the pool. `commandLine`: what the kernel has to be told for it. */
export async function withFirstProgram({
  light,
  name,
  code,
  directory,
}: FirstProgram): Promise<{ readonly initrd: string; readonly commandLine: string }> {
  const root = join(directory, name);
  mkdirSync(root);
  writeFileSync(join(root, name), code);
  chmodSync(join(root, name), 0o755);
  const initrd = join(directory, `${name}-initrd`);
  // The kernel unpacks several archives, one after the other.
  const both = 'cp "$1" "$3" && cd "$2" && find . | cpio --quiet -o -H newc -R 0:0 >>"$3"';
  await run("sh", ["-c", both, "sh", light, root, initrd]);
  return { initrd, commandLine: `rdinit=/${name}` };
}
