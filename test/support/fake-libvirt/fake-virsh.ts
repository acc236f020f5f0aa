// The interface that the engine speaks to a host through, on a fake host: with the host's faults, and with what calls
// look like while the host or its daemon is away.

import { setImmediate as turn } from "node:timers/promises";
import type { ConsoleOrder } from "../../../src/engines/libvirt/virsh/console.ts";
import type { CallOptions, Console, Follower, Virsh } from "../../../src/engines/libvirt/virsh/virsh.ts";
import { VirshError } from "../../../src/engines/libvirt/virsh/virsh-error.ts";
import { runCommand } from "./commands.ts";
import { complaint, printed } from "./complain.ts";
import type { FakeHost } from "./fake-host.ts";
import type { Faults } from "./faults.ts";

/** A command as it arrived. */
export interface SeenCall {
  readonly host: string;
  readonly args: readonly string[];
  readonly input: Buffer;
}

export class FakeVirsh implements Virsh {
  readonly #host: FakeHost;
  readonly #faults: Faults;
  readonly #see: (call: SeenCall) => void;

  constructor(host: FakeHost, faults: Faults, see: (call: SeenCall) => void) {
    this.#host = host;
    this.#faults = faults;
    this.#see = see;
  }

  async call(args: readonly string[], options: CallOptions): Promise<string> {
    return (await this.bytes(args, options)).toString("utf8");
  }

  async bytes(args: readonly string[], { signal, input = "" }: CallOptions): Promise<Buffer> {
    await this.#arrive(signal);
    return this.#one(args, signal, input);
  }

  /** As the real one it goes on after a command that failed; only a failure of the last one is the process's. */
  async all(commands: readonly (readonly string[])[], { signal, input = "" }: CallOptions): Promise<string> {
    await this.#arrive(signal);
    const outputs: Buffer[] = [];
    const complaints: string[] = [];
    for (const [index, args] of commands.entries()) {
      try {
        outputs.push(await this.#one(args, signal, input));
      } catch (error) {
        if (!(error instanceof VirshError)) throw error;
        complaints.push(error.complaint);
        if (index === commands.length - 1) throw complaint(...complaints);
      }
    }
    return Buffer.concat(outputs).toString("utf8");
  }

  follow(commands: readonly (readonly string[])[], follower: Follower): () => void {
    const ended = new AbortController();
    this.#follow(commands, follower, ended.signal).catch((error: unknown) => {
      if (ended.signal.aborted) return;
      if (!(error instanceof VirshError)) throw error;
      follower.onEnd(printed(error.complaint.split("; ")));
    });
    return () => ended.abort();
  }

  async console({ domain, device }: ConsoleOrder, signal: AbortSignal): Promise<Console> {
    const args = ["console", domain, "--force", ...(device === undefined ? [] : ["--devname", device])];
    await this.#arrive(signal);
    this.#see({ host: this.#host.name, args, input: Buffer.alloc(0) });
    const fault = this.#faults.take([this.#host.name, ...args].join(" "));
    if (fault.hang === true) return this.#host.silence(signal);
    if (fault.fail !== undefined) throw complaint(fault.fail);
    return this.#host.domains.openConsole(domain, device);
  }

  /** The way to the daemon. */
  async #arrive(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await turn();
    signal.throwIfAborted();
    if (this.#host.isCut) await this.#host.silence(signal);
    this.#host.checkDaemon();
  }

  async #one(args: readonly string[], signal: AbortSignal, input: string | Uint8Array): Promise<Buffer> {
    this.#see({ host: this.#host.name, args, input: Buffer.from(input) });
    const fault = this.#faults.take([this.#host.name, ...args].join(" "));
    const { hang = false, fail, answer, isDone = false } = fault;
    const goesWrong = hang || fail !== undefined || answer !== undefined;
    const output = !goesWrong || isDone ? runCommand(this.#host, args, input) : Buffer.alloc(0);
    if (hang) return this.#host.silence(signal);
    if (fail !== undefined) throw complaint(fail);
    return answer === undefined ? output : Buffer.from(answer);
  }

  async #follow(commands: readonly (readonly string[])[], follower: Follower, signal: AbortSignal): Promise<void> {
    await this.#arrive(signal);
    for (const args of commands) {
      if (args[0] === "event") {
        if (args.join(" ") !== "event --all --loop --timestamp")
          throw new Error("BUG: the fake knows one form of virsh event");
        this.#see({ host: this.#host.name, args, input: Buffer.alloc(0) });
        const fault = this.#faults.take([this.#host.name, ...args].join(" "));
        if (fault.hang === true) return this.#host.silence(signal);
        if (fault.fail !== undefined) throw complaint(fault.fail);
        signal.addEventListener("abort", this.#host.events.add(follower), { once: true });
        return;
      }
      const lines = (await this.#one(args, signal, "")).toString("utf8").split("\n").slice(0, -1);
      for (const line of lines) follower.onLine(line);
    }
  }
}
