// Many launches in one transaction: each goes through or is refused by itself, just as if it had come alone, and what
// cannot be told without waiting is left to be tried alone. Quotas and spend limits are in together-limits.test.ts, races in
// together-races.test.ts. npm test plays two rounds of any launches, npm run test:crash many.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { rounds } from "../../../test/support/extent.ts";
import { begin } from "../../../test/support/interleave.ts";
import { launch, launchAll } from "../../../test/support/launch-all.ts";
import { batchesOfFile, details, instances, type Order, word, words } from "../../../test/support/launch-batches.ts";
import { chosenSeed, type Random, seeded } from "../../../test/support/random.ts";
import { changingNothing } from "../../../test/support/refusals.ts";
import { storiesDisagree } from "../../../test/support/stories.ts";
import { only } from "../../../test/support/world.ts";
import { inTransaction } from "../../database/transaction.ts";
import type { InsufficientCapacity } from "../capacity/insufficient-capacity.ts";
import { RentalError } from "../errors.ts";
import { envVarsContext, type InstanceType } from "../instances/instance.ts";
import { read } from "../instances/instance-store.ts";
import type { Principal } from "../service.ts";
import type { LaunchOutcome } from "./launch.ts";
import type { Asked } from "./plan.ts";

const fixture = batchesOfFile();
const { world, ask, together, countInstances, used } = fixture;
let principal: Principal;
let other: Principal;
let product: InstanceType;
beforeEach(() => {
  ({ principal, other, product } = fixture.prepared);
});

describe("launches that all go through", () => {
  it("are each answered with their own instances, in the order they were asked for", async () => {
    const orders: Order[] = [{ name: "first", quantity: 3 }, { name: "second" }, { name: "third", quantity: 2 }];
    const outcomes = await together(...orders.map((order, index) => ask(index === 1 ? other : principal, order)));
    const launched = outcomes.map(instances);
    expect(launched.map((group) => group.map(({ name }) => name))).toEqual([
      ["first", "first", "first"],
      ["second"],
      ["third", "third"],
    ]);
    expect(new Set(launched.flat().map(({ id }) => id)).size).toBe(6);
    expect(launched.flat().map(({ accountId }) => accountId === other.accountId)).toEqual(
      [0, 0, 0, 1, 0, 0].map(Boolean),
    );
    await auditCapacity(world.db);
  });

  it("are there as they were answered, with everything that was asked for", async () => {
    await world.sshKey(principal, "laptop");
    const coupon = await world.coupon();
    const full = { name: "full", sshKeyNames: ["laptop"], coupon: coupon.code, command: "echo 'a'\n\"b\" \\ 😀" };
    const outcomes = await together(
      ask(principal, { ...full, envVars: { A: "1" } }),
      ask(principal, { passwordWithoutKeys: true }),
    );
    const [first, second] = outcomes.map((outcome) => only(instances(outcome)));
    for (const one of [first, second])
      expect(await read(world.db, world.service, principal, one?.id ?? "")).toEqual(one);
    expect(first).toMatchObject({ state: "booting", name: "full", command: full.command, tokenId: principal.tokenId });
    expect(first?.sshKeys.map(({ name }) => name)).toEqual(["laptop"]);
    expect(first?.coupon).toEqual({ code: coupon.code, discountBasisPoints: 1000 });
    expect([first?.passwordSealed === null, second?.passwordSealed === null]).toEqual([true, false]);
    const rows = await world.db.selectFrom("instances").select("env_vars_sealed").orderBy("position").execute();
    const [sealed, none] = rows.map((row) => row.env_vars_sealed);
    expect(none).toBeNull();
    expect(world.service.keyRing.open(sealed ?? "", envVarsContext(first?.id ?? "")).toString()).toBe('{"A":"1"}');
  });

  it("are told in one event each, whatever became of the others", async () => {
    const outcomes = await together(ask(principal, { quantity: 2 }), ask(principal, { region: "nowhere" }), ask(other));
    const ids = outcomes.flatMap((outcome) =>
      outcome instanceof RentalError ? [] : instances(outcome).map(({ id }) => id),
    );
    const events = await world.db.selectFrom("events").select(["subject_id", "type"]).orderBy("position").execute();
    expect(events.filter(({ type }) => type.startsWith("instance."))).toEqual(
      ids.map((subject_id) => ({ subject_id, type: "instance.booting" })),
    );
    expect(await storiesDisagree(world.db)).toEqual([]);
  });

  it("are none where nobody asks", async () => {
    expect(await changingNothing(world.db, () => together())).toEqual([]);
  });
});

describe("a launch that is refused", () => {
  const refused: [string, string, () => Promise<Order>][] = [
    ["names an unknown type", "unknown-name", async () => ({ instanceType: "nothing" })],
    ["names an unknown region", "unknown-name", async () => ({ region: "nothing" })],
    ["names an unknown image", "unknown-name", async () => ({ image: { name: "nothing" } })],
    ["names an unknown key", "unknown-name", async () => ({ sshKeyNames: ["nothing"] })],
    ["names an unknown file system", "unknown-name", async () => ({ fileSystemNames: ["nothing"] })],
    ["names an unknown coupon", "unknown-name", async () => ({ coupon: "NOTHING" })],
    ["names another account's key", "unknown-name", async () => ({ sshKeyNames: [(await world.sshKey(other)).name] })],
    [
      "has a coupon that is for something else",
      "coupon-refused",
      async () => ({ coupon: (await world.coupon({ instanceTypes: ["another"] })).code }),
    ],
    [
      "has an image that does not run there",
      "image-not-supported",
      async () => ({ image: { name: (await world.image({ isDefault: false, unsupportedGpuModels: ["H100"] })).name } }),
    ],
    ["asks for none", "invalid-parameters", async () => ({ quantity: 0 })],
    ["asks for too many", "invalid-parameters", async () => ({ quantity: 9 })],
    ["breaks the rules for names", "invalid-parameters", async () => ({ name: "" })],
    [
      "has a file system in another region",
      "file-system-in-wrong-region",
      async () => {
        await world.region("south");
        return { fileSystemNames: [(await world.fileSystem(principal)).name], region: "south" };
      },
    ],
    [
      "has a file system that is attached",
      "conflict",
      async () => {
        const { name } = await world.fileSystem(principal);
        await world.launch(principal, { instanceType: product.name, fileSystemNames: [name] });
        return { fileSystemNames: [name] };
      },
    ],
  ];
  for (const [why, kind, orderOf] of refused) {
    it(`because it ${why} leaves the others alone, and nothing of its own`, async () => {
      const order = await orderOf();
      expect(words(await changingNothing(world.db, () => together(ask(principal, order))))).toEqual([kind]);
      const before = await countInstances();
      expect(words(await together(ask(principal), ask(principal, order), ask(other)))).toEqual([
        "launched",
        kind,
        "launched",
      ]);
      expect(await countInstances()).toBe(before + 2);
      await auditCapacity(world.db);
    });
  }

  it("is refused for its own reason where several are for different ones", async () => {
    const outcomes = await together(
      ask(principal, { instanceType: "nothing" }),
      ask(principal, { region: "nowhere" }),
      ask(principal, { name: "" }),
    );
    const fields = outcomes.map((outcome) => Object.keys(Object(details(outcome)).fields));
    expect(fields).toEqual([["field_type"], ["field_region"], ["field_name"]]);
    expect(await countInstances()).toBe(0);
  });
});

describe("a launch for which there is no room", () => {
  /** As it would be alone, and the others beside it go through all the same. */
  async function isRefused(order: Order): Promise<void> {
    const alone = await launchAlone(order).catch((error: unknown) => error);
    expect(alone).toMatchObject({ kind: "insufficient-capacity" });
    const [refused] = await changingNothing(world.db, () => together(ask(principal, order)));
    expect(refused).toEqual(alone);
    const outcomes = await together(ask(principal), ask(principal, order), ask(other), ask(other, order));
    expect(words(outcomes)).toEqual(["launched", "insufficient-capacity", "launched", "insufficient-capacity"]);
    await auditCapacity(world.db);
  }
  const launchAlone = (order: Order) => world.launch(principal, { instanceType: product.name, ...order });

  it("is refused where no host could take it", async () => {
    await isRefused({ instanceType: (await world.product({ gpus: 9 })).name });
    await isRefused({ instanceType: (await world.product({ gpuModel: "B200" })).name });
  });

  it("is refused in a region where there is none, with the regions that have some", async () => {
    await world.region("south");
    await isRefused({ region: "south" });
  });

  it("is refused where only a part of its quantity would fit", async () => {
    await isRefused({ instanceType: (await world.product({ gpus: 3 })).name, quantity: 3 });
  });

  it("is refused when hosts are cordoned or gone, and not any more when they are back", async () => {
    await world.db.updateTable("hosts").set({ mode: "cordoned" }).execute();
    expect(words(await together(ask(principal)))).toEqual(["insufficient-capacity"]);
    await world.db.updateTable("hosts").set({ mode: "up" }).execute();
    expect(words(await together(ask(principal)))).toEqual(["launched"]);
  });

  it("is not refused for what somebody has taken who may yet give it back", async () => {
    await using open = await begin(world.db);
    for (let n = 0; n < 8; n++) await launch(open.tx, world.service, other, ask(other).order);
    expect(words(await together(ask(principal)))).toEqual(["alone"]);
    await open.rollback();
    expect(words(await together(ask(principal)))).toEqual(["launched"]);
  });

  it("is noted, for whoever watches what is asked for in vain", async () => {
    const noted: string[] = [];
    const noRoom = { note: (one: InstanceType) => void noted.push(one.name) };
    const wanted = await world.product({ gpus: 9 });
    await world.service.capacity.refresh();
    await inTransaction(world.db, (tx) => {
      const service = { ...world.service, noRoom: noRoom as unknown as InsufficientCapacity }; // all that is called of it
      return launchAll(tx, service, [ask(principal), ask(principal, { instanceType: wanted.name })]);
    });
    expect(noted).toEqual([wanted.name]);
  });
});

describe("a launch that has to be tried alone", () => {
  /** Both of nothing done, and of the others done all the same. */
  async function isLeftAlone(order: Order): Promise<void> {
    expect(words(await changingNothing(world.db, () => together(ask(principal, order))))).toEqual(["alone"]);
    expect(words(await together(ask(principal), ask(principal, order), ask(other)))).toEqual([
      "launched",
      "alone",
      "launched",
    ]);
    await auditCapacity(world.db);
  }

  it("is one with file systems, though there is room, and then it goes through", async () => {
    const order = { fileSystemNames: [(await world.fileSystem(principal)).name] };
    await isLeftAlone(order);
    expect(await world.launch(principal, { instanceType: product.name, ...order })).toHaveLength(1);
  });

  it("is one whose hosts are all locked by others, and it waits for none of them", async () => {
    await using open = await begin(world.db);
    await sql`select from hosts for update`.execute(open.tx);
    expect(words(await together(ask(principal), ask(other)))).toEqual(["alone", "alone"]);
  });

  it("is each that comes after the room is used up", async () => {
    const outcomes = await together(...Array.from({ length: 10 }, () => ask(principal)));
    expect(words(outcomes)).toEqual([...Array(8).fill("launched"), "alone", "alone"]);
    await auditCapacity(world.db);
  });
});

/** Orders of all kinds, of which many are refused; where room is plenty, and so no reason. */
function anyOrder(random: Random, types: readonly string[]): Order {
  const seldom = <T>(value: T) => (random.below(12) === 0 ? value : undefined);
  const order: Order = {
    instanceType: seldom("nothing") ?? random.one(types),
    region: seldom("nowhere") ?? random.one(["any", "north", "south"]),
    quantity: seldom(0) ?? seldom(9) ?? 1 + random.below(4),
    name: seldom("") ?? random.one(["blue", "green"]),
    sshKeyNames: seldom(["nothing"]) ?? random.one([[], ["laptop"]]),
    image: seldom({ name: "nothing" }) ?? seldom({ name: "not-on-h100" }),
    coupon: seldom("NOTHING") ?? seldom("TEN"),
    envVars: seldom({ "NOT A NAME": "1" }) ?? random.one([{}, { A: "1" }]),
    maxLifetimeSeconds: seldom(3600),
    passwordWithoutKeys: random.below(2) === 0,
  };
  return order;
}

describe("any launches where room is plenty", () => {
  for (const round of rounds(2, 40)) {
    const random = seeded(chosenSeed + round - 1);
    it(`become together what they become one by one (round ${round}, seed ${random.seed})`, async () => {
      for (const region of ["north", "south", "north", "south"]) {
        await world.host({ region, gpus: 64, vcpus: 2000, memoryGib: 90_000, storageGb: 900_000 });
      }
      const types = [product.name, (await world.product({ gpus: 2 })).name, (await world.product({ gpus: 0 })).name];
      await world.image({ name: "not-on-h100", isDefault: false, unsupportedGpuModels: ["H100"] });
      await world.coupon({ code: "TEN" });
      const principals = [
        principal,
        other,
        await world.account({ quotas: { gpus: 9 } }),
        await world.account({ quotas: { vcpus: 30 } }),
      ];
      principals.push(
        await world.account({ quotas: { instances: 5 } }),
        await world.account({ spendLimitCents: 1000 }),
      );
      for (const one of principals) await world.sshKey(one, "laptop");
      await used(principals[5] ?? principal, 1000);
      const asked = Array.from({ length: 40 }, () => ask(random.one(principals), anyOrder(random, types)));

      const batch = await begin(world.db);
      await world.service.capacity.refresh();
      const batched = (await launchAll(batch.tx, world.service, asked)).map((one, index) => told(one, asked[index]));
      await batch.rollback();
      const alone = [];
      for (const one of asked) alone.push(told(await outcomeAlone(one), one));
      expect(batched).toEqual(alone);
      expect(new Set(batched.map(({ what }) => what)).size).toBeGreaterThan(3);

      expect(await together(...asked)).toHaveLength(asked.length);
      await auditCapacity(world.db);
    });
  }

  const outcomeAlone = (one: Asked): Promise<LaunchOutcome> =>
    world.launch(one.principal, one.order).catch((error: unknown) => {
      if (error instanceof RentalError) return error;
      throw error;
    });

  /**
   * All that can be compared of an outcome; ids, names of hosts, times and secrets are each one's own. So is the region
   * where any would do: room that was found for one that its quota then refuses is not there for those after it.
   */
  function told(outcome: LaunchOutcome, one: Asked | undefined) {
    const launched = word(outcome) === "launched" ? instances(outcome) : [];
    const plain = launched.map((instance) => {
      const { id, position, hostname, createdAt, host, gpuAddresses, passwordSealed, region, ...same } = instance;
      const asked = one?.order.region === "any" ? "any" : region;
      return { ...same, asked, gpus: gpuAddresses.length, hasPassword: passwordSealed !== null };
    });
    return { what: word(outcome), details: details(outcome), plain };
  }
});
