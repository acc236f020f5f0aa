// A long-running process that prints lines. Used by virsh.ts. Invariants: `onEnd` comes once, after the last line, and
// neither comes after the caller has ended it. The process does not outlive this one.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { endingWithUs, environment, kill } from "./process.ts";
import type { Follower } from "./virsh.ts";
import { VirshError } from "./virsh-error.ts";

/** Starts it; returns a function that ends it. */
export function follow(program: string, args: readonly string[], follower: Follower): () => void {
  let isOver = false;
  const over = (why: string) => {
    if (isOver) return;
    isOver = true;
    follower.onEnd(why);
  };
  const [first = program, ...rest] = endingWithUs([program, ...args]);
  const child: ChildProcess = spawn(first, rest, {
    // An open, silent standard input: virsh might exit when it closes.
    stdio: ["pipe", "pipe", "pipe"],
    env: environment(),
    detached: true,
  });
  child.on("error", (error) => over(VirshError.notStarted(error).message));
  child.stdin?.on("error", () => {});
  let complaint = "";
  child.stderr?.on("data", (bytes: Buffer) => {
    complaint = `${complaint}${bytes.toString("utf8")}`.slice(-4096);
  });
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (!isOver) follower.onLine(line);
    });
  }
  child.on("close", (code) => over(complaint.trim() || `it ended with ${code}`));
  return () => {
    if (isOver) return;
    isOver = true;
    kill(child);
  };
}
