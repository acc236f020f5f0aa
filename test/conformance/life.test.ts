// The life of an instance over HTTP: every operation in every state through every interface, what it answers, and what
// all three interfaces show afterwards.

import { expect } from "vitest";
import { actions, afterAction, type State, states } from "../../src/rules/lifecycle.ts";
import { at, codeOf, textAt } from "./client.ts";
import { changesNothing } from "./digest.ts";
import { claim } from "./rows.ts";
import { sceneOfFile } from "./scene.ts";
import { expectShownAs, hold, instanceIn, requested, standing } from "./states.ts";
import { marketplace, type PlainAction, reference, type VariantFacts, variants } from "./variants.ts";

const scene = sceneOfFile();

const refusals: Record<
  PlainAction,
  { readonly code: string; readonly status: Record<VariantFacts["column"], number> }
> = {
  stop: {
    code: "instance-operations/stop/instance-terminated",
    status: { reference: 400, lambda: 400, otherwise: 409 },
  },
  restart: {
    code: "instance-operations/restart/instance-not-stopped",
    status: { reference: 400, lambda: 400, otherwise: 409 },
  },
  terminate: { code: "never", status: { reference: 0, lambda: 0, otherwise: 0 } },
};

claim("decided/operations", (row, text) => {
  const [wish, state] = row.split("/") as [PlainAction, State];
  return async () => {
    expect(Object.keys(actions)).toContain(wish);
    expect(states).toContain(state);
    const having = variants.filter((variant) => variant.wishes[wish] !== undefined);
    for (const variant of having) await tryIt(variant, wish, state, text);
  };
});

async function tryIt(variant: VariantFacts, wish: PlainAction, state: State, text: string): Promise<void> {
  const ada = await scene.customer();
  const id = await instanceIn(scene, ada, state);
  await hold(scene, id);
  const before = await standing(scene, [id]);
  const answer = await requested(scene, ada, variant, wish, [id]);
  const target = afterAction(state, wish);
  expect(target !== undefined, "lifecycle.ts and the decisions agree").toBe(text.startsWith("accepted"));
  if (target === undefined) {
    const code = variant.name === "lambda" ? "global/invalid-parameters" : refusals[wish].code;
    expect([answer.status, codeOf(answer)]).toEqual([refusals[wish].status[variant.column], code]);
    expect(textAt(answer.body, "error", "message")).toContain(id);
  } else {
    expect(answer.status, answer.text).toBe(variant.wishes[wish]?.status);
    const [shown] = variant.wishes[wish]?.answered(answer.body) ?? [];
    expect(shown).toMatchObject({ id, status: variant.operationWords[target] });
  }
  if (target === undefined || target === state) expect(await standing(scene, [id])).toEqual(before);
  await expectShownAs(scene, ada, id, target ?? state);
}

/** Every wish of every variant. */
const operations = variants.flatMap((variant) =>
  (Object.keys(variant.wishes) as PlainAction[]).map((wish) => ({
    variant,
    wish,
    status: variant.wishes[wish]?.status,
  })),
);
/** A state in which the wish is accepted and changes something. */
const readyFor = { stop: "active", restart: "stopped", terminate: "active" } as const;

claim("decided/batches", {
  unknown: async () => {
    const eve = await scene.customer();
    const hers = await instanceIn(scene, eve, "stopped");
    for (const { variant, wish } of operations) {
      const ada = await scene.customer();
      const mine = [await instanceIn(scene, ada, readyFor[wish]), await instanceIn(scene, ada, readyFor[wish])];
      const unknown = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
      await scene.settled();
      for (const bad of [unknown, hers, "no uuid"]) {
        const answer = await changesNothing(scene, () => requested(scene, ada, variant, wish, [mine[0], bad, mine[1]]));
        expect([answer.status, codeOf(answer)]).toEqual([404, "global/object-does-not-exist"]);
        expect(textAt(answer.body, "error", "message")).toContain(bad);
        expect(textAt(answer.body, "error", "message")).not.toContain(mine[0]);
      }
    }
  },
  refused: async () => {
    const bad = { stop: "terminated", restart: "active" } as const;
    for (const { variant, wish } of operations) {
      if (wish === "terminate") continue;
      const ada = await scene.customer();
      const good = [await instanceIn(scene, ada, readyFor[wish]), await instanceIn(scene, ada, readyFor[wish])];
      const refusing = await instanceIn(scene, ada, bad[wish]);
      const answer = await changesNothing(scene, () =>
        requested(scene, ada, variant, wish, [good[0], refusing, good[1]]),
      );
      const code = variant.name === "lambda" ? "global/invalid-parameters" : refusals[wish].code;
      expect([answer.status, codeOf(answer)]).toEqual([refusals[wish].status[variant.column], code]);
    }
  },
  duplicates: async () => {
    for (const { variant, wish, status } of operations) {
      const ada = await scene.customer();
      const id = await instanceIn(scene, ada, readyFor[wish]);
      const written = [id, id.toUpperCase(), id.replaceAll("-", ""), id];
      const answer = await requested(scene, ada, variant, wish, written);
      expect(answer.status).toBe(status);
      expect(variant.wishes[wish]?.answered(answer.body)).toHaveLength(1);
    }
  },
  empty: async () => {
    const ada = await scene.customer();
    for (const { variant, wish } of operations) {
      const answer = await changesNothing(scene, () => requested(scene, ada, variant, wish, []));
      // Clients of the lambda edition terminate what is left of theirs, also nothing.
      const isTaken = variant.name === "lambda" && wish === "terminate";
      expect([answer.status, codeOf(answer)]).toEqual(isTaken ? [200, undefined] : [400, "global/invalid-parameters"]);
    }
  },
  repeated: async () => {
    for (const { variant, wish, status } of operations) {
      if (wish === "restart") continue;
      const ada = await scene.customer();
      const id = await instanceIn(scene, ada, "active");
      await hold(scene, id);
      const first = await requested(scene, ada, variant, wish, [id]);
      const after = await standing(scene, [id]);
      const second = await requested(scene, ada, variant, wish, [id]);
      expect([first.status, second.status, second.body]).toEqual([status, status, first.body]);
      expect(await standing(scene, [id])).toEqual(after);
    }
  },
});

claim("spec/transitions", {
  restart: async () => {
    const ada = await scene.customer();
    for (const variant of variants) {
      const id = await instanceIn(scene, ada, "stopped");
      const answer = await requested(scene, ada, variant, "restart", [id]);
      expect(variant.wishes.restart?.answered(answer.body)).toMatchObject([{ id, status: "booting" }]);
      await scene.reached(id, "active");
      const again = await requested(scene, ada, variant, "restart", [id]);
      const code = variant.name === "lambda" ? "global/invalid-parameters" : refusals.restart.code;
      expect(codeOf(again)).toBe(code);
    }
  },
  stop: async () => {
    const ada = await scene.customer();
    const id = await instanceIn(scene, ada, "active");
    const answer = await requested(scene, ada, marketplace, "stop", [id]);
    expect(at(answer.body, "data", "stopped_instances", 0, "status")).toBe("stopping");
    await scene.reached(id, "stopped");
    const spans = await scene.db.selectFrom("billing_spans").selectAll().where("instance_id", "=", id).execute();
    expect(spans).toMatchObject([{ ended_at: null }]);
  },
  terminate: async () => {
    const ada = await scene.customer();
    for (const variant of variants) {
      const id = await instanceIn(scene, ada, "active");
      const answer = await requested(scene, ada, variant, "terminate", [id]);
      expect(variant.wishes.terminate?.answered(answer.body)).toMatchObject([
        { id, status: variant.operationWords.terminating },
      ]);
      await scene.reached(id, "terminated");
      const spans = await scene.db.selectFrom("billing_spans").selectAll().where("instance_id", "=", id).execute();
      expect(spans).toMatchObject([{ ended_at: expect.any(Date) }]);
    }
  },
});

claim("spec/status-values", {
  "list-and-read": () =>
    expect(new Set(states.map((state) => at(marketplace.shows[state], "status")))).toEqual(
      new Set(["terminated", "active", "stopped", "booting"]),
    ),
  operations: () =>
    expect(new Set(Object.values(marketplace.operationWords))).toEqual(
      new Set(["terminated", "active", "stopping", "booting"]),
    ),
  direct: async () => {
    const ada = await scene.customer();
    const id = await instanceIn(scene, ada, "active");
    const body = await scene.client.need("direct", "GET", `/instance/${id}`, { token: ada.token });
    expect(at(body, "runningInstance", "status")).toBe("rented");
    expect(reference.shows.active).toEqual({ status: "active" });
  },
});
