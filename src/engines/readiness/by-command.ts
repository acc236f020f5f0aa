// The SSH probe by a command, started for each check. Used by probe.ts.
//
// Invariant: at the end the command and its process group are gone. It leads a group (and session) of its own, so that
// `ssh` behind `ip netns exec`, or a shell's children, end with it; by SIGKILL, because nothing waits for a graceful
// end.

import { type ChildProcess, spawn } from "node:child_process";
import { ask, type Limits } from "./asking.ts";
import type { ProbeAnswer, ProbeTarget } from "./probe.ts";

export function askByCommand(command: readonly string[], target: ProbeTarget, limits: Limits): Promise<ProbeAnswer> {
  const [program, ...args] = command.map((word) => filledIn(word, target));
  if (program === undefined) return Promise.resolve({ answers: false, why: "the probe command is empty" });
  return ask(limits, (hearer) => {
    const cannotStart = (error: unknown) =>
      hearer.failed(`the probe command could not be started: ${error instanceof Error ? error.message : error}`);
    let child: ChildProcess;
    try {
      child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], detached: true });
    } catch (error) {
      // Node throws for invalid arguments, such as a NUL byte.
      cannotStart(error);
      return () => {};
    }
    let complaint = "";
    child.on("error", cannotStart);
    // The command can end before it reads; its exit is handled below.
    child.stdin?.on("error", () => {});
    child.stdout?.on("error", () => {});
    child.stderr?.on("error", () => {});
    child.stdout?.on("data", hearer.data);
    child.stderr?.on("data", (bytes: Buffer) => {
      complaint = `${complaint}${bytes.toString("utf8")}`.slice(-4096);
    });
    // Not "exit": the last output comes after that. But a command that leaves a child behind never closes.
    child.on("close", (code, signal) => hearer.failed(ending(code, signal, complaint)));
    return () => end(child);
  });
}

/** Replaces {ip}, {host} and {port}; other braces stay. */
function filledIn(word: string, { ip, host, port }: ProbeTarget): string {
  const values: Readonly<Record<string, string>> = { ip, host, port: `${port}` };
  return word.replace(/\{(ip|host|port)\}/g, (all, name: string) => values[name] ?? all);
}

function ending(code: number | null, signal: string | null, complaint: string): string {
  const lastLine =
    complaint
      .trimEnd()
      .split(/[\r\n]/)
      .at(-1) ?? "";
  // Control characters must not reach an operator's terminal.
  const reason = lastLine.replace(/\p{Cc}/gu, "").slice(0, 200);
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  return `the probe command ended ${how} before a greeting${reason === "" ? "" : `: ${reason}`}`;
}

function end(child: ChildProcess): void {
  if (child.pid !== undefined) {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The whole group is gone already.
    }
  }
  // Children in another group can still hold the other ends.
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
}
