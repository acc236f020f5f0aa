// The phases of a move: what the tables say fits together, and the database knows them.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type World } from "../../test/support/world.ts";
import {
  afterMoveObservation,
  drainModes,
  initialMovePhase,
  type MoveObservation,
  moveObservations,
  movePhases,
  moveTraits,
} from "./moves.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

// Object.keys returns strings; these are the keys of the table.
const observed = Object.keys(moveObservations) as MoveObservation[];

/** The words of a CHECK. */
async function wordsOf(constraint: string): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint where conname = ${constraint}`.execute(world.db);
  return [...(rows[0]?.text ?? "").matchAll(/'([\w-]+)'/g)].map(([, word]) => word ?? "");
}

describe("the phases of a move", () => {
  it("are those of the database", async () => {
    expect(await wordsOf("moves_phase_check")).toEqual([...movePhases]);
    expect(await wordsOf("hosts_drain_mode_check")).toEqual([...drainModes]);
  });

  it("are all reached, and all come to an end", () => {
    const reached = new Set<string>([initialMovePhase]);
    for (const from of reached) {
      for (const one of observed) {
        const phase = movePhases.find((known) => known === from);
        const next = phase === undefined ? undefined : afterMoveObservation(phase, one);
        if (next !== undefined) reached.add(next);
      }
    }
    expect([...reached].sort()).toEqual([...movePhases, "over"].sort());
    for (const phase of movePhases.filter((one) => moveTraits[one].holdsBoth))
      expect(observed.some((one) => afterMoveObservation(phase, one) !== undefined)).toBe(true);
  });

  it("change the host of the machine only where both have a copy of it", () => {
    for (const phase of movePhases) {
      for (const one of observed) {
        const next = afterMoveObservation(phase, one);
        if (next === undefined || next === "over") continue;
        if (moveTraits[next].isOnTarget !== moveTraits[phase].isOnTarget)
          expect(moveTraits[phase].holdsBoth).toBe(true);
      }
    }
  });

  it("let nothing be removed before the machine was ready on its new host", () => {
    for (const phase of movePhases.filter((one) => moveTraits[one].isOnTarget && moveTraits[one].work === "remove")) {
      const before = movePhases.filter((one) => observed.some((seen) => afterMoveObservation(one, seen) === phase));
      for (const one of before.filter((other) => other !== phase))
        expect(afterMoveObservation(one, "ready")).toBe(phase);
    }
  });
});
