// An engine whose calls are timed. Used by reconciler.ts; engines do not know metrics.
//
// A call counts as ended when its signal fires, even if the engine ignores that: otherwise calls that hang would never
// be measured.

import { type Engine, EngineError, type GuestMetricsChannel, type Mover } from "../engines/engine.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { engineTimeout } from "./engine-call.ts";
import { Interrupted } from "./failure.ts";

/** All calls but watching, and opening terminals, which customers wait for and not the reconciler. */
export const timedCalls = [
  "identity",
  "hosts",
  "create",
  "start",
  "stop",
  "remove",
  "setInbound",
  "writeGuestFile",
  "removeFileSystem",
  "measureFileSystem",
  "inspect",
  "list",
  "copy",
  "removeCopy",
  "readLines",
] as const satisfies (keyof Engine | keyof Mover | keyof GuestMetricsChannel)[];
type TimedCall = (typeof timedCalls)[number];

export function timedEngine(engine: Engine, metrics: Metrics): Engine {
  async function timed<T>(call: TimedCall, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    const began = performance.now();
    let isTold = false;
    const tell = (result: string) => {
      if (isTold) return;
      isTold = true;
      const seconds = (performance.now() - began) / 1000;
      metrics.observe("lessor_engine_call_duration_seconds", { engine: engine.name, call, result }, seconds);
    };
    const aborted = () => tell(resultOf(signal.reason));
    signal.addEventListener("abort", aborted, { once: true });
    try {
      const result = await run();
      tell("ok");
      return result;
    } catch (error) {
      tell(resultOf(error));
      throw error;
    } finally {
      signal.removeEventListener("abort", aborted);
    }
  }

  const setInbound = engine.setInbound?.bind(engine);
  const writeGuestFile = engine.writeGuestFile?.bind(engine);
  return {
    name: engine.name,
    worlds: engine.worlds,
    get firewalls() {
      return engine.firewalls;
    },
    gpuHelper: engine.gpuHelper,
    get mover(): Mover | undefined {
      const { mover } = engine;
      return (
        mover && {
          keepsSource: mover.keepsSource,
          copy: (spec, from, copiedBytes, signal) =>
            timed("copy", signal, () => mover.copy(spec, from, copiedBytes, signal)),
          removeCopy: (copy, kept, signal) => timed("removeCopy", signal, () => mover.removeCopy(copy, kept, signal)),
        }
      );
    },
    get guestMetrics(): GuestMetricsChannel | undefined {
      const { guestMetrics } = engine;
      return (
        guestMetrics && {
          readLines: (machines, signal) => timed("readLines", signal, () => guestMetrics.readLines(machines, signal)),
          keepOnly: (ids) => guestMetrics.keepOnly(ids),
        }
      );
    },
    ...(setInbound !== undefined && {
      setInbound: (machine, inbound, signal) => timed("setInbound", signal, () => setInbound(machine, inbound, signal)),
    }),
    ...(writeGuestFile !== undefined && {
      writeGuestFile: (machine, file, signal) =>
        timed("writeGuestFile", signal, () => writeGuestFile(machine, file, signal)),
    }),
    identity: (signal, host) => timed("identity", signal, () => engine.identity(signal, host)),
    hosts: (signal, only) => timed("hosts", signal, () => engine.hosts(signal, only)),
    create: (spec, signal) => timed("create", signal, () => engine.create(spec, signal)),
    start: (spec, signal) => timed("start", signal, () => engine.start(spec, signal)),
    stop: (machine, signal) => timed("stop", signal, () => engine.stop(machine, signal)),
    remove: (machine, signal) => timed("remove", signal, () => engine.remove(machine, signal)),
    removeFileSystem: (one, signal) => timed("removeFileSystem", signal, () => engine.removeFileSystem(one, signal)),
    measureFileSystem: (one, signal) => timed("measureFileSystem", signal, () => engine.measureFileSystem(one, signal)),
    inspect: (machine, signal) => timed("inspect", signal, () => engine.inspect(machine, signal)),
    list: (signal, only) => timed("list", signal, () => engine.list(signal, only)),
    watch: (onChange, onGap) => engine.watch(onChange, onGap),
    consoleLog: (machine, signal) => engine.consoleLog(machine, signal),
    openTerminal: (machine, order, signal) => engine.openTerminal(machine, order, signal),
    close: () => engine.close(),
  };
}

/** `refused` and `unavailable` as in EngineError; `timeout`: no response in time; `given up`: aborted. */
function resultOf(error: unknown): string {
  if (error instanceof EngineError) return error.code === engineTimeout ? "timeout" : error.kind;
  return error instanceof Interrupted ? "given up" : "failed";
}
