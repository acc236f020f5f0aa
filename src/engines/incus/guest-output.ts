// What a short command in a guest prints. Used instead of the cluster's files API, by guest-files.ts, write-file.ts and
// first-boot.ts: a guest that puts a pipe in the place of a file lets a read of it hang in a process of the member, and then
// LXD 5.0 cannot stop the instance any more. A command hangs in the guest, and is killed from outside.
//
// Invariant: everything a guest prints is untrusted. The output has a limit, and so has the time: a command that goes
// beyond either is killed.

import type { Cluster } from "./cluster.ts";
import { type CommandSession, openCommand } from "./terminal.ts";

/** A guest can let any command take forever. */
const MOST_MS = 5000;

export interface GuestCommand {
  readonly command: readonly string[];
  readonly mostBytes: number;
  /** Default: 5000. */
  readonly mostMs?: number;
}

/**
 * Its output, with the line ends of a terminal; undefined: it is longer than `mostBytes`, or did not end in time. It is
 * incomplete if the guest halts meanwhile. Throws as Client.call, EngineError, and the reason of the signal.
 */
export async function outputOf(
  cluster: Cluster,
  machineId: string,
  { command, mostBytes, mostMs = MOST_MS }: GuestCommand,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const late = AbortSignal.timeout(mostMs);
  const either = AbortSignal.any([signal, late]);
  const { promise: over, resolve: end, reject } = Promise.withResolvers<void>();
  const abort = () => reject(either.reason);
  let session: CommandSession | undefined;
  try {
    session = await openCommand(cluster, machineId, command, either);
    either.addEventListener("abort", abort, { once: true });
    const parts: Uint8Array[] = [];
    let length = 0;
    session.onEnd(end);
    session.onData((bytes) => {
      length += bytes.length;
      if (length > mostBytes) end();
      else parts.push(bytes);
    });
    await over;
    return length > mostBytes ? undefined : Buffer.concat(parts);
  } catch (error) {
    if (late.aborted && !signal.aborted) return undefined;
    throw error;
  } finally {
    either.removeEventListener("abort", abort);
    session?.kill();
  }
}
