// Stop, restart and terminate as a customer meets them: every state × wish, batches, ids, and what goes with a change.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import { actions, afterAction, type InstanceAction, type State, states } from "../../rules/lifecycle.ts";
import { openSpans } from "../billing/spans.ts";
import type { Principal } from "../service.ts";
import type { Instance, InstanceType } from "./instance.ts";
import { read } from "./instance-store.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 0 });
});

async function instanceIn(state: State): Promise<Instance> {
  const { id } = await world.launchOne(principal, { instanceType: product.name });
  await world.put(id, state);
  return read(world.db, world.service, principal, id);
}

const stateOf = async (id: string) => (await read(world.db, world.service, principal, id)).state;
const rowOf = (id: string) =>
  world.db.selectFrom("instances").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const refusalOf = {
  stop: "instance-terminated",
  restart: "instance-not-stopped",
  reboot: "instance-not-stopped",
  terminate: "instance-terminated",
} as const;

for (const wish of Object.keys(actions) as InstanceAction[]) {
  describe(wish, () => {
    for (const state of states) {
      const target = afterAction(state, wish);
      if (target === undefined) {
        it(`of a ${state} instance is refused, and changes nothing`, async () => {
          const { id } = await instanceIn(state);
          const details = await changingNothing(world.db, () =>
            refusal(refusalOf[wish], world.change(principal, wish, [id])),
          );
          expect(details.id).toBe(id);
        });
      } else if (target === state) {
        it(`of a ${state} instance is accepted, and changes nothing`, async () => {
          const { id } = await instanceIn(state);
          const answer = await changingNothing(world.db, () => world.change(principal, wish, [id]));
          expect(only(answer)).toMatchObject({ id, state });
        });
      } else {
        it(`of a ${state} instance makes it ${target}`, async () => {
          const { id } = await instanceIn(state);
          const answer = only(await world.change(principal, wish, [id]));
          expect(answer).toMatchObject({ id, state: target });
          expect(await read(world.db, world.service, principal, id)).toEqual(answer);
        });
      }
    }
  });
}

describe("a change", () => {
  it("is a new generation, due at once, with a clean slate", async () => {
    const { id } = await instanceIn("active");
    await sql`update instances set failure_code = 'x', failure_message = 'y', progress = 'z', attempts = 7,
      wished_at = now() - interval '1 hour', next_look_at = null where id = ${id}`.execute(world.db);
    const before = await rowOf(id);
    await world.change(principal, "stop", [id]);
    const after = await rowOf(id);
    expect(after).toMatchObject({ failure_code: null, failure_message: null, progress: null, attempts: 0 });
    expect(after.generation).toBe(before.generation + 1);
    expect(after.fulfilled_generation).toBe(before.fulfilled_generation);
    expect(after.wished_at.getTime()).toBeGreaterThan(before.wished_at.getTime());
    expect(after.next_look_at).toEqual(after.wished_at);
  });

  it("is told by one event for each instance that changed, and by none for those that did not", async () => {
    const [active, stopped] = [await instanceIn("active"), await instanceIn("stopped")];
    await world.db.deleteFrom("events").execute();
    await world.change(principal, "stop", [active.id, stopped.id]);
    const event = only(await world.db.selectFrom("events").selectAll().execute());
    expect(event).toMatchObject({ account_id: principal.accountId, type: "instance.stopping", subject_id: active.id });
    expect(event.data).toMatchObject({ instance_id: active.id, state: "stopping" });
  });

  it("holds on to the capacity: it is given back only when the engine confirms the removal", async () => {
    const { id } = await instanceIn("active");
    const free = () => world.db.selectFrom("hosts").select("free_vcpus").executeTakeFirstOrThrow();
    const before = await free();
    await world.change(principal, "terminate", [id]);
    expect(await free()).toEqual(before);
  });
});

describe("a reboot", () => {
  it("has a machine that runs halt first, and one that is stopped just start", async () => {
    const [active, stopped] = [await instanceIn("active"), await instanceIn("stopped")];
    await world.change(principal, "reboot", [active.id, stopped.id]);
    expect((await rowOf(active.id)).halt_first).toBe(true);
    expect((await rowOf(stopped.id)).halt_first).toBe(false);
  });

  it("that comes again is the same one: no other generation, and still halts first", async () => {
    const { id } = await instanceIn("active");
    await world.change(principal, "reboot", [id]);
    const before = await rowOf(id);
    await changingNothing(world.db, () => world.change(principal, "reboot", [id]));
    expect(await rowOf(id)).toEqual(before);
  });

  it.each(["stop", "terminate"] as const)("is given up by a wish to %s that comes before it is done", async (wish) => {
    const { id } = await instanceIn("active");
    await world.change(principal, "reboot", [id]);
    await world.change(principal, wish, [id]);
    expect((await rowOf(id)).halt_first).toBe(false);
  });
});

describe("the bill", () => {
  async function billedInstance(): Promise<string> {
    const { id } = await instanceIn("active");
    await world.tx((tx) => openSpans(tx, [id]));
    return id;
  }
  const endOf = async (id: string) =>
    (await world.db.selectFrom("billing_spans").select("ended_at").where("instance_id", "=", id).executeTakeFirst())
      ?.ended_at;

  it("goes on while an instance is stopped and restarted", async () => {
    const id = await billedInstance();
    await world.change(principal, "stop", [id]);
    await world.put(id, "stopped");
    await world.change(principal, "restart", [id]);
    expect(await endOf(id)).toBeNull();
  });

  it("goes on through a reboot", async () => {
    const id = await billedInstance();
    await world.change(principal, "reboot", [id]);
    expect(await endOf(id)).toBeNull();
  });

  it("ends with the request to terminate, at the time that the instance says, and not again with a second one", async () => {
    const id = await billedInstance();
    const { terminatingAt } = only(await world.change(principal, "terminate", [id]));
    expect(await endOf(id)).toEqual(terminatingAt);
    await world.change(principal, "terminate", [id]);
    expect(await endOf(id)).toEqual(terminatingAt);
  });

  it("is none for an instance that is terminated before it ever was active", async () => {
    const { id } = await instanceIn("booting");
    await world.change(principal, "terminate", [id]);
    expect(await endOf(id)).toBeUndefined();
  });
});

describe("a batch", () => {
  it("answers in the order asked for, each instance once", async () => {
    const [a, b, c] = [await instanceIn("active"), await instanceIn("booting"), await instanceIn("stopped")];
    const answer = await world.change(principal, "stop", [c.id, a.id, c.id, b.id, a.id]);
    expect(answer.map((one) => [one.id, one.state])).toEqual([
      [c.id, "stopped"],
      [a.id, "stopping"],
      [b.id, "stopping"],
    ]);
  });

  it("does nothing at all when one instance may not do it", async () => {
    const [fine, gone] = [await instanceIn("active"), await instanceIn("terminated")];
    await changingNothing(world.db, () =>
      refusal("instance-terminated", world.change(principal, "stop", [fine.id, gone.id])),
    );
    const [stopped, active] = [await instanceIn("stopped"), await instanceIn("active")];
    const details = await changingNothing(world.db, () =>
      refusal("instance-not-stopped", world.change(principal, "restart", [stopped.id, active.id])),
    );
    expect(details).toEqual({ id: active.id, state: "active" });
  });

  it("does nothing at all when one id is unknown, and names every unknown one as it was written", async () => {
    const { id } = await instanceIn("active");
    const unknown = ["0198C0DE-0000-7000-8000-000000000000", "no-uuid", ""];
    const details = await changingNothing(world.db, () =>
      refusal("unknown-object", world.change(principal, "terminate", [id, ...unknown])),
    );
    expect(details).toEqual({ what: "instance", ids: unknown });
  });

  it("of nothing is refused, and the list is named as the variant calls it", async () => {
    expect(Object.keys((await refusal("invalid-parameters", world.change(principal, "stop", []))).fields)).toEqual([
      "field_ids",
    ]);
  });
});

describe("an id", () => {
  it("is taken with or without dashes, in either case, and several spellings of one count once", async () => {
    const { id } = await instanceIn("active");
    const spellings = [id.toUpperCase(), id.replaceAll("-", ""), id.replaceAll("-", "").toUpperCase(), id];
    expect(only(await world.change(principal, "stop", spellings)).id).toBe(id);
    expect(await stateOf(id)).toBe("stopping");
  });

  it("of another account's instance is like one that does not exist", async () => {
    const { id } = await instanceIn("active");
    const other = await world.account();
    const nobodys = "0198c0de-0000-7000-8000-000000000000";
    for (const wish of ["stop", "restart", "terminate"] as const) {
      const details = await changingNothing(world.db, () =>
        refusal("unknown-object", world.change(other, wish, [id, nobodys])),
      );
      expect(details.ids).toEqual([id, nobodys]);
    }
  });
});
