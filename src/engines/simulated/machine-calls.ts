// Batches calls of one kind that come while others are in progress (database/group-commit.ts), so that the simulator
// costs little under load. Used by engine.ts.

import { firstOfEach, GroupCommit } from "../../database/group-commit.ts";
import type { MachineRef, MachineSpec } from "../engine.ts";
import {
  type Answer,
  type Call,
  deleteMachines,
  insertMachines,
  readMachines,
  startMachines,
  stopMachines,
} from "./machine-store.ts";
import type { SimulatorDatabase } from "./schema.ts";

/** Maximum per statement: all its calls return together. */
const mostCalls = 32;

export class MachineCalls {
  readonly #inserts: Queue<MachineSpec>;
  readonly #starts: Queue;
  readonly #stops: Queue;
  readonly #deletes: Queue;
  readonly #reads: Queue;

  constructor(world: SimulatorDatabase) {
    this.#inserts = queueOf((calls) => insertMachines(world, calls));
    this.#starts = queueOf((calls) => startMachines(world, calls));
    this.#stops = queueOf((calls) => stopMachines(world, calls));
    this.#deletes = queueOf((calls) => deleteMachines(world, calls));
    this.#reads = queueOf((calls) => readMachines(world, calls));
  }

  /** As insertMachines, for one. Rejects with the database's error if its GPU is missing or taken. */
  insert(call: Call<MachineSpec>): Promise<Answer> {
    return this.#inserts.do(call);
  }

  /** As startMachines, for one. */
  start(call: Call): Promise<Answer> {
    return this.#starts.do(call);
  }

  /** As stopMachines, for one. */
  stop(call: Call): Promise<Answer> {
    return this.#stops.do(call);
  }

  /** As deleteMachines, for one. */
  delete(call: Call): Promise<Answer> {
    return this.#deletes.do(call);
  }

  /** As readMachines for `inspect`, for one. */
  read(call: Call): Promise<Answer> {
    return this.#reads.do(call);
  }
}

type Queue<M extends MachineRef = MachineRef> = GroupCommit<Call<M>, Answer>;

function queueOf<M extends MachineRef>(run: (calls: readonly Call<M>[]) => Promise<Answer[]>): Queue<M> {
  return new GroupCommit({
    mostAlone: 1,
    choose: (waiting) => firstOfEach(waiting, ({ machine }) => machine.id, mostCalls),
    together: async (calls) => (await run(calls)).map((result) => ({ result })),
    alone: async (call) => {
      const [answer] = await run([call]);
      if (answer === undefined) throw new Error("BUG: a call has no answer");
      return answer;
    },
  });
}
