// Runs a program of test/support/programs as a process of its own, for tests that kill it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

export interface RunningProgram {
  process: ChildProcess;
  /** The first line it printed, when it is up or has failed. */
  said: string;
  /** kill -9; returns when the process is gone. */
  kill(): Promise<void>;
}

/** Fulfilled when the program printed a line. It is killed when the test is over. */
export async function runProgram(name: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<RunningProgram> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "programs", name), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const exited = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  const [said] = await once(createInterface({ input: child.stdout }), "line");
  return { process: child, said: String(said), kill };
}
