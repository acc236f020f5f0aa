// Rules of an account, and sets of rules: what is kept of them, who has them, and which instances are to be looked at.

import { beforeEach, describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import type { Transaction } from "../../database/connect.ts";
import { states } from "../../rules/lifecycle.ts";
import { deleteRegion } from "../catalog/region-store.ts";
import type { InstanceType } from "../instances/instance.ts";
import { read } from "../instances/instance-store.ts";
import type { Principal } from "../service.ts";
import { readAccountRules, replaceAccountRules } from "./account-rules.ts";
import { bounds, defaultRules, type GivenRule } from "./rules.ts";
import {
  changeRuleset,
  createRuleset,
  deleteRuleset,
  listRulesets,
  type RulesetChange,
  readRuleset,
} from "./ruleset-store.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 0 });
});

const ssh: GivenRule = { protocol: "tcp", ports: [22, 22], source: "192.0.2.0/24", description: "SSH" };
const web: GivenRule = { ...ssh, ports: [443, 443], description: "web" };
const everything: GivenRule = { ...ssh, protocol: "all", ports: [1, 65_535], source: "0.0.0.0/0" };
/** Of a service whose engine cannot filter. */
const unfiltering = { enginesWithoutFirewall: () => new Set(["simulated"]) };
const nobody = "0198c0de-0000-7000-8000-000000000000";

const create = (spec: { name?: string; region?: string; rules?: GivenRule[] } = {}, who = principal) =>
  world.tx((tx) => createRuleset(tx, who, { name: "set", region: "north", rules: [ssh], ...spec }));
const change = (id: string, to: RulesetChange, who = principal) =>
  world.tx((tx) => changeRuleset(tx, world.service, who, id, to));
const remove = (id: string, who = principal) => world.tx((tx) => deleteRuleset(tx, who, id));
const replace = (rules: readonly GivenRule[], who = principal) =>
  world.tx((tx) => replaceAccountRules(tx, world.service, who, rules, "data"));
const launch = (rulesets: readonly string[] = [], who = principal, region = "any") =>
  world.launchOne(who, { instanceType: product.name, firewallRulesetIds: rulesets, region });
const events = async (subject: string) =>
  (await world.db.selectFrom("events").selectAll().where("subject_id", "=", subject).orderBy("position").execute()).map(
    ({ type }) => type,
  );

/** How many changes of rules its machine still has to be told of. */
async function untold(id: string): Promise<number> {
  const row = await world.db.selectFrom("instances").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  return row.firewall_wished - row.firewall_applied;
}

/** As if the reconciler had looked at them, and planned no other look. */
async function settle(): Promise<void> {
  await world.db
    .updateTable("instances")
    .set({ next_look_at: null, firewall_wished: 0, firewall_applied: 0 })
    .execute();
}

const isDue = async (id: string) =>
  (await world.db.selectFrom("instances").select("next_look_at").where("id", "=", id).executeTakeFirst())
    ?.next_look_at !== null;

describe("the rules of an account", () => {
  it("let everything in until somebody gives others", async () => {
    expect(await readAccountRules(world.db, principal)).toEqual(defaultRules);
    await replace([ssh, web]);
    expect(await readAccountRules(world.db, principal)).toEqual([ssh, web]);
    await replace([]);
    expect(await readAccountRules(world.db, principal)).toEqual([]);
    expect(await readAccountRules(world.db, await world.account())).toEqual(defaultRules);
    expect(await events(principal.accountId)).toEqual(["account.firewall_changed", "account.firewall_changed"]);
  });

  it("given as they are change nothing and are no event", async () => {
    await changingNothing(world.db, () =>
      replace([{ protocol: "all", ports: [1, 65_535], source: "0.0.0.0/0", description: "Default: everything" }]),
    );
    await replace([ssh]);
    await changingNothing(world.db, () => replace([{ ...ssh, source: "192.0.2.77/24" }]));
  });

  it("that break a rule change nothing", async () => {
    const wrong = () => refusal("invalid-parameters", replace([ssh, { ...ssh, ports: [2, 1] }]));
    expect(Object.keys((await changingNothing(world.db, wrong)).fields)).toEqual(["data.1.port_range"]);
  });

  it("make every live instance of the account due, and no other", async () => {
    const instances = await Promise.all(states.map(async (state) => ({ state, id: (await launch()).id })));
    const others = await launch([], await world.account());
    for (const { id, state } of instances) await world.put(id, state);
    await settle();
    await replace([ssh]);
    for (const { id, state } of instances) {
      const isLive = !["terminating", "terminated"].includes(state);
      expect([await untold(id), await isDue(id)], state).toEqual([isLive ? 1 : 0, isLive]);
    }
    expect([await untold(others.id), await isDue(others.id)]).toEqual([0, false]);
  });

  it("are refused while a live instance is where nothing can filter, unless they let everything in", async () => {
    const put = (rules: GivenRule[]) =>
      world.tx((tx) => replaceAccountRules(tx, unfiltering, principal, rules, "data"));
    const { id } = await launch();
    for (const rules of [[ssh], []]) {
      const { message } = await changingNothing(world.db, () => refusal("conflict", put(rules)));
      expect(message).toContain(id);
    }
    expect(await put([ssh, everything])).toHaveLength(2);
    await world.change(principal, "terminate", [id]);
    expect(await put([ssh])).toEqual([ssh]);
  });

  it("reach an instance that is launched at the same moment", async () => {
    await using launching = await begin(world.db);
    await launching.tx
      .selectFrom("accounts")
      .select("id")
      .where("id", "=", principal.accountId)
      .forNoKeyUpdate()
      .execute();
    const replaced = replace([ssh]);
    await untilWaiting(world.db);
    // A launch holds its account to the end, so its instance is written before or after the rules, and never unseen.
    const { id } = await launch([], await world.account());
    await launching.tx.updateTable("instances").set({ account_id: principal.accountId }).where("id", "=", id).execute();
    await launching.commit();
    await replaced;
    expect(await untold(id)).toBe(1);
  });
});

describe("a ruleset", () => {
  it("is shown as it was made, with the live instances that have it", async () => {
    const made = await create({ name: "web", rules: [web] });
    expect(made).toMatchObject({ name: "web", region: { name: "north" }, rules: [web], instanceIds: [] });
    const { id } = await launch([made.id.replaceAll("-", ""), made.id.toUpperCase()]);
    await launch();
    expect(await readRuleset(world.db, principal, made.id)).toEqual({ ...made, instanceIds: [id] });
    expect(await listRulesets(world.db, principal)).toEqual([{ ...made, instanceIds: [id] }]);
    await world.change(principal, "terminate", [id]);
    expect(await listRulesets(world.db, principal)).toEqual([made]);
  });

  it("is told by events when it is made, changed and deleted", async () => {
    const { id } = await create();
    await change(id, { name: "other" });
    await remove(id);
    expect(await events(id)).toEqual([
      "firewall_ruleset.created",
      "firewall_ruleset.changed",
      "firewall_ruleset.deleted",
    ]);
  });

  it("has a name of 1 to 64 characters, which others may have too", async () => {
    await create({ name: "x".repeat(64) });
    await create({ name: "x".repeat(64) });
    for (const name of ["", "x".repeat(65), "a\nb"]) {
      expect(Object.keys((await refusal("invalid-parameters", create({ name }))).fields)).toEqual(["name"]);
    }
  });

  it("is in a region that there is, and that stays as long as it", async () => {
    expect(Object.keys((await refusal("unknown-name", create({ region: "nowhere" }))).fields)).toEqual(["region"]);
    await world.region("south");
    const { id } = await create({ region: "south" });
    const leave = () => world.tx((tx) => deleteRegion(tx, "south"));
    await changingNothing(world.db, () => refusal("conflict", leave()));
    await remove(id);
    await leave();
  });

  it("is one of not too many, though several ask for the last place at once", async () => {
    for (let n = 1; n < bounds.setsOfAnAccount; n++) await create();
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => create()));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await changingNothing(world.db, () => refusal("quota-exceeded", create()))).toEqual({
      what: "firewall_rulesets",
      limit: bounds.setsOfAnAccount,
      used: bounds.setsOfAnAccount,
      requested: 1,
    });
    await create({}, await world.account());
  });

  it("page by page is shown once, oldest first", async () => {
    for (const name of ["c", "a", "b"]) await create({ name });
    const first = await listRulesets(world.db, principal, { limit: 2 });
    const last = only(await listRulesets(world.db, principal, { after: first.at(-1)?.id }));
    expect([...first, last].map(({ name }) => name)).toEqual(["c", "a", "b"]);
  });

  it("of another account, or of none, is unknown to whoever reads, changes or deletes it", async () => {
    const { id } = await create();
    const eve = await world.account();
    for (const unknown of [id, nobody, "nonsense"]) {
      for (const attempt of [
        () => readRuleset(world.db, eve, unknown),
        () => change(unknown, { name: "mine" }, eve),
        () => remove(unknown, eve),
      ]) {
        const details = await changingNothing(world.db, () => refusal("unknown-object", attempt()));
        expect(details).toEqual({ what: "firewall ruleset", ids: [unknown] });
      }
    }
  });
});

describe("a change of a ruleset", () => {
  it("sets what is given, and leaves the rest", async () => {
    const made = await create({ rules: [ssh] });
    expect(await change(made.id, { name: "other" })).toEqual({ ...made, name: "other" });
    expect(await change(made.id, { rules: [web] })).toEqual({ ...made, name: "other", rules: [web] });
    await changingNothing(world.db, () => change(made.id, {}));
    await changingNothing(world.db, () => change(made.id, { name: "other", rules: [web] }));
  });

  it("makes the live instances due that have it, for new rules and not for a new name", async () => {
    const [one, other] = [await create(), await create()];
    const having = await launch([one.id, other.id]);
    const without = await launch([other.id]);
    await settle();
    await change(one.id, { name: "renamed" });
    expect([await untold(having.id), await isDue(having.id)]).toEqual([0, false]);
    await change(one.id, { rules: [web] });
    expect([await untold(having.id), await untold(without.id)]).toEqual([1, 0]);
    expect([await isDue(having.id), await isDue(without.id)]).toEqual([true, false]);
  });
});

describe("where nothing can filter, a change of a ruleset", () => {
  const tighten = (id: string, rules: GivenRule[] = [ssh]) =>
    world.tx((tx) => changeRuleset(tx, unfiltering, principal, id, { rules }));
  const put = (rules: GivenRule[]) => world.tx((tx) => replaceAccountRules(tx, unfiltering, principal, rules, "data"));

  it("is refused where it would keep something out of a live instance that has it", async () => {
    await replace([ssh]);
    const { id } = await create({ rules: [everything] });
    const instance = await launch([id]);
    for (const rules of [[web], []]) {
      const { message } = await changingNothing(world.db, () => refusal("conflict", tighten(id, rules)));
      expect(message).toContain(instance.id);
    }
    expect((await tighten(id, [web, everything])).rules).toHaveLength(2);
    await world.tx((tx) => changeRuleset(tx, unfiltering, principal, id, { name: "other" }));
    await world.change(principal, "terminate", [instance.id]);
    expect((await tighten(id)).rules).toEqual([ssh]);
  });

  it("is taken where nothing is kept out of those that have it, whoever else there is", async () => {
    const [one, other] = [await create({ rules: [everything] }), await create({ rules: [everything] })];
    await launch([one.id, other.id]);
    await launch();
    await tighten(one.id); // the account lets everything in
    await put([everything, web]);
    expect((await tighten(one.id, [web])).rules).toEqual([web]);
    expect((await tighten(other.id, [])).rules).toEqual([]);
  });

  it("is refused for the sets together: what another one of the instance lets in is not kept out", async () => {
    const [one, other] = [await create({ rules: [everything] }), await create({ rules: [everything] })];
    await launch([one.id, other.id]);
    await put([ssh]);
    await tighten(one.id);
    await changingNothing(world.db, () => refusal("conflict", tighten(other.id)));
  });

  it("and one of the account's rules that would do alone do not pass each other", async () => {
    const { id } = await create({ rules: [everything] });
    await launch([id]);
    for (const [first, second] of [
      [(tx: Transaction) => replaceAccountRules(tx, unfiltering, principal, [ssh], "data"), () => tighten(id)],
      [(tx: Transaction) => changeRuleset(tx, unfiltering, principal, id, { rules: [ssh] }), () => put([ssh])],
    ] as const) {
      await using open = await begin(world.db);
      await first(open.tx);
      const refused = refusal("conflict", second());
      await untilWaiting(world.db);
      await open.commit();
      await refused;
      await world.tx((tx) => changeRuleset(tx, unfiltering, principal, id, { rules: [everything] }));
      await replace([everything]);
    }
  });

  it("and one of another set of the same instance do not either", async () => {
    const [one, other] = [await create({ rules: [everything] }), await create({ rules: [everything] })];
    await launch([one.id, other.id]);
    await put([ssh]);
    await using open = await begin(world.db);
    await changeRuleset(open.tx, unfiltering, principal, one.id, { rules: [ssh] });
    const refused = refusal("conflict", tighten(other.id));
    await untilWaiting(world.db);
    await open.commit();
    await refused;
  });
});

describe("deleting a ruleset", () => {
  it("is refused as long as a live instance has it", async () => {
    const { id } = await create();
    const instance = await launch([id]);
    await changingNothing(world.db, () => refusal("firewall-ruleset-in-use", remove(id)));
    await world.change(principal, "terminate", [instance.id]);
    await remove(id);
    expect(await listRulesets(world.db, principal)).toEqual([]);
  });

  it("waits for a launch that is about to have it, and is refused then", async () => {
    const { id } = await create();
    await using launching = await begin(world.db);
    await launching.tx.selectFrom("firewall_rulesets").select("id").where("id", "=", id).forKeyShare().execute();
    const removed = refusal("firewall-ruleset-in-use", remove(id));
    await untilWaiting(world.db);
    const { id: instance } = await launch();
    await launching.tx
      .updateTable("instances")
      .set({ firewall_ruleset_ids: [id] })
      .where("id", "=", instance)
      .execute();
    await launching.commit();
    expect(await removed).toEqual({ id });
  });
});

describe("a launch with rulesets", () => {
  it("shows them on the instance, each once and in its order, also when it has ended", async () => {
    const [one, other] = [await create(), await create()];
    const instance = await launch([other.id, one.id, other.id]);
    expect(instance.firewallRulesetIds).toEqual([other.id, one.id]);
    expect((await launch()).firewallRulesetIds).toEqual([]);
    await world.put(instance.id, "terminated");
    await remove(one.id);
    const ended = await read(world.db, world.service, principal, instance.id);
    expect(ended.firewallRulesetIds).toEqual([other.id, one.id]);
  });

  it("is in their region, also where any would do", async () => {
    await world.host({ region: "south", vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
    const { id } = await create({ region: "south" });
    for (let n = 0; n < 3; n++) expect((await launch([id])).region.name).toBe("south");
    const { fields } = await changingNothing(world.db, () =>
      refusal("invalid-parameters", launch([id], principal, "north")),
    );
    expect(fields.firewallRulesetIds?.message).toContain("south");
  });

  it("is refused for one that is unknown or another account's, and for too many", async () => {
    const { id } = await create({}, await world.account());
    for (const unknown of [id, nobody, "nonsense"]) {
      const { fields } = await changingNothing(world.db, () => refusal("unknown-name", launch([unknown])));
      expect(fields.firewallRulesetIds?.message).toContain(unknown);
    }
    const many = await Promise.all(Array.from({ length: bounds.setsOfAnInstance + 1 }, () => create()));
    await refusal("invalid-parameters", launch(many.map((one) => one.id)));
    await launch(many.slice(1).map((one) => one.id));
  });

  it("is refused for one that is deleted at the same moment", async () => {
    const { id } = await create();
    await using deleting = await begin(world.db);
    await deleting.tx.deleteFrom("firewall_rulesets").where("id", "=", id).execute();
    const launched = refusal("unknown-name", launch([id]));
    await untilWaiting(world.db);
    await deleting.commit();
    await launched;
  });
});
