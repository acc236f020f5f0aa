// What each interface calls the states, and for how long it shows instances that are gone.

import { beforeAll, expect } from "vitest";
import { operationWords } from "../../src/http/marketplace/status-labels.ts";
import { type State, states } from "../../src/rules/lifecycle.ts";
import { travel } from "../support/time-travel.ts";
import { at } from "./client.ts";
import { claim } from "./rows.ts";
import { type Customer, sceneOfFile } from "./scene.ts";
import { hold, instanceIn, requested, shownBy } from "./states.ts";
import { direct, marketplace, reference, type VariantFacts } from "./variants.ts";

const scene = sceneOfFile();
let ada: Customer;
const ids = new Map<State, string>();
const idIn = (state: State) => ids.get(state) ?? "";

beforeAll(async () => {
  ada = await scene.customer();
  for (const state of states) ids.set(state, await instanceIn(scene, ada, state));
});

/** How the row of the decisions writes what is shown. */
function written(variant: VariantFacts, entry: unknown): string {
  const word = String(at(entry, "status"));
  return variant === direct ? `${word} / ${at(entry, "active")} / ${at(entry, "os_booted")}` : word;
}

/** The word in the answer to an operation that leaves or brings an instance into this state. */
async function operationWord(state: State): Promise<unknown> {
  // No operation leads to active or finds an instance there and leaves it: this word is for the type's sake only.
  if (state === "active") return operationWords.active;
  if (state === "booting") {
    const id = await instanceIn(scene, ada, "stopped");
    await hold(scene, id);
    const answer = await requested(scene, ada, marketplace, "restart", [id]);
    return at(answer.body, "data", "restarted_instances", 0, "status");
  }
  if (state === "stopping" || state === "stopped") {
    const answer = await requested(scene, ada, marketplace, "stop", [idIn(state)]);
    return at(answer.body, "data", "stopped_instances", 0, "status");
  }
  const answer = await requested(scene, ada, marketplace, "terminate", [idIn(state)]);
  return at(answer.body, "data", "terminated_instances", 0, "status");
}

claim("decided/words", (row, text) => {
  const [state, column] = row.split("/") as [State, "marketplace" | "marketplace-operation" | "reference" | "direct"];
  return async () => {
    if (column === "marketplace-operation") {
      expect(await operationWord(state)).toBe(text);
      return;
    }
    const variant = { marketplace, reference, direct }[column];
    const { listed, read } = await shownBy(scene, ada, variant, idIn(state));
    expect(written(variant, read)).toBe(text);
    if (variant.lists(state)) expect(written(variant, listed)).toBe(text);
    else expect(listed).toBeUndefined();
  };
});

claim("decided/visibility", {
  lists: async () => {
    const eve = await scene.customer();
    const gone = await instanceIn(scene, eve, "terminated");
    const live = await instanceIn(scene, eve, "stopped");
    for (const variant of [marketplace, reference]) expect(await listedIds(variant, eve)).toEqual([gone, live]);
    await travel(scene.db, "59 minutes");
    for (const variant of [marketplace, reference]) expect(await listedIds(variant, eve)).toEqual([gone, live]);
    await travel(scene.db, "2 minutes");
    for (const variant of [marketplace, reference]) expect(await listedIds(variant, eve)).toEqual([live]);
  },
  direct: async () => {
    const eve = await scene.customer();
    await instanceIn(scene, eve, "terminated");
    await instanceIn(scene, eve, "terminating");
    const live = await instanceIn(scene, eve, "stopped");
    expect(await listedIds(direct, eve)).toEqual([live]);
  },
  read: async () => {
    const eve = await scene.customer();
    const gone = await instanceIn(scene, eve, "terminated");
    const status = async (variant: VariantFacts) =>
      (await scene.client.ask(variant.name, "GET", variant.read.path(gone), { token: eve.token })).status;
    await travel(scene.db, "29 days 23 hours");
    for (const variant of [marketplace, direct, reference]) expect(await status(variant)).toBe(200);
    await travel(scene.db, "2 hours");
    for (const variant of [marketplace, direct, reference]) expect(await status(variant)).toBe(404);
  },
});

async function listedIds(variant: VariantFacts, customer: Customer): Promise<unknown[]> {
  const body = await scene.client.need(variant.name, "GET", variant.list.path, { token: customer.token });
  return variant.list.entries(body).map((entry) => at(entry, variant.list.idField));
}
