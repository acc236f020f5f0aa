// An interactive session on a serial console, through `virsh console`. It needs a terminal, which `script` provides (on
// every Debian: bsdutils); error messages use a separate channel, not the session.
//
// Invariant: the words of the command are quoted for the shell that `script` starts. That shell is set explicitly,
// because the service user's shell might not be one. The words are our own ids and a URI.

import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { shellQuote } from "../../guest/shell-quote.ts";
import { endingWithUs, environment, kill } from "./process.ts";
import type { Console } from "./virsh.ts";
import { VirshError } from "./virsh-error.ts";

export interface ConsoleOrder {
  readonly domain: string;
  /** The alias of a device other than the first serial one. */
  readonly device?: string;
}

/** It counts as open after this time without an error; errors come at once, or after one connection. */
const OPENS_WITHIN_MS = 400;

/** `virsh`: the program and its options. Ends other sessions on the same console. Throws VirshError. */
export async function openConsole(
  virsh: readonly string[],
  { domain, device }: ConsoleOrder,
  signal: AbortSignal,
  opensWithinMs = OPENS_WITHIN_MS,
): Promise<Console> {
  signal.throwIfAborted();
  const words = [...virsh, "console", domain, "--force", ...(device === undefined ? [] : ["--devname", device])];
  const command = `exec ${words.map(shellQuote).join(" ")} 2>&3`;
  const script = ["script", "--quiet", "--flush", "--return", "--command", command, "/dev/null"];
  const [program = "script", ...args] = endingWithUs(script);
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    env: { ...environment(), SHELL: "/bin/sh" },
    detached: true,
  });
  const session = new Session(child);
  const abort = () => session.close();
  const opening = new AbortController();
  signal.addEventListener("abort", abort, { once: true });
  try {
    const ended = await Promise.race([session.ended, pause(opensWithinMs, opening.signal)]);
    signal.throwIfAborted();
    if (ended !== undefined) throw ended;
    return session;
  } finally {
    opening.abort();
    signal.removeEventListener("abort", abort);
  }
}

class Session implements Console {
  /** The error that it ended with, or would have. */
  readonly ended: Promise<VirshError>;
  readonly #child: ChildProcess;
  #early: Uint8Array[] | undefined = [];
  #listener: ((data: Uint8Array) => void) | undefined;
  #isOver = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdin?.on("error", () => {});
    child.stdout?.on("data", (data: Uint8Array) => {
      if (this.#listener === undefined) this.#early?.push(data);
      else this.#listener(data);
    });
    child.stderr?.resume();
    let complaint = "";
    // The type has three channels; the fourth is requested above.
    const told = child.stdio[3] as Readable | null;
    told?.on("data", (bytes: Buffer) => {
      complaint = `${complaint}${bytes.toString("utf8")}`.slice(-4096);
    });
    this.ended = new Promise((resolve) => {
      child.on("error", (cause) => resolve(VirshError.notStarted(cause)));
      child.on("close", (code, by) => {
        this.#isOver = true;
        resolve(VirshError.ended(code, by, complaint.replace(/^Auth.*\n/m, "")));
      });
    });
  }

  onData(listener: (data: Uint8Array) => void): void {
    this.#listener = listener;
    for (const data of this.#early ?? []) listener(data);
    this.#early = undefined;
  }

  onEnd(listener: () => void): void {
    this.ended.then(() => listener());
  }

  write(data: Uint8Array): void {
    this.#child.stdin?.write(data);
  }

  unread(): number {
    return this.#child.stdin?.writableLength ?? 0;
  }

  flow(on: boolean): void {
    if (on) this.#child.stdout?.resume();
    else this.#child.stdout?.pause();
  }

  close(): void {
    // A paused stream would never report its end.
    this.flow(true);
    if (!this.#isOver) kill(this.#child);
  }
}

/** Resolves early, and clears its timer, when the signal aborts. */
function pause(milliseconds: number, signal: AbortSignal): Promise<undefined> {
  return sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
