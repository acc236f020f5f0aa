// One machine of an engine under test, and what the conformance suite does with it again and again. Used by conformance.ts
// and move-conformance.ts.

import { setTimeout as sleep } from "node:timers/promises";
import {
  type Engine,
  EngineError,
  type MachineRef,
  type MachineReport,
  type MachineSpec,
} from "../../src/engines/engine.ts";

/** An engine under test, in a world with at least one host that has room for a few small machines. */
export interface EngineUnderTest {
  readonly engine: Engine;
  /** A machine that fits, with an id that was never used. */
  spec(part?: Partial<MachineSpec>): MachineSpec;
  /** Another engine on the same world, as a restarted server or a replica has it. */
  another(): Promise<Engine>;
  /** How long a boot or a halt may take. */
  readonly patienceMs: number;
  /** What is on the disk of a halted machine, for engines that move machines; undefined: it cannot be seen from outside. */
  readonly disk?: {
    /** Puts something there that no other machine has. */
    write(machine: MachineRef): void;
    /** Undefined: there is no disk. */
    read(machine: MachineRef): unknown;
  };
  /** False: a machine has none here, in a world without consoles. */
  readonly hasTerminals?: boolean;
  /** How often it is looked whether one is over; 5 unless told. */
  readonly lookEveryMs?: number;
  close(): Promise<void>;
}

/** One machine of the engine, and what is done with it again and again. */
export class Actor {
  readonly test: EngineUnderTest;
  readonly engine: Engine;
  readonly spec: MachineSpec;

  constructor(test: EngineUnderTest, spec: MachineSpec = test.spec()) {
    this.test = test;
    this.engine = test.engine;
    this.spec = spec;
  }

  async boot(): Promise<MachineReport> {
    await this.engine.create(this.spec, signal());
    await this.engine.start(this.spec, signal());
    return this.untilUsable();
  }

  /** Waits for the end of a boot that has begun, and tells the guest when it has to be told. */
  async untilUsable(seen: (report: MachineReport) => void = () => {}): Promise<MachineReport> {
    const report = await this.until(async (now) => {
      if (now !== undefined) seen(now);
      if (now?.untold === true) seen(await this.engine.start(this.spec, signal()));
      return now?.usable === true;
    });
    if (report === undefined) throw new Error("BUG: usable and yet nothing");
    return report;
  }

  async halt(): Promise<void> {
    await this.engine.stop(this.spec, signal());
    await this.until((report) => report?.power === "halted");
  }

  /** Looks until the machine is as wanted. An engine has no moment to wait for but the one it is seen at. */
  async until(
    wanted: (report: MachineReport | undefined) => boolean | Promise<boolean>,
  ): Promise<MachineReport | undefined> {
    const { patienceMs, lookEveryMs = 5 } = this.test;
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const report = await this.engine.inspect(this.spec, signal());
      if (await wanted(report)) return report;
      if (performance.now() > deadline)
        throw new Error(`not as wanted within ${patienceMs} ms: ${JSON.stringify(report)}`);
      await sleep(lookEveryMs);
    }
  }
}

/** Bounds a call. */
export const signal = () => AbortSignal.timeout(60_000);

export async function idsOf(engine: Engine): Promise<string[]> {
  return (await engine.list(signal())).machines.map((machine) => machine.id);
}

/** What the call failed with. Throws when it succeeded. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  const outcome = await call.then(
    () => ({ failed: false as const }),
    (error: unknown) => ({ failed: true as const, error }),
  );
  if (!outcome.failed) throw new Error("it succeeded, and should have failed");
  return outcome.error;
}

/** As the reconciler sees it: what is no EngineError counts as unavailable. */
export function kindOf(error: unknown): EngineError["kind"] {
  return error instanceof EngineError ? error.kind : "unavailable";
}
