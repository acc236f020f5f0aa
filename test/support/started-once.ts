// A data directory on which the program ran once, with the demo, and was stopped; and the tokens that it showed then. For
// tests of what comes after a first start: that takes seconds, and a copy of what it left takes a few tenths of one.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { startLessor } from "./lessor.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { afterTest, type WhenOver } from "./when-over.ts";

export interface StartedOnce {
  readonly directory: string;
  readonly customerToken: string;
  readonly operatorToken: string;
}

/** The first one of this process, which all others are copies of. */
let original: Promise<StartedOnce> | undefined;

/** A copy of its own, removed after the test that called this, unless told otherwise. */
export async function startedOnce(whenOver: WhenOver = afterTest): Promise<StartedOnce> {
  original ??= startOnce();
  const { directory: from, ...tokens } = await original;
  const directory = await temporaryDirectory(0o711, whenOver);
  // With its owners: the database's files belong to the user that PostgreSQL runs as.
  execFileSync("cp", ["--archive", "--reflink=auto", `${from}/.`, directory]);
  return { directory, ...tokens };
}

async function startOnce(): Promise<StartedOnce> {
  const directory = join(inject("postgres").directory, `started-once-${process.pid}`);
  mkdirSync(directory, { mode: 0o711 });
  // It is gone with the directory of all the tests, and stopped below.
  const lessor = await startLessor(directory, {}, () => {});
  const tokens = {
    customerToken: lessor.shown("Customer token") ?? "",
    operatorToken: lessor.shown("Operator token") ?? "",
  };
  await lessor.end("SIGTERM");
  // Zeros that the next start writes again.
  rmSync(join(directory, "disk-reserve"));
  return { directory, ...tokens };
}
