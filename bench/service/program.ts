// A program as a process of its own, that is asked to end and waited for. Its output goes to a file, of which the end is
// told when it fails. Used for the service and for all peers.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";

export interface ProgramOrder {
  /** For messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Gets both outputs. */
  readonly logFile: string;
  /** Throw away what comes on standard output: a log that nobody keeps costs as much as one that goes to a pipe. */
  readonly quiet?: boolean;
  /** A process group of its own, which is ended as one: for programs that start others. */
  readonly group?: boolean;
  /** Numbers: as which user and group it runs. */
  readonly uid?: number;
  readonly gid?: number;
}

export class Program implements AsyncDisposable {
  readonly #order: ProgramOrder;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor(order: ProgramOrder) {
    this.#order = order;
    const log = openSync(order.logFile, "a");
    this.#child = spawn(order.command, [...order.args], {
      stdio: ["ignore", order.quiet === true ? "ignore" : log, log],
      env: order.env ?? process.env,
      detached: order.group === true,
      ...(order.cwd !== undefined && { cwd: order.cwd }),
      ...(order.uid !== undefined && { uid: order.uid }),
      ...(order.gid !== undefined && { gid: order.gid }),
    });
    closeSync(log);
    this.#exited = once(this.#child, "exit").catch(() => undefined); // it could not even be run: `until` tells
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error(`${this.#order.name} could not be run (${this.#order.command})`);
    return pid;
  }

  /** Asks `isThere` again and again, every `everyMs`. Throws with the program's last words when it ends, or when it takes too long. */
  async until(isThere: () => Promise<boolean>, everyMs = 20, seconds = 60): Promise<void> {
    const deadline = performance.now() + seconds * 1000;
    let ended = false;
    void this.#exited.then(() => {
      ended = true;
    });
    while (!(await isThere().catch(() => false))) {
      if (ended) throw new Error(`${this.#order.name} ended while starting:\n${this.lastWords()}`);
      if (performance.now() > deadline)
        throw new Error(`${this.#order.name} was not there in time:\n${this.lastWords()}`);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  lastWords(): string {
    return readFileSync(this.#order.logFile, "utf8").slice(-2000);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.#order.group === true ? -this.pid : this.pid, signal);
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined) {
      this.signal(signal);
    }
    await this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}
