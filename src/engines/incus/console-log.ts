// Reads a machine's console output. Used by engine.ts.

import { EngineError, noSuchMachine } from "../engine.ts";
import { ApiError } from "./client/api-error.ts";
import type { Cluster } from "./cluster.ts";
import { instancePath, readInstance } from "./instances.ts";

/** Throws as Client.call, EngineError. */
export async function readConsoleLog(cluster: Cluster, machineId: string, signal: AbortSignal): Promise<string> {
  if ((await readInstance(cluster, machineId, signal)) === undefined) {
    throw new EngineError("unavailable", noSuchMachine, `Machine ${machineId} does not exist.`);
  }
  try {
    return await cluster.client.readText(`${instancePath(machineId)}/console`, signal);
  } catch (error) {
    // A machine that was never started has no log, and LXD 5.0 keeps none for virtual machines.
    const nothing = /no such file|not found|not container type/i;
    if (error instanceof ApiError && nothing.test(error.message)) return "";
    throw error;
  }
}
