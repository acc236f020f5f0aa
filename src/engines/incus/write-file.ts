// Writes a small file into a guest, by a command there (guest-output.ts says why). Used by engine.ts.
//
// Invariant: the text is an argument of the command and no part of it, and a reader in the guest sees a whole file.

import { EngineError, type GuestFile, guestSilent } from "../engine.ts";
import type { Cluster } from "./cluster.ts";
import { outputOf } from "./guest-output.ts";

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
const writes = 'mkdir -p "${1%/*}" && printf %s "$2" > "$1.new" && chmod 644 "$1.new" && mv "$1.new" "$1" && echo done';
const removes = 'rm -f "$1" && echo done';

/** Throws as Client.call, and EngineError. */
export async function writeGuestFile(
  cluster: Cluster,
  machineId: string,
  { path, text }: GuestFile,
  signal: AbortSignal,
): Promise<void> {
  const command = ["/bin/sh", "-c", text === null ? removes : writes, "sh", path, ...(text === null ? [] : [text])];
  const output = await outputOf(cluster, machineId, { command, mostBytes: 64 }, signal);
  if (output?.toString("latin1").trim() === "done") return;
  throw new EngineError("unavailable", guestSilent, "The guest did not write the file.");
}
