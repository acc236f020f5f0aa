// Firewall rules on their way to the engine: a machine is made with them, and has every later change in the end.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { Engine, Inbound } from "../../src/engines/engine.ts";
import { injectFaults } from "../../src/engines/simulated/database.ts";
import { replaceAccountRules } from "../../src/rental/firewall/account-rules.ts";
import type { GivenRule } from "../../src/rental/firewall/rules.ts";
import { changeRuleset, createRuleset } from "../../src/rental/firewall/ruleset-store.ts";
import { reconcileStatusOf } from "../../src/rental/instances/reconcile-status.ts";
import type { Principal } from "../../src/rental/service.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();

const ssh: GivenRule = { protocol: "tcp", ports: [22, 22], source: "192.0.2.0/24", description: "SSH" };
const web: GivenRule = { ...ssh, ports: [443, 443], description: "web" };
const everything: GivenRule = { protocol: "all", ports: [1, 65_535], source: "0.0.0.0/0", description: "" };
const told = (...rules: GivenRule[]) => rules.map(({ protocol, ports, source }) => ({ protocol, ports, source }));

const replace = (principal: Principal, ...rules: GivenRule[]) =>
  stage.world.tx((tx) => replaceAccountRules(tx, stage.world.service, principal, rules, "data"));
const ruleset = (principal: Principal, ...rules: GivenRule[]) =>
  stage.world.tx((tx) => createRuleset(tx, principal, { name: "set", region: "north", rules }));

/** What the world was told that may come in; null: everything. */
async function inbound({ id }: Pick<Launched, "id">): Promise<unknown> {
  const { rows } = await sql<{ inbound: unknown }>`select inbound from simulated.machines where id = ${id}`.execute(
    stage.db,
  );
  return rows[0]?.inbound;
}

async function untold({ id }: Pick<Launched, "id">): Promise<number> {
  const row = await stage.db.selectFrom("instances").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  return row.firewall_wished - row.firewall_applied;
}

describe("a machine", () => {
  it("is made with everything let in where its account has no rules, rulesets or not", async () => {
    await stage.host();
    const principal = await stage.world.account();
    const { id: set } = await ruleset(principal, ssh);
    const reconciler = stage.reconciler();
    const one = await stage.launchOne({ principal });
    const other = await stage.launchOne({ principal, firewallRulesetIds: [set] });
    await reconciler.idle();
    expect([await inbound(one), await inbound(other)]).toEqual([null, null]);
  });

  it("is made with the rules of its account and those of its rulesets", async () => {
    await stage.host();
    const principal = await stage.world.account();
    await replace(principal, ssh);
    const { id: set } = await ruleset(principal, web);
    const reconciler = stage.reconciler();
    const one = await stage.launchOne({ principal });
    const other = await stage.launchOne({ principal, firewallRulesetIds: [set] });
    const others = await stage.launchOne();
    await reconciler.idle();
    expect([await inbound(one), await inbound(other)]).toEqual([told(ssh), told(ssh, web)]);
    expect(await inbound(others)).toBeNull();
  });

  it("is told of new rules of its account while it runs, without waiting for a poll", async () => {
    await stage.host();
    const reconciler = stage.reconciler({ pollSeconds: 1000 });
    const instance = await stage.launchOne();
    await reconciler.idle();
    await stage.listening();
    for (const rules of [[ssh], [ssh, web], [], [everything]]) {
      await replace(instance.principal, ...rules);
      const expected = rules.includes(everything) ? null : told(...rules);
      await expect.poll(() => inbound(instance)).toEqual(expected);
      await expect.poll(() => untold(instance)).toBe(0);
    }
    expect(await stage.state(instance.id)).toBe("active");
  });

  it("is told of new rules of a set it has, and one without the set is not asked", async () => {
    await stage.host();
    const principal = await stage.world.account();
    await replace(principal, ssh);
    const { id: set } = await ruleset(principal);
    const reconciler = stage.reconciler();
    const one = await stage.launchOne({ principal, firewallRulesetIds: [set] });
    const other = await stage.launchOne({ principal });
    await reconciler.idle();
    await stage.world.tx((tx) => changeRuleset(tx, stage.world.service, principal, set, { rules: [web] }));
    await reconciler.idle();
    expect([await inbound(one), await inbound(other)]).toEqual([told(ssh, web), told(ssh)]);
  });

  it("that is halted is told too, before it starts again", async () => {
    await stage.host();
    const reconciler = stage.reconciler();
    const instance = await stage.launchOne();
    await reconciler.idle();
    await stage.world.change(instance.principal, "stop", [instance.id]);
    await reconciler.idle();
    await replace(instance.principal, ssh);
    await reconciler.idle();
    expect([await stage.state(instance.id), await inbound(instance)]).toEqual(["stopped", told(ssh)]);
  });

  it("that is made while the rules change has the new ones before it starts", async () => {
    await stage.host();
    const instance = await stage.launchOne();
    const inner = stage.engine();
    const seen: string[] = [];
    const engine: Engine = bindAll(inner, {
      create: async (spec, signal) => {
        const made = await inner.create(spec, signal);
        await replace(instance.principal, ssh);
        return made;
      },
      setInbound: async (machine, rules, signal) => {
        seen.push("rules");
        return inner.setInbound(machine, rules, signal);
      },
    });
    const reconciler = stage.reconciler({}, engine);
    await reconciler.idle();
    expect([await stage.state(instance.id), await inbound(instance)]).toEqual(["active", told(ssh)]);
    expect(seen).toEqual(["rules"]);
    expect(await untold(instance)).toBe(0);
  });

  it("is told again until its engine has taken it, and stays active meanwhile", async () => {
    const host = await stage.host();
    const reconciler = stage.reconciler({ retrySeconds: [0, 0] });
    const instance = await stage.launchOne();
    await reconciler.idle();
    await injectFaults(stage.db, { kind: "unavailable", host, operation: "set-inbound", times: 3 });
    expect((await reconcileStatusOf(stage.db, instance.id)).firewallPending).toBe(false);
    await replace(instance.principal, ssh);
    expect((await reconcileStatusOf(stage.db, instance.id)).firewallPending).toBe(true);
    await reconciler.idle();
    expect([await stage.state(instance.id), await inbound(instance)]).toEqual(["active", told(ssh)]);
    expect(await untold(instance)).toBe(0);
    expect((await reconcileStatusOf(stage.db, instance.id)).firewallPending).toBe(false);
  });

  it("is told once of a change, and of none at rest", async () => {
    await stage.host();
    const inner = stage.engine();
    const seen: Inbound[] = [];
    const engine = bindAll(inner, {
      setInbound: async (machine, rules, signal) => {
        seen.push(rules);
        return inner.setInbound(machine, rules, signal);
      },
    });
    const reconciler = stage.reconciler({}, engine);
    const instance = await stage.launchOne();
    await reconciler.idle();
    await replace(instance.principal, ssh);
    await reconciler.idle();
    await sql`update instances set next_look_at = now()`.execute(stage.db);
    reconciler.poke();
    await reconciler.idle();
    expect(seen).toEqual([told(ssh)]);
  });
});

describe("an engine that cannot filter", () => {
  const withoutFirewall = () => {
    const engine: Engine = bindAll(stage.engine(), { setInbound: undefined, firewalls: undefined });
    return engine;
  };

  it("is given no machine for which rules hold: the launch ends, says why, and was never billed", async () => {
    await stage.host();
    const principal = await stage.world.account();
    await replace(principal, ssh);
    const reconciler = stage.reconciler({}, withoutFirewall());
    const instance = await stage.launchOne({ principal });
    await reconciler.idle();
    const row = await stage.row(instance.id);
    expect([row.state, row.failure_code, row.active_at]).toEqual(["terminated", "firewall-not-supported", null]);
    expect(row.failure_message).toContain("firewall rules");
    expect(await inbound(instance)).toBeUndefined();
  });

  it("is given every other one, also where the rules let everything in", async () => {
    await stage.host();
    const principal = await stage.world.account();
    await replace(principal, ssh, everything);
    const reconciler = stage.reconciler({}, withoutFirewall());
    const instances = [await stage.launchOne({ principal }), await stage.launchOne()];
    await reconciler.idle();
    for (const { id } of instances) expect(await stage.state(id)).toBe("active");
  });

  it("has rules that let everything in at once, and others never", async () => {
    await stage.host();
    const reconciler = stage.reconciler({}, withoutFirewall());
    const instance = await stage.launchOne();
    await reconciler.idle();
    const isPending = async () => (await reconcileStatusOf(stage.db, instance.id)).firewallPending;
    for (const [rules, pending] of [
      [[ssh, everything], false],
      [[ssh], true],
      [[everything], false],
    ] as const) {
      await replace(instance.principal, ...rules);
      await reconciler.idle();
      expect(await isPending()).toBe(pending);
    }
    expect(await stage.state(instance.id)).toBe("active");
  });
});

/** The engine with some of it done otherwise. */
function bindAll(engine: Engine, otherwise: { [K in keyof Engine]?: Engine[K] | undefined }): Engine {
  return new Proxy(engine, {
    get: (target, name) => {
      if (Object.hasOwn(otherwise, name)) return Reflect.get(otherwise, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
