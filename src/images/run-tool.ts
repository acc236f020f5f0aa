// Runs one of the tools that build an image. Used by build.ts.
//
// Invariant: when it returns or throws, the tool has ended, even if interrupted.

import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { delimiter } from "node:path";
import { createInterface } from "node:readline";
import { ImageError } from "./image-error.ts";

export interface ToolOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Called with every line that the tool prints. */
  readonly log: (line: string) => void;
  readonly signal: AbortSignal | undefined;
  /** A new file for its standard output, instead of `log`. */
  readonly output?: string;
}

export type Program = (name: string, args: readonly string[], options: ToolOptions) => Promise<void>;

/** Throws ImageError with the tool's error output if it fails; the signal's reason if it was interrupted. */
export const runTool: Program = async (name, args, { env, log, signal, output }) => {
  signal?.throwIfAborted();
  const file = output === undefined ? undefined : await open(output, "wx");
  const child = spawn(name, args, {
    stdio: ["ignore", file?.fd ?? "pipe", "pipe"],
    // Ended only by us: Ctrl-C on a terminal would reach the tool's children in an arbitrary order.
    detached: true,
    // Messages in English, because disk-full is recognized below.
    env: { ...process.env, PATH: searchPath(), LC_ALL: "C", ...env },
  });
  const last: string[] = [];
  const heard = (line: string) => {
    last.push(line);
    if (last.length > 20) last.shift();
    log(line);
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on("line", heard);
  }
  const interrupt = () => {
    if (child.pid !== undefined) endGroup(child.pid, name);
  };
  signal?.addEventListener("abort", interrupt);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    signal?.throwIfAborted();
    if (code !== 0) throw failure(name, last);
  } catch (error) {
    if (signal?.aborted || error instanceof ImageError) throw error;
    throw new ImageError(`${name} could not be started.`, undefined, { cause: error });
  } finally {
    signal?.removeEventListener("abort", interrupt);
    await file?.close();
  }
};

/** The search path. Debian leaves the disk tools out of the PATH of users, who may still run them. */
export function searchPath(): string {
  return [process.env.PATH, "/usr/sbin", "/sbin"].filter(Boolean).join(delimiter);
}

/** mmdebstrap alone cleans up on SIGTERM; `unshare` kills its children when it dies (--kill-child). */
function endGroup(pid: number, name: string): void {
  try {
    process.kill(-pid, name === "mmdebstrap" ? "SIGTERM" : "SIGKILL");
  } catch {
    // It has just ended.
  }
}

function failure(name: string, lines: readonly string[]): ImageError {
  const said = lines.join("\n");
  if (/No space left on device|not enough free space/i.test(said)) {
    return new ImageError(
      "The disk is full.",
      "Building requires 1 GB in the directory for temporary files (see TMPDIR) and 100 MB for the image; " +
        "for virtual machines 2 GB and 250 MB.",
    );
  }
  if (/Could not resolve|Temporary failure resolving|Unable to connect|Failed to fetch/i.test(said)) {
    return new ImageError("The package mirror is unreachable.", "Check the network and the proxy settings of apt.");
  }
  return new ImageError(`${name} failed:\n${said}`);
}
