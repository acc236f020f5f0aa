// Turns a host off by the operator's own command (IPMI, a switch port), and judges by it whether the host is off.
//
// Invariant: only a command that ended by itself, in time, with exit code 0 and with the output that its settings ask
// for, says that a host is off: everything else is no verdict. At the end the command and its process group are gone.
// Its arguments and output can hold secrets, so neither is in a verdict or a log.
//
// Used by the control interface (http/control/hosts/fence.ts).

import { forHost, runCommand } from "../commands/run-command.ts";
import type { FenceSettings } from "../config/fencing.ts";
import { commandOf } from "../config/host-commands.ts";

/** Whether the host is off, or why that is not known. */
export type Verdict =
  | { readonly isOff: true /** When the command began. */; readonly at: Date }
  | { readonly isOff: false /** A sentence for operators. */; readonly why: string };

export interface Fencing {
  /** Runs the command of this host. Undefined: none is set. While one runs for a host, it answers further calls too. */
  fence(host: string): Promise<Verdict> | undefined;
}

/** How much of a command's output is searched, in bytes. */
const mostOutput = 64 * 1024;

export function createFencing(settings: readonly FenceSettings[]): Fencing {
  const running = new Map<string, Promise<Verdict>>();
  return {
    fence(host) {
      const ofHost = commandOf(settings, host);
      if (ofHost === undefined) return undefined;
      const known = running.get(host);
      if (known !== undefined) return known;
      const verdict = run(ofHost, host).finally(() => running.delete(host));
      running.set(host, verdict);
      return verdict;
    },
  };
}

/** Never throws. */
async function run({ command, timeoutSeconds, offOutput }: FenceSettings, host: string): Promise<Verdict> {
  const at = new Date();
  const end = await runCommand({
    words: forHost(command, host),
    timeoutSeconds,
    output: { most: mostOutput, beyond: "keep the end" },
  });
  const noVerdict = (why: string): Verdict => ({ isOff: false, why });
  if (end.how === "not started") return noVerdict(`The command ${command[0]} could not be started.`);
  if (end.how === "late") return noVerdict(`The command did not end within ${timeoutSeconds} seconds.`);
  if (end.how !== "ended") throw new Error(`BUG: a command without limits was ended: ${end.how}`);
  if (end.code !== 0)
    return noVerdict(`The command ended ${end.code === null ? `by ${end.signal}` : `with exit code ${end.code}`}.`);
  if (offOutput !== undefined && !end.output.includes(offOutput))
    return noVerdict("The command ended with exit code 0, but did not print what `off_output` asks for.");
  return { isOff: true, at };
}
