// The connection to a host: one process of libvirt's own client, virsh, for each call. It supports every transport
// (local socket, SSH, TLS) and costs ten milliseconds; the bindings for Node lack events, networks and devices, or do
// not build.
//
// Invariants. Arguments are an array; no shell parses them. Input that is secret or long is a file in memory, visible
// in no process list and on no disk. A call ends when its signal aborts: the process is killed with what it started
// (ssh).

import { type StdioOptions, spawn } from "node:child_process";
import type { FileHandle } from "node:fs/promises";
import type { Expiry } from "../../tls-certificates.ts";
import { type ConsoleOrder, openConsole } from "./console.ts";
import { follow } from "./follow.ts";
import { contentOf, memoryFile } from "./memory-file.ts";
import { environment, kill } from "./process.ts";
import type { Transfers } from "./transfers.ts";
import { VirshError } from "./virsh-error.ts";

export interface CallOptions {
  readonly signal: AbortSignal;
  /** For commands that read a file, as `fromInput`. */
  readonly input?: string | Uint8Array;
}

/** Callbacks of a long-running process. */
export interface Follower {
  onLine(line: string): void;
  /** Called once, also if it could not be started. Not after `end`. */
  onEnd(why: string): void;
}

export interface Console {
  onData(listener: (data: Uint8Array) => void): void;
  onEnd(listener: () => void): void;
  write(data: Uint8Array): void;
  /** How many written bytes are not sent yet. */
  unread(): number;
  /** `false` pauses `onData`, `true` resumes it. */
  flow(on: boolean): void;
  close(): void;
}

/** A connection for channels of guests alone. */
export interface ChannelConnection {
  /** It was closed, or lost. */
  readonly isOver: boolean;
  /**
   * Opens a channel of a running domain. Throws VirshError if libvirt rejects it; if it
   * throws anything else, the connection is over.
   */
  open(
    domain: { readonly name: string; readonly uuid: string },
    channel: string,
    listener: ChannelListener,
    signal: AbortSignal,
  ): Promise<OpenChannel>;
  close(): void;
}

export interface OpenChannel {
  /** Sends a little to the guest, which may not read it. */
  write(bytes: Uint8Array): void;
  /** What comes after that is ignored. */
  end(): void;
}

export interface ChannelListener {
  onData(bytes: Uint8Array): void;
  /** Once, when the guest's machine, libvirt or the connection ends it. */
  onEnd(): void;
}

/** One host's libvirt. Replaced in tests. */
export interface Virsh {
  /** Runs a command to its end and returns its output. Throws VirshError, and the signal's reason. */
  call(args: readonly string[], options: CallOptions): Promise<string>;
  /** Returns what a command wrote to the file `toOutput`. Throws likewise. */
  bytes(args: readonly string[], options: CallOptions): Promise<Buffer>;
  /** Runs several commands in one process. Throws if the last fails; for others only the output is missing. */
  all(commands: readonly (readonly string[])[], options: CallOptions): Promise<string>;
  /** Runs long-running commands; returns a function that ends them. */
  follow(commands: readonly (readonly string[])[], follower: Follower): () => void;
  /** How parts of volumes are transferred; undefined: by commands (transfers.ts). */
  readonly transfers?: Transfers | undefined;
  /** Of the connection that follows events; undefined or empty: it has none, or they are not known. */
  readonly certificates?: () => readonly Expiry[];
  /** Opens a connection for channels; undefined: virsh has no command that reads them. Throws if it cannot be opened. */
  readonly channels?: (signal: AbortSignal) => Promise<ChannelConnection>;
  /** Throws VirshError if it cannot be opened. */
  console(order: ConsoleOrder, signal: AbortSignal): Promise<Console>;
}

/** The file name with which a command reads `input`. */
export const fromInput = "/dev/stdin";

/** The file name with which a command writes to the caller. */
export const toOutput = "/dev/stdout";

/** The host's libvirt at that URI. Does not connect yet. */
export function openVirsh(uri: string): Virsh {
  const base = ["--quiet", "--connect", uri];
  return {
    call: async (args, options) => (await run([...base, ...args], options)).toString("utf8"),
    bytes: (args, options) => runForBytes([...base, ...args], options),
    all: async (commands, options) => (await run([...base, script(commands)], options)).toString("utf8"),
    // After 15 s without a response the connection counts as lost, and the process ends.
    follow: (commands, follower) =>
      follow("virsh", ["--keepalive-interval", "5", "--keepalive-count", "3", ...base, script(commands)], follower),
    console: (order, signal) => openConsole(["virsh", ...base], order, signal),
  };
}

/** Several commands as one argument, which virsh splits itself: `first; second`. */
function script(commands: readonly (readonly string[])[]): string {
  return commands.map((words) => words.map(quoted).join(" ")).join("; ");
}

/** By virsh's rules, which here equal a shell's: single quotes preserve everything. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_./:,=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Returns what it printed, unless there is `output`. */
async function run(args: readonly string[], { signal, input }: CallOptions, output?: FileHandle): Promise<Buffer> {
  signal.throwIfAborted();
  const given = input === undefined ? undefined : await memoryFile(input);
  try {
    return await ended(args, signal, given?.fd, output?.fd);
  } finally {
    await given?.close();
  }
}

/** Into a file: virsh opens /dev/stdout by its name. */
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
  // It might have aborted while the file was created.
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
