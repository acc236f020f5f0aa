// Runs a program to its end, for the lab. A failure carries what the program complained of.

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export interface RunOptions {
  /** Added to our own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its standard input. Default: nothing. */
  readonly input?: string;
  /** After which it is killed and has failed. Default: 120. */
  readonly timeoutSeconds?: number;
}

export interface Ended {
  /** Null where a signal ended it, the time-out among them. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs it and tells how it ended. Throws only where it cannot be started. */
export async function attempt(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...options.env },
    timeout: (options.timeoutSeconds ?? 120) * 1000,
    killSignal: "SIGKILL",
  });
  // It may be gone before it has read everything; its end is what counts.
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** What it wrote to standard output. Throws where it did not end with 0. */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await attempt(program, args, options);
  if (code === 0) return stdout;
  const how = code === null ? "was killed" : `ended with ${code}`;
  throw new Error(`${[program, ...args].join(" ").slice(0, 300)} ${how}: ${(stderr || stdout).trim().slice(-2000)}`);
}
