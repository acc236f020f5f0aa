// Writes a small file into a guest, by the channel that its machine has for that (guest/files.ts). Used by engine.ts.
//
// A connection to the host's libvirt for each: notices of evictions are few, and a guest that does not read, or floods, is in
// the way of nothing else.

import { randomBytes } from "node:crypto";
import { EngineError, type GuestFile, guestSilent } from "../engine.ts";
import { doneLine, fileLine, filesPort } from "../guest/files.ts";
import type { HostConnection } from "./host-connection.ts";
import { domainName } from "./labels.ts";
import { VirshError } from "./virsh/virsh-error.ts";

/** A guest that sends more than a late response or two is not heard further. */
const MOST_BYTES = 1024;

/**
 * Resolves when the guest has written it. Throws VirshError, EngineError where the guest cannot take it, and the reason of
 * `signal`, also if the guest does not respond.
 */
export async function writeGuestFile(
  { virsh }: Pick<HostConnection, "virsh">,
  machineId: string,
  file: GuestFile,
  signal: AbortSignal,
): Promise<void> {
  if (virsh.channels === undefined) throw notTaken("Only virsh can connect to the host, which has no way into guests.");
  const token = randomBytes(8).toString("hex");
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  // It may fail while the channel is being opened, which then fails as well.
  over.catch(() => {});
  const abort = () => reject(signal.reason);
  let heard = "";
  const listener = {
    onData: (bytes: Uint8Array) => {
      heard += Buffer.from(bytes).toString("latin1");
      if (heard.includes(doneLine(token))) resolve();
      else if (heard.length > MOST_BYTES) reject(notTaken("The guest responds with what is no response."));
    },
    onEnd: () => reject(notTaken("The guest ended the channel for files.")),
  };
  const connection = await virsh.channels(signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error instanceof VirshError ? error : notTaken("The host has no way into guests.");
  });
  signal.addEventListener("abort", abort, { once: true });
  try {
    const domain = { name: domainName(machineId), uuid: machineId };
    const channel = await connection.open(domain, filesPort, listener, signal).catch((error: unknown) => {
      throw error instanceof VirshError ? notTaken("The machine does not run, or has no channel for files.") : error;
    });
    channel.write(Buffer.from(fileLine(file, token)));
    await over;
    channel.end();
  } finally {
    signal.removeEventListener("abort", abort);
    connection.close();
  }
}

function notTaken(why: string): EngineError {
  return new EngineError("unavailable", guestSilent, why);
}
