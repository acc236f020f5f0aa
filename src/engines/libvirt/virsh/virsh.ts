// How this engine speaks with a host: one process of libvirt's own client, virsh, for each call. It brings every
// transport (the local socket, SSH, TLS) and costs ten milliseconds; the bindings for Node lack events, networks and
// devices, or do not build.
//
// Invariants. Arguments are an array, no shell reads them. What may be secret or long goes in as a file in memory, where
// no list of processes shows it, and no disk keeps it. A call ends when its signal aborts: the process is killed with what it started (ssh).

import { type StdioOptions, spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import { type ConsoleOrder, openConsole } from "./console.ts";
import { follow } from "./follow.ts";
import { contentOf, memoryFile } from "./memory-file.ts";
import { environment, kill } from "./process.ts";
import { VirshError } from "./virsh-error.ts";

export interface CallOptions {
  readonly signal: AbortSignal;
  /** For commands that read a file: name it `fromInput`. */
  readonly input?: string | Uint8Array;
}

/** What is told of a process that goes on. */
export interface Follower {
  onLine(line: string): void;
  /** Once, also where it could not be started. Not after `end`. */
  onEnd(why: string): void;
}

/** An open serial console of a machine. */
export interface Console {
  onData(listener: (data: Uint8Array) => void): void;
  onEnd(listener: () => void): void;
  write(data: Uint8Array): void;
  /** How many bytes were written that have not gone out yet. */
  unread(): number;
  /** With false `onData` is called no more until true. */
  flow(on: boolean): void;
  close(): void;
}

/** One host's libvirt. Another one in tests. */
export interface Virsh {
  /** Runs a command to its end and gives what it printed. Throws VirshError, and the signal's reason. */
  call(args: readonly string[], options: CallOptions): Promise<string>;
  /** What a command wrote to the file `toOutput`. Throws likewise. */
  bytes(args: readonly string[], options: CallOptions): Promise<Buffer>;
  /** Runs several commands in one process. Throws where the last fails; of others that fail only the output is missing. */
  all(commands: readonly (readonly string[])[], options: CallOptions): Promise<string>;
  /** Runs commands that go on; returns how to end them. */
  follow(commands: readonly (readonly string[])[], follower: Follower): () => void;
  /** Throws VirshError where it cannot be opened. */
  console(order: ConsoleOrder, signal: AbortSignal): Promise<Console>;
}

/** What a command that wants the name of a file is given to read what `input` holds. */
export const fromInput = "/dev/stdin";

/** What a command that wants the name of a file is given to write it to us instead. */
export const toOutput = "/dev/stdout";

/** The host's libvirt at that URI. Connects to nothing yet. */
export function openVirsh(uri: string): Virsh {
  const base = ["--quiet", "--connect", uri];
  return {
    call: async (args, options) => (await run([...base, ...args], options)).toString("utf8"),
    bytes: (args, options) => runForBytes([...base, ...args], options),
    all: async (commands, options) => (await run([...base, script(commands)], options)).toString("utf8"),
    // Without an answer for 15 s the connection counts as broken, and the process ends.
    follow: (commands, follower) =>
      follow("virsh", ["--keepalive-interval", "5", "--keepalive-count", "3", ...base, script(commands)], follower),
    console: (order, signal) => openConsole(["virsh", ...base], order, signal),
  };
}

/** Several commands as the one argument that virsh takes apart itself: `first; second`. */
function script(commands: readonly (readonly string[])[]): string {
  return commands.map((words) => words.map(quoted).join(" ")).join("; ");
}

/** By the rules of virsh, which are a shell's in this: between single quotes everything is itself. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_./:,=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** What it printed, where there is no output, or else nothing. */
async function run(args: readonly string[], { signal, input }: CallOptions, output?: FileHandle): Promise<Buffer> {
  signal.throwIfAborted();
  const given = input === undefined ? undefined : await memoryFile(input);
  try {
    return await ended(args, signal, given?.fd, output?.fd);
  } finally {
    await given?.close();
  }
}

/** The same, into a file: virsh opens /dev/stdout by its name. */
async function runForBytes(args: readonly string[], options: CallOptions): Promise<Buffer> {
  const output = await memoryFile("");
  try {
    await run(args, options, output);
    return await contentOf(output);
  } finally {
    await output.close();
  }
}

function ended(args: readonly string[], signal: AbortSignal, input?: number, output?: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const stdio: StdioOptions = [input ?? "ignore", output ?? "pipe", "pipe"];
  const child = spawn("virsh", args, { stdio, env: environment(), detached: true });
  const abort = () => {
    kill(child);
    reject(signal.reason);
  };
  // While the file was made it may have aborted.
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  const printed: Buffer[] = [];
  let complaint = "";
  child.stdout?.on("data", (bytes: Buffer) => printed.push(bytes));
  child.stderr?.on("data", (bytes: Buffer) => {
    complaint = `${complaint}${bytes.toString("utf8")}`.slice(-16_384);
  });
  child.on("error", (cause) => reject(VirshError.notStarted(cause)));
  child.on("close", (code, by) => {
    if (code === 0) resolve(Buffer.concat(printed));
    else reject(VirshError.ended(code, by, complaint));
  });
  return promise.finally(() => signal.removeEventListener("abort", abort));
}
