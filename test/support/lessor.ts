// The real program as a process of its own: `lessor serve` on free ports and a data directory of the test's. For what
// only a whole process can show: starting, stopping, being killed.

import { once } from "node:events";
import { type Lessor, spawnUntil, startUntil } from "./lessor-process.ts";
import { afterTest, type WhenOver } from "./when-over.ts";

export type { Lessor } from "./lessor-process.ts";

/** Starts the program and returns at once. It is ended when the test is over. */
export function spawnLessor(dataDirectory: string, env: NodeJS.ProcessEnv = {}, ...args: string[]): Lessor {
  return spawnUntil(afterTest, dataDirectory, env, args.length > 0 ? args : ["serve"]);
}

/** Likewise, but by another door than the program's own: `entry` is the path of a file that starts it. */
export function spawnEntry(entry: string, dataDirectory: string, env: NodeJS.ProcessEnv = {}): Lessor {
  return spawnUntil(afterTest, dataDirectory, env, [], entry);
}

/** Starts the program and waits until it is ready. Throws with its output when it ends instead. */
export function startLessor(
  dataDirectory: string,
  env: NodeJS.ProcessEnv = {},
  whenOver: WhenOver = afterTest,
): Promise<Lessor> {
  return startUntil(whenOver, dataDirectory, env);
}

/** Starts the program, expects it to refuse, and gives its exit code and what it said. */
export async function refusedStart(
  dataDirectory: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; said: string }> {
  const lessor = spawnLessor(dataDirectory, env);
  const [code] = await once(lessor.process, "exit");
  return { code, said: lessor.output() };
}
