// Background changes of the API: sends one and waits until it has ended. Used by every file of this engine that changes
// something.

import { setTimeout as pause } from "node:timers/promises";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { ApiError, NoAnswer } from "./api-error.ts";
import type { Call, Client } from "./client.ts";

const Operation = Compile(
  Type.Object({
    status_code: Type.Integer(),
    err: Type.Optional(Type.String()),
    metadata: Type.Optional(Type.Unknown()),
  }),
);

const ended = { success: 200, failure: 400, cancelled: 401 } as const;

/** The length of one request; another one continues the wait. */
const WAIT_SECONDS = 30;
/** A member that forwards the wait to another can respond at once that the operation still runs. */
const PAUSE_MS = 50;

/** Sends the change and waits for its end. Throws ApiError if it failed, NoAnswer if the result is unknown. */
export async function change(client: Client, path: string, call: Call, signal: AbortSignal): Promise<void> {
  const { operation } = await client.call(path, call, signal);
  // Some changes are complete with the response.
  if (operation !== "") await waitFor(client, operation, signal);
}

/** An instance shows as stopped some hundred milliseconds before the stop has ended. */
const PATIENCE_MS = 15_000;
const PATIENT_PAUSE_MS = 100;

/** As `change`, but first waits for an ending stop or start of the same instance. Throws as `change`. */
export async function changeWhenFree(client: Client, path: string, call: Call, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await change(client, path, call, signal);
    } catch (error) {
      const isEnding =
        error instanceof ApiError && /busy running an? "?(stop|start|restart|update)"? operation/i.test(error.message);
      if (!isEnding || performance.now() > deadline) throw error;
    }
    await pause(PATIENT_PAUSE_MS, undefined, { signal });
  }
}

/** Whether a change was not started because the instance has another in progress. */
export function isRefusedAsBusy(error: unknown): boolean {
  return error instanceof ApiError && /busy running an? "?\w+"? operation/i.test(error.message);
}

/** Waits for the end of an operation. Throws as `change`. */
export async function waitFor(client: Client, operation: string, signal: AbortSignal): Promise<void> {
  while ((await waitOnce(client, operation, WAIT_SECONDS, signal)) === "running") {
    await pause(PAUSE_MS, undefined, { signal });
  }
}

/** Waits for the end of an operation, but no longer than this. Throws as `change`. */
export async function waitSome(
  client: Client,
  operation: string,
  mostMs: number,
  signal: AbortSignal,
): Promise<"ended" | "running"> {
  const deadline = performance.now() + mostMs;
  for (;;) {
    const left = Math.max(deadline - performance.now(), 0);
    // The cluster waits for whole seconds.
    const state = await waitOnce(client, operation, Math.ceil(left / 1000), signal);
    if (state === "ended" || performance.now() >= deadline) return state;
    await pause(PAUSE_MS, undefined, { signal });
  }
}

async function waitOnce(
  client: Client,
  operation: string,
  seconds: number,
  signal: AbortSignal,
): Promise<"ended" | "running"> {
  const path = operation.replace(/\?.*/, "");
  const state = await client
    .read(`${path}/wait`, Operation, signal, { timeout: `${seconds}` })
    .catch((error: unknown) => {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      throw new NoAnswer("The cluster discarded the operation before it reported the result.");
    });
  if (state.status_code === ended.success) return "ended";
  if (state.status_code === ended.failure || state.status_code === ended.cancelled) {
    throw new ApiError(state.status_code, state.err || "The operation was cancelled.");
  }
  return "running";
}

const Running = Compile(
  Type.Record(
    Type.String(),
    Type.Array(
      Type.Object({
        id: Type.String(),
        description: Type.Optional(Type.String()),
        resources: Type.Optional(
          Type.Union([Type.Null(), Type.Record(Type.String(), Type.Union([Type.Null(), Type.Array(Type.String())]))]),
        ),
      }),
    ),
  ),
);

/**
 * Commands and consoles that are open in an instance, as LXD and Incus describe them: the cluster rejects no change of
 * the instance because of them.
 */
const sessions = /^(executing command|showing console)$/i;

/** The path of a change of the instance that is in progress, anywhere in the cluster; undefined: none is. */
export async function operationOn(client: Client, instance: string, signal: AbortSignal): Promise<string | undefined> {
  const byStatus = await client.read("/1.0/operations", Running, signal, { recursion: "1" });
  const path = `/1.0/instances/${instance}`;
  const found = (byStatus.running ?? []).find(
    ({ description = "", resources }) =>
      !sessions.test(description) &&
      Object.values(resources ?? {}).some((named) => named?.some((one) => one.replace(/\?.*/, "") === path)),
  );
  return found === undefined ? undefined : `/1.0/operations/${found.id}`;
}

/** Whether a change of the instance is in progress, anywhere in the cluster. */
export async function isBusy(client: Client, instance: string, signal: AbortSignal): Promise<boolean> {
  return (await operationOn(client, instance, signal)) !== undefined;
}
