// Starts the real program as a process of its own: `lessor serve` on free ports and a given data directory. Used by
// lessor.ts, for tests, and by the programs under test/vm/passthrough, which run without a test runner.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { WhenOver } from "./when-over.ts";

export interface Lessor {
  readonly process: ChildProcess;
  /** Everything printed so far, on both outputs. */
  output(): string;
  /** The text behind a title of the banner, such as "Marketplace (variant M)" or "Customer token"; undefined if absent. */
  shown(title: string): string | undefined;
  /** Sends the signal and waits for the exit; gives the exit code (null: by signal). */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const main = resolve(import.meta.dirname, "../../src/main.ts");

/** Starts the program and returns at once. `entry`: the path of a file that starts it, instead of the program's own. */
export function spawnUntil(
  whenOver: WhenOver,
  dataDirectory: string,
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  entry = main,
): Lessor {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("LESSOR_") && name !== "DATABASE_URL"),
  );
  const child = spawn(process.execPath, [entry, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...inherited, LESSOR_PORT: "0", LESSOR_REFERENCE_PORT: "0", LESSOR_DATA_DIR: dataDirectory, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const exited = once(child, "exit");
  // Asked, not killed: a database that is still writing would meet the removal of its directory.
  whenOver(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  return {
    process: child,
    output: () => output,
    shown: (title) =>
      output
        .split("\n")
        .find((line) => line.trim().startsWith(title))
        ?.trim()
        .slice(title.length)
        .trim(),
    end: async (signal) => {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

/** Starts the program and waits until it is ready. Throws with its output when it ends instead. */
export async function startUntil(whenOver: WhenOver, dataDirectory: string, env: NodeJS.ProcessEnv): Promise<Lessor> {
  const lessor = spawnUntil(whenOver, dataDirectory, env, ["serve"]);
  const ready = new Promise<void>((resolve) => {
    lessor.process.stdout?.on("data", () => {
      if (lessor.output().includes("Ctrl-C stops everything.")) resolve();
    });
  });
  const ended = once(lessor.process, "exit").then(() => {
    throw new Error(`lessor ended while starting:\n${lessor.output()}`);
  });
  await Promise.race([ready, ended]);
  ended.catch(() => {}); // An end that comes after its waiters are gone is no unhandled rejection.
  return lessor;
}
