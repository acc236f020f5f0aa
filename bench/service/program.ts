// A program as a child process that is stopped and awaited. Its output goes to a file, whose end is in the error if it
// fails. Used for the service and for all peers.

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
  /** Discards standard output: a log to /dev/null costs as much as one to a pipe. */
  readonly quiet?: boolean;
  /** Its own process group, which is stopped as a whole: for programs that start others. */
  readonly group?: boolean;
  /** The numeric user and group it runs as. */
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
    this.#exited = once(this.#child, "exit").catch(() => undefined); // the spawn failed: `until` reports it
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error(`${this.#order.name} could not be run (${this.#order.command})`);
    return pid;
  }

  /** Polls `isThere`, every `everyMs`. Throws with the program's last output if it ends or takes too long. */
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
