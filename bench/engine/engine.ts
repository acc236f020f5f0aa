// The external engine in the service: each call is a line to the process that has the machines (process.ts), and the
// result a line back. Invariant: nothing of it is in the service's database. Used by program.ts.

import { connect, type Socket } from "node:net";
import type { Engine, MachineRef, MachineReport, MachineSpec, Terminal } from "../../src/engines/engine.ts";
import { type CallName, type CallResult, type Calls, eachLine } from "./protocol.ts";

export class ExternalEngine implements Engine {
  readonly name = "external";
  readonly #socket: Socket;
  readonly #pending = new Map<number, PromiseWithResolvers<CallResult["gives"]>>();
  #calls = 0;

  /** `path`: where the process listens. */
  constructor(path: string) {
    this.#socket = connect(path);
    eachLine(this.#socket, (line) => {
      const { number, gives } = line as CallResult; // its only peer is process.ts
      this.#pending.get(number)?.resolve(gives);
      this.#pending.delete(number);
    });
    this.#socket.on("error", (error) => {
      for (const { reject } of this.#pending.values()) reject(error);
    });
  }

  async identity(): Promise<string> {
    return "external";
  }

  async hosts() {
    return [...(await this.#call("hosts", null))];
  }

  create(spec: MachineSpec): Promise<MachineReport> {
    return this.#call("create", spec);
  }

  start(spec: MachineSpec): Promise<MachineReport> {
    return this.#call("start", spec);
  }

  stop({ id, host }: MachineRef): Promise<MachineReport> {
    return this.#call("stop", { id, host });
  }

  async remove({ id, host }: MachineRef): Promise<void> {
    await this.#call("remove", { id, host });
  }

  async inspect({ id, host }: MachineRef): Promise<MachineReport | undefined> {
    return (await this.#call("inspect", { id, host })) ?? undefined;
  }

  async list() {
    return { machines: await this.#call("list", null), unreachableHosts: [] };
  }

  /** Nothing changes by itself. */
  watch(): () => void {
    return () => {};
  }

  async removeFileSystem(): Promise<void> {}

  async measureFileSystem(): Promise<undefined> {}

  async consoleLog(): Promise<string> {
    return "";
  }

  async openTerminal(): Promise<Terminal> {
    throw new Error("BUG: the benchmark opens no terminals");
  }

  async close(): Promise<void> {
    this.#socket.destroy();
  }

  async #call<Name extends CallName>(name: Name, takes: Calls[Name]["takes"]): Promise<Calls[Name]["gives"]> {
    this.#calls += 1;
    const result = Promise.withResolvers<CallResult["gives"]>();
    this.#pending.set(this.#calls, result);
    // What is called in one turn goes out as one write.
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork();
      process.nextTick(() => this.#socket.uncork());
    }
    this.#socket.write(`${JSON.stringify({ number: this.#calls, name, takes })}\n`);
    return result.promise;
  }
}
