// Brings instances into any state through real flows, and holds them there by letting the simulated machine have faults.

import { sql } from "kysely";
import { expect } from "vitest";
import { forgive, injectFaults } from "../../src/engines/simulated/database.ts";
import { goals } from "../../src/rules/goals.ts";
import { afterAction, type InstanceAction, isTransient, type State } from "../../src/rules/lifecycle.ts";
import { at } from "./client.ts";
import type { Customer, Scene } from "./scene.ts";
import { type VariantFacts, variants } from "./variants.ts";

/** A new instance of the customer, in this state. It stays there until it is wished elsewhere. */
export async function instanceIn(scene: Scene, customer: Customer, state: State): Promise<string> {
  if (state === "booting") {
    const slow = await injectFaults(scene.db, { kind: "never-boots" });
    const id = await scene.launched(customer);
    await scene.server.reconciler.idle();
    await hold(scene, id);
    await forgive(scene.db, slow);
    return id;
  }
  const id = await scene.active(customer);
  if (state === "active") return id;
  if (isTransient[state]) await hold(scene, id);
  await scene.control("POST", `/instances/${id}/${actionTo(state)}`, {}, { token: customer.token });
  await scene.reached(id, state);
  return id;
}

/** The action that leads an active instance into the state, or comes to rest there. */
function actionTo(state: State): InstanceAction {
  // Object.keys gives texts; these are the table's.
  const all = Object.keys(goals) as InstanceAction[];
  const action = all.find((one) => goals[one] === state || afterAction("active", one) === state);
  if (action === undefined) throw new Error(`no action leads from active to ${state}`);
  return action;
}

/** From now on the machine neither boots nor halts nor goes away. */
export async function hold(scene: Scene, id: string): Promise<void> {
  await injectFaults(scene.db, { kind: "never-boots", machine: id });
  await injectFaults(scene.db, { kind: "never-stops", machine: id });
  await injectFaults(scene.db, { kind: "unavailable", operation: "remove", machine: id });
}

/** One operation of one variant, answered whatever its status. */
export function requested(
  scene: Scene,
  customer: Customer,
  variant: VariantFacts,
  wish: "stop" | "restart" | "terminate",
  ids: readonly unknown[],
) {
  const operation = variant.wishes[wish];
  if (operation === undefined) throw new Error(`${variant.name} has no ${wish}`);
  return scene.client.ask(variant.name, "POST", operation.path, {
    token: customer.token,
    body: { [operation.ids]: ids },
  });
}

/** What one variant shows of an instance: in its list (undefined: not there) and in a single read. */
export async function shownBy(scene: Scene, customer: Customer, variant: VariantFacts, id: string) {
  const { token } = customer;
  const list = variant.list.entries(await scene.client.need(variant.name, "GET", variant.list.path, { token }));
  const read = variant.read.entry(await scene.client.need(variant.name, "GET", variant.read.path(id), { token }));
  return { listed: list.find((entry) => at(entry, variant.list.idField) === id), read };
}

/** Every variant shows the instance in the words for this state. */
export async function expectShownAs(scene: Scene, customer: Customer, id: string, state: State): Promise<void> {
  for (const variant of variants) {
    const { listed, read } = await shownBy(scene, customer, variant, id);
    expect(read, `${variant.name} reads ${state}`).toMatchObject(variant.shows[state]);
    if (variant.lists(state)) expect(listed, `${variant.name} lists ${state}`).toMatchObject(variant.shows[state]);
    else expect(listed, `${variant.name} lists ${state}`).toBeUndefined();
  }
}

/** What a wish changes: when it changes nothing, this stays the same, whatever the reconciler tries meanwhile. */
export async function standing(scene: Scene, ids: readonly string[]): Promise<unknown> {
  const { rows } = await sql`
    select i.id, state, generation, terminating_at, count(e.id) filter (where e.type <> 'instance.progress')::integer as events,
      (select json_agg(b) from billing_spans b where b.instance_id = i.id) as spans
    from instances i left join events e on e.subject_id = i.id
    where i.id = any(${[...ids]}::uuid[]) group by i.id order by i.id`.execute(scene.db);
  return rows;
}
