// The machines behind instances, as far as HTTP shows them: what they wrote to their console, and terminals in them.
// This room does not know engines, so what it needs of one stands here, and composition.ts gives them.
//
// Invariant: no engine keeps a request: every call is bounded in time, also where the engine ignores its signal, and each
// instance's console is read once at a time, for everybody who asks. Used by the control interface.

import type { Logger } from "pino";
import { RentalError } from "../../rental/errors.ts";
import type { Instance } from "../../rental/instances/instance.ts";
import { initialState, isLive } from "../../rules/lifecycle.ts";
import { HttpError } from "../errors/api-error.ts";

/** `shell`: a root shell in the guest. `console`: its serial console, as with a screen at the machine. */
export interface TerminalOrder {
  readonly kind: "shell" | "console";
  readonly columns: number;
  readonly rows: number;
}

/** An open session. What is written after its end is lost, and that is no error. */
export interface Terminal {
  /** What the machine shows, as it comes. One listener; what came before it is given to it first. */
  onData(listener: (data: Uint8Array) => void): void;
  /** Called once, when the session has ended, from either side. */
  onEnd(listener: () => void): void;
  write(data: Uint8Array): void;
  /** How many bytes were written that the machine has not taken yet. */
  unread(): number;
  /** With false `onData` is soon called no more, until true. Undefined: the engine cannot hold back what comes. */
  readonly flow?: ((on: boolean) => void) | undefined;
  resize(columns: number, rows: number): void;
  close(): void;
}

/** What is asked of the engine (engines/engine.ts, in its words) that has a machine. */
export interface MachineEngine {
  consoleLog(machine: MachineRef, signal: AbortSignal): Promise<string>;
  openTerminal(machine: MachineRef, order: TerminalOrder, signal: AbortSignal): Promise<Terminal>;
}
type MachineRef = Pick<Instance, "id" | "host">;

/** What of an instance tells which machine is meant. */
export type MachineOf = Pick<Instance, "id" | "state" | "engine" | "host">;

/** Whose instance it is, and who may ask, has been looked at by the caller. */
export interface Machines {
  /**
   * What its machine wrote since it was last started, as far as it is kept: "" where there is no machine yet. Throws
   * RentalError conflict where there is none any more or its engine refuses, HttpError machine-unreachable, unavailable.
   */
  consoleLog(instance: MachineOf, signal: AbortSignal): Promise<string>;
  /** A session in its machine, which runs. `signal` bounds the opening, not the session. Throws the same. */
  openTerminal(instance: MachineOf, order: TerminalOrder, signal: AbortSignal): Promise<Terminal>;
}

/** How long an engine may take. A cluster answers in milliseconds, a host that does not is known for it by then. */
const patienceMs = 10_000;
/** So many consoles are read at once; a host that does not answer can keep no more requests than that. */
const mostReads = 32;

/** Codes of what engines refuse (engine.ts): there is no machine, or it does not run. */
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
      // Accepted, and not made yet: it has written nothing.
      if (instance.state === initialState && error instanceof RentalError) return "";
      throw error;
    }
  }

  return {
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

/** What `work` gives, or the reason of `signal` once that is aborted; what is given after that goes to `tooLate`. */
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

/** In words for whoever asked; what no engine should throw is logged, because it says more than they may know. */
function refusalFrom(error: unknown, instance: MachineOf, log: Pick<Logger, "warn">): RentalError | HttpError {
  const { code, kind } = (error instanceof Error ? error : {}) as { code?: unknown; kind?: unknown };
  if (notThere.includes(code)) return notRunning(instance);
  if (kind === "refused" && error instanceof Error) {
    return new RentalError("conflict", { message: error.message, suggestion: "Ask your provider." });
  }
  log.warn({ err: error, instance_id: instance.id, engine: instance.engine }, "machine unreachable");
  return new HttpError("machine-unreachable", {});
}

/** Of what is being removed its engine is asked nothing. Throws RentalError conflict. */
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
