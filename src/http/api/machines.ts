// The machines behind instances, as far as HTTP shows them: their console output and terminals. This module does not
// import engines; it declares what it needs of them, and composition.ts provides it.
//
// Invariant: no engine blocks a request: every call has a time limit, even if the engine ignores its signal, and each
// instance's console is read once at a time, for all callers. Used by the control interface.

import type { Logger } from "pino";
import { RentalError } from "../../rental/errors.ts";
import type { Instance } from "../../rental/instances/instance.ts";
import { initialState, isLive } from "../../rules/lifecycle.ts";
import { HttpError } from "../errors/api-error.ts";

/** `shell`: a root shell in the guest. `console`: its serial console. */
export interface TerminalOrder {
  readonly kind: "shell" | "console";
  readonly columns: number;
  readonly rows: number;
}

/** An open session. Writes after its end are dropped without an error. */
export interface Terminal {
  /** The machine's output. One listener; earlier output is passed to it first. */
  onData(listener: (data: Uint8Array) => void): void;
  /** Called once, when either side has ended the session. */
  onEnd(listener: () => void): void;
  write(data: Uint8Array): void;
  /** How many written bytes the machine has not taken yet. */
  unread(): number;
  /** False soon stops the calls of `onData`, true resumes them. Undefined: the engine has no flow control. */
  readonly flow?: ((on: boolean) => void) | undefined;
  resize(columns: number, rows: number): void;
  close(): void;
}

/** What an engine with machines provides (engines/engine.ts). */
export interface MachineEngine {
  consoleLog(machine: MachineRef, signal: AbortSignal): Promise<string>;
  openTerminal(machine: MachineRef, order: TerminalOrder, signal: AbortSignal): Promise<Terminal>;
  readonly worlds?: readonly string[] | undefined;
  hosts(signal: AbortSignal): Promise<readonly { readonly name: string; readonly available: boolean }[]>;
  identity(signal: AbortSignal, host?: string): Promise<string>;
}
type MachineRef = Pick<Instance, "id" | "host">;

/** What identifies the machine of an instance. */
export type MachineOf = Pick<Instance, "id" | "state" | "engine" | "host">;

/** The caller has checked ownership and permissions. */
export interface Machines {
  /**
   * The machine's retained output since its last start: "" before there is a machine. Throws RentalError conflict where
   * it is gone or its engine rejects the request, HttpError machine-unreachable, unavailable.
   */
  consoleLog(instance: MachineOf, signal: AbortSignal): Promise<string>;
  /** Opens a session in its running machine. `signal` limits the opening, not the session. Throws the same. */
  openTerminal(instance: MachineOf, order: TerminalOrder, signal: AbortSignal): Promise<Terminal>;
  /** The identity of the host, or of its engine where hosts have none, if the host answers now; else undefined. */
  identityOf(host: HostOf): Promise<HostIdentity | undefined>;
}

export interface HostOf {
  readonly name: string;
  readonly engine: string;
}

export interface HostIdentity {
  readonly identity: string;
  /** Whether it is the host's own. */
  readonly ofHost: boolean;
}

/** An engine's time limit. A cluster responds in milliseconds; by then an unresponsive host is known to be one. */
const patienceMs = 10_000;
/** How many consoles are read at once: the most requests that an unresponsive host can occupy. */
const mostReads = 32;

/** Error codes of engines (engine.ts): no machine, or not running. */
const notThere: readonly unknown[] = ["no-such-machine", "not-running"];

/** `engines` by name. `patience` in milliseconds, for tests. */
export function createMachines(
  engines: ReadonlyMap<string, MachineEngine>,
  log: Pick<Logger, "warn">,
  patience = patienceMs,
): Machines {
  const reads = new Map<string, Promise<string>>();

  async function ask<T>(
    instance: MachineOf,
    signal: AbortSignal,
    call: (engine: MachineEngine, machine: MachineRef, within: AbortSignal) => Promise<T>,
    tooLate: (result: T) => void = () => {},
  ): Promise<T> {
    const engine = engines.get(instance.engine);
    if (engine === undefined) throw new HttpError("machine-unreachable", {});
    const within = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    try {
      return await bounded(call(engine, { id: instance.id, host: instance.host }, within), within, tooLate);
    } catch (error) {
      if (signal.aborted) throw new HttpError("unavailable", { why: "stopping" });
      throw refusalFrom(error, instance, log);
    }
  }

  async function read(instance: MachineOf, signal: AbortSignal): Promise<string> {
    try {
      return await ask(instance, signal, (engine, machine, within) => engine.consoleLog(machine, within));
    } catch (error) {
      // Accepted but not created yet: it has no output.
      if (instance.state === initialState && error instanceof RentalError) return "";
      throw error;
    }
  }

  return {
    async identityOf({ name, engine: engineName }) {
      const engine = engines.get(engineName);
      if (engine === undefined) return undefined;
      const within = AbortSignal.timeout(patience);
      const ofHost = engine.worlds !== undefined;
      try {
        const hosts = await bounded(engine.hosts(within), within, () => {});
        if (hosts.find((host) => host.name === name)?.available !== true) return undefined;
        const asked = engine.identity(within, ofHost ? name : undefined);
        return { identity: await bounded(asked, within, () => {}), ofHost };
      } catch {
        return undefined; // It does not answer, or not in time.
      }
    },
    async openTerminal(instance, order, signal) {
      refuseGone(instance);
      return ask(
        instance,
        signal,
        (engine, machine, within) => engine.openTerminal(machine, order, within),
        (terminal) => terminal.close(),
      );
    },
    async consoleLog(instance, signal) {
      refuseGone(instance);
      const underWay = reads.get(instance.id);
      if (underWay !== undefined) return underWay;
      if (reads.size >= mostReads) throw new HttpError("unavailable", { overloaded: true });
      const reading = read(instance, signal).finally(() => reads.delete(instance.id));
      reads.set(instance.id, reading);
      return reading;
    },
  };
}

/** The result of `work`, or the reason of `signal` once aborted; a later result goes to `tooLate`. */
async function bounded<T>(work: Promise<T>, signal: AbortSignal, tooLate: (result: T) => void): Promise<T> {
  const ended = Promise.withResolvers<never>();
  const end = () => {
    ended.reject(signal.reason);
    work.then(tooLate, () => {});
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** For the caller; unexpected engine errors are logged, because they say more than the caller may know. */
function refusalFrom(error: unknown, instance: MachineOf, log: Pick<Logger, "warn">): RentalError | HttpError {
  const { code, kind } = (error instanceof Error ? error : {}) as { code?: unknown; kind?: unknown };
  if (notThere.includes(code)) return notRunning(instance);
  if (kind === "refused" && error instanceof Error) {
    return new RentalError("conflict", { message: error.message, suggestion: "Ask your provider." });
  }
  log.warn({ err: error, instance_id: instance.id, engine: instance.engine }, "machine unreachable");
  return new HttpError("machine-unreachable", {});
}

/** Engines are not called for an instance that is being removed. Throws RentalError conflict. */
function refuseGone({ state }: MachineOf): void {
  if (isLive[state]) return;
  throw new RentalError("conflict", {
    message: `The instance is ${state}, and its machine is deleted.`,
    suggestion: "Use an instance that is not terminated.",
  });
}

function notRunning({ state }: MachineOf): RentalError {
  return new RentalError("conflict", {
    message: `The machine is not running; the instance is ${state}.`,
    suggestion: "Retry when the instance is active.",
  });
}
