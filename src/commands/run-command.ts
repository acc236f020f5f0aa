// Runs a command of the operator's settings, with a deadline, in a process group of its own.
//
// Invariant: never throws, and at the end the command and its process group are gone. What is kept of its output is
// limited. Its arguments and output can hold secrets: callers decide what of them a message repeats.
//
// Used by fencing/fence.ts and gpus/create-gpu-helper.ts.

import { type ChildProcess, spawn } from "node:child_process";

export interface Command {
  /** The program and its arguments. */
  readonly words: readonly [string, ...string[]];
  readonly timeoutSeconds: number;
  /** Its standard input. Undefined: empty. */
  readonly input?: string | undefined;
  /** How much of its standard output is kept, in bytes: of more, either only the end, or the command is ended. */
  readonly output: { readonly most: number; readonly beyond: "keep the end" | "end it" };
  /** How much of the end of its error output is kept, in bytes. 0: none is read. */
  readonly errorTail?: number | undefined;
  /**
   * How long its output is still read after it has exited, if something that it started keeps it open. Undefined: that
   * belongs to the command, up to its deadline.
   */
  readonly lingerMs?: number | undefined;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
}

export type CommandEnd = { readonly errors: string } & (
  | { readonly how: "not started" | "late" | "aborted" | "too much output" }
  /** By itself, or by a signal, in which case `code` is null. */
  | { readonly how: "ended"; readonly code: number | null; readonly signal: string | null; readonly output: string }
);

/** The command with the name of the host for each `{host}` in it. */
export function forHost([program, ...args]: Command["words"], host: string): Command["words"] {
  return [program, ...args.map((arg) => arg.replaceAll("{host}", () => host))];
}

export function runCommand(command: Command): Promise<CommandEnd> {
  if (command.signal?.aborted) return Promise.resolve({ how: "aborted", errors: "" });
  const child = started(command);
  if (child === undefined) return Promise.resolve({ how: "not started", errors: "" });
  return new Promise((resolve) => watch(child, command, resolve));
}

function started({ words: [program, ...args], input, errorTail = 0 }: Command): ChildProcess | undefined {
  try {
    const stdio = [input === undefined ? "ignore" : "pipe", "pipe", errorTail > 0 ? "pipe" : "ignore"] as const;
    // A group of its own, so that what the command starts ends with it.
    const child = spawn(program, args, { stdio: [...stdio], detached: true });
    // A command that ends without reading is judged by how it ends.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
    return child;
  } catch {
    // Node throws for invalid arguments, such as a NUL byte.
    return undefined;
  }
}

function watch(
  child: ChildProcess,
  { output: limit, errorTail = 0, ...command }: Command,
  resolve: (end: CommandEnd) => void,
) {
  const output = new Kept(limit.most);
  const errors = new Kept(errorTail);
  let cut: "late" | "aborted" | "too much output" | undefined;
  let lingering: NodeJS.Timeout | undefined;
  const closeOutput = () => {
    // A child in another group can hold it open.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const end = (why: NonNullable<typeof cut>) => {
    cut ??= why;
    endGroup(child.pid);
    closeOutput();
  };
  const timer = setTimeout(() => end("late"), command.timeoutSeconds * 1000);
  const abort = () => end("aborted");
  command.signal?.addEventListener("abort", abort, { once: true });
  const over = () => {
    clearTimeout(timer);
    clearTimeout(lingering);
    command.signal?.removeEventListener("abort", abort);
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on("error", () => {});
  child.stdout?.on("data", (bytes: Buffer) => {
    if (output.add(bytes) === "cut" && limit.beyond === "end it") end("too much output");
  });
  child.stderr?.on("data", (bytes: Buffer) => errors.add(bytes));
  child.on("error", () => {
    over();
    resolve({ how: "not started", errors: "" });
  });
  child.on("exit", () => {
    if (command.lingerMs === undefined) return;
    endGroup(child.pid);
    lingering = setTimeout(closeOutput, command.lingerMs);
  });
  // Not "exit": the last output comes after that.
  child.on("close", (code, signal) => {
    over();
    endGroup(child.pid);
    if (cut !== undefined) resolve({ how: cut, errors: errors.text() });
    else resolve({ how: "ended", code, signal, output: output.text(), errors: errors.text() });
  });
}

/** The last bytes of a stream. */
class Kept {
  #bytes: Buffer[] = [];
  #size = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(bytes: Buffer): "all" | "cut" {
    this.#bytes.push(bytes);
    this.#size += bytes.length;
    // Seldom enough that much output costs no more than twice its size to copy.
    if (this.#size <= 2 * this.#most) return this.#size <= this.#most ? "all" : "cut";
    const end = Buffer.concat(this.#bytes).subarray(-this.#most);
    this.#bytes = [end];
    this.#size = end.length;
    return "cut";
  }

  text(): string {
    const all = Buffer.concat(this.#bytes);
    return all.subarray(Math.max(0, all.length - this.#most)).toString("utf8");
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The whole group is gone already.
  }
}
