// Calls the GPU helper of a host by the operator's command (lessor.yaml `gpus.helpers`), such as over SSH: one process
// for each call, with the request on its standard input and the response on its standard output.
//
// Invariant: calls for one host run one after the other, and no host waits for another. Only a complete response of
// this contract version counts: everything else is an error of kind `unavailable`. What the host says reaches messages
// as one line of limited length; the command's arguments never do.
//
// Used by composition.ts and operator/engine-check.ts.

import { forHost, runCommand } from "../commands/run-command.ts";
import { commandOf, type HostCommand } from "../config/host-commands.ts";
import { type GpuHelper, type GpuHelperOf, HelperError } from "./helper.ts";
import { oneLine } from "./one-line.ts";
import { healthOf, listOf, type Printed, resultOf, verdictsOf } from "./response.ts";
import { Turns } from "./turns.ts";
import { contractVersion, HealthResult, type HelperRequest, ListResult, NoResult, ResetResult } from "./wire.ts";

/** In bytes. */
const mostOutput = 1024 * 1024;
const mostErrors = 4096;
/** How long a response is still read if the command left something behind that keeps its output open. */
const lingerMs = 1000;

/** Without `version`, for each kind of request. */
type Order = HelperRequest extends infer Each ? (Each extends unknown ? Omit<Each, "version"> : never) : never;

export function createGpuHelper(settings: readonly HostCommand[]): GpuHelperOf {
  const turns = new Turns();
  const helpers = new Map(settings.map((one) => [one, helperBy(one, turns)]));
  return (host) => {
    const ofHost = commandOf(settings, host);
    return ofHost && helpers.get(ofHost);
  };
}

function helperBy(command: HostCommand, turns: Turns): GpuHelper {
  const call = async (host: string, order: Order, signal: AbortSignal): Promise<Printed> => {
    const release = await turns.take(host, signal).catch((cause: unknown) => {
      throw new HelperError("aborted", "The call was ended before it began.", { cause });
    });
    try {
      return await ask(command, host, order, signal);
    } finally {
      release();
    }
  };
  return {
    list: async (host, signal) => listOf(resultOf(await call(host, { action: "list" }, signal), ListResult)),
    reset: async (host, addresses, signal) => {
      if (addresses.length === 0) return [];
      const response = await call(host, { action: "reset", addresses }, signal);
      return verdictsOf(resultOf(response, ResetResult), addresses);
    },
    activate: async (host, partition, signal) => {
      resultOf(await call(host, { action: "activate", partition }, signal), NoResult);
    },
    deactivate: async (host, partition, signal) => {
      resultOf(await call(host, { action: "deactivate", partition }, signal), NoResult);
    },
    health: async (host, signal) => healthOf(resultOf(await call(host, { action: "health" }, signal), HealthResult)),
  };
}

/** Returns what the command printed, which can be a response as it ended with 0 or 1. Throws HelperError. */
async function ask(settings: HostCommand, host: string, order: Order, signal: AbortSignal): Promise<Printed> {
  const { command, timeoutSeconds } = settings;
  const end = await runCommand({
    words: forHost(command, host),
    timeoutSeconds,
    input: `${JSON.stringify({ version: contractVersion, ...order })}\n`,
    output: { most: mostOutput, beyond: "end it" },
    ...{ errorTail: mostErrors, lingerMs, signal },
  });
  const errors = oneLine(end.errors);
  const said = errors === "" ? "." : `: ${errors}`;
  switch (end.how) {
    case "not started":
      throw new HelperError("not-started", `The command ${command[0]} could not be started.`);
    case "late":
      throw new HelperError("deadline", `The command did not end within ${timeoutSeconds} seconds${said}`);
    case "aborted":
      throw new HelperError("aborted", "The call was ended before its response.", { cause: signal.reason });
    case "too much output":
      throw new HelperError("bad-response", "The response is larger than 1 MiB.");
    case "ended":
      break;
  }
  // 1 is what the helper ends with after an error, but also what a shell or a missing configuration ends with.
  if (end.code === 0 || (end.code === 1 && end.output.trimStart().startsWith("{")))
    return { text: end.output, exitCode: end.code };
  const how = end.code === null ? `by ${end.signal}` : `with exit code ${end.code}`;
  throw new HelperError("command-failed", `The command ended ${how}${said}`);
}
