// Translates errors of virsh to the contract's EngineError. Used by engine.ts, around every call.
//
// Invariant: a message is shown to customers, so it never contains libvirt's message, which names hosts, paths and
// other customers' devices. That is the cause, for the log.

import { EngineError, hostUnreachable } from "../engine.ts";
import { type Meaning, VirshError } from "./virsh/virsh-error.ts";

type Refusal = readonly [meaning: Meaning, kind: EngineError["kind"], code: string, message: string];

/** The first match counts. */
const table: readonly Refusal[] = [
  ["unreachable", "unavailable", hostUnreachable, "The host does not respond."],
  ["noPassthrough", "refused", "gpu-not-assignable", "The host cannot assign its GPUs to a machine."],
  ["noSuchDevice", "refused", "gpu-missing", "A GPU of the machine is no longer on the host."],
  ["deviceInUse", "refused", "gpu-in-use", "A GPU of the machine is in use by something else on the host."],
  ["noMemory", "refused", "host-memory", "The host does not have enough free memory for the machine."],
  ["noSpace", "refused", "host-storage", "The host's storage is full."],
  ["noAccelerator", "refused", "no-virtualisation", "The host cannot run virtual machines."],
  ["noSuchPool", "refused", "host-misconfigured", "The host's storage is not set up for machines."],
  ["noSuchNetwork", "refused", "host-misconfigured", "The host's network is not set up for machines."],
];

/** Throws EngineError for a VirshError, and all others as they are. */
export async function translated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof VirshError ? engineError(error) : error;
  }
}

function engineError(cause: VirshError): EngineError {
  const found = table.find(([meaning]) => cause.means(meaning));
  if (found === undefined)
    return new EngineError("unavailable", "engine-error", "The host failed to carry out the operation.", { cause });
  const [, kind, code, message] = found;
  return new EngineError(kind, code, message, { cause });
}
