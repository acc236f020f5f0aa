// The guardian of a lab: a process that outlives the one that started it, whatever ends that (kill -9, Ctrl-C), and then
// removes the lab. It knows by the end of its standard input, which the other holds open. Each lab has a small program
// that calls `guard` with the slot's number.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanLab } from "./clean.ts";
import type { Grounds } from "./grounds.ts";
import { release, takeOver } from "./slot.ts";

/** Starts the program as the guardian of a slot that is ours. It ends when its standard input does. */
export function startGuardian(program: string, { slot }: Grounds): ChildProcess {
  const guardian = spawn(process.execPath, [program, `${slot}`], {
    // A session of its own: Ctrl-C is not for it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guardian.stdin?.on("error", () => {});
  guardian.unref();
  return guardian;
}

/** What that program does. */
export async function guard(lab: Grounds): Promise<void> {
  process.stdin.resume();
  await once(process.stdin, "end");
  // In vain where the lab was stopped in order. The owner may take a moment to be gone.
  for (let attempts = 0; attempts < 100; attempts++) {
    if (takeOver(lab)) {
      await cleanLab(lab);
      release(lab);
      break;
    }
    await sleep(50);
  }
}
