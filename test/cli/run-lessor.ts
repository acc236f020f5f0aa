// `lessor` without a terminal, its two outputs apart, and its exit code: in this process, which takes milliseconds, or as a
// process of its own, for what only a whole program shows (signals, pipes, what Node itself does at the end). For the tests
// of this folder, and of src/cli.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { clientCommands } from "../../src/cli/command-table.ts";
import { runCommandLine } from "../../src/cli/run.ts";
import { shellOf } from "../../src/cli/shell.ts";
import { ownVersion } from "../../src/startup/version.ts";

const main = resolve(import.meta.dirname, "../../src/main.ts");

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Given {
  /** Besides PATH; nothing of this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

const environment = (env: Given["env"]) => ({ PATH: process.env.PATH ?? "", ...env });

/** Runs a command of those that are asked of the service. */
export async function runLessor(args: readonly string[], { env, input = "" }: Given = {}): Promise<Ran> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([text(out), text(err)]);
  const stdin = new PassThrough();
  stdin.end(input);
  const shell = shellOf(
    { env: environment(env), version: ownVersion(), commands: clientCommands },
    // What a pipe lacks of a terminal's stream is asked for of a terminal alone.
    { input: stdin as unknown as NodeJS.ReadStream, out, err },
  );
  const code = await runCommandLine(args, shell);
  out.end();
  err.end();
  const [shownOut, shownErr] = await written;
  return { code, out: shownOut, err: shownErr };
}

/** Runs any command as a process, to its end. */
export async function runProcess(args: readonly string[], { env, input = "" }: Given = {}): Promise<Ran> {
  const child = spawn(process.execPath, [main, ...args], { env: environment(env) });
  const closed = once(child, "close");
  child.stdin.on("error", () => {}); // Some commands end before they have read it.
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, out, err };
}
