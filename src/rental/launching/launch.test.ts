// What a launch gives: instances that are complete in themselves, whatever becomes of the catalogue afterwards.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { booksDisagree } from "../../../test/support/books.ts";
import { launch } from "../../../test/support/launch-all.ts";
import { changingNothing } from "../../../test/support/refusals.ts";
import { launchOrder, worldOfFile } from "../../../test/support/world.ts";
import { listen } from "../../database/listen.ts";
import { deleteImage } from "../catalog/image-store.ts";
import { deleteInstanceType } from "../catalog/instance-type-store.ts";
import { putRegion } from "../catalog/region-store.ts";
import { deleteCoupon } from "../coupons/coupons.ts";
import type { InstanceType } from "../instances/instance.ts";
import { list, read } from "../instances/instance-store.ts";
import { workChannel } from "../instances/wake.ts";
import type { Principal } from "../service.ts";
import { deleteKey } from "../ssh-keys/ssh-keys.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.host({ gpus: 8, engine: "simulated" });
  product = await world.product({ gpus: 1, priceCentsPerHour: 250 });
});

const readBack = (id: string) => read(world.db, world.service, principal, id);

describe("a launched instance", () => {
  it("boots: accepted, with its place held, and not yet anything that only an engine can say", async () => {
    const image = await world.image({ loginUser: "admin" });
    const instance = await world.launchOne(principal, { instanceType: product.name, region: "north" });
    expect(instance).toMatchObject({
      accountId: principal.accountId,
      state: "booting",
      health: "ok",
      failure: null,
      ip: null,
      engine: "simulated",
      region: { name: "north", description: "The region north" },
      product,
      image: { name: image.name, number: image.number, description: image.description },
      loginUser: "admin",
      coupon: null,
      command: null,
      passwordSealed: null,
      jupyterTokenSealed: null,
      sshKeys: [],
      fileSystemNames: [],
      activeAt: null,
      terminatingAt: null,
      terminatedAt: null,
    });
    expect(instance.gpuAddresses).toHaveLength(1);
    expect(instance.progress).not.toBe("");
  });

  it("is read back as the launch gave it", async () => {
    await world.image();
    const key = await world.sshKey(principal);
    const order = { instanceType: product.name, sshKeyNames: [key.name], command: "apt-get update", name: "trainer" };
    const instance = await world.launchOne(principal, order);
    expect(await readBack(instance.id)).toEqual(instance);
  });

  it("is due for reconciler at once, as its first generation, which nobody has fulfilled", async () => {
    await world.image();
    const { id } = await world.launchOne(principal, { instanceType: product.name });
    const { rows } = await sql`select generation, fulfilled_generation, next_look_at <= now() as due, lease_owner
      from instances where id = ${id}`.execute(world.db);
    expect(rows).toEqual([{ generation: 1, fulfilled_generation: 0, due: true, lease_owner: null }]);
  });

  it("is counted: host, GPUs and account agree with it", async () => {
    await world.image();
    await world.launch(principal, { instanceType: product.name, quantity: 3 });
    expect(await booksDisagree(world.db)).toEqual([]);
    const account = await world.db.selectFrom("accounts").selectAll().executeTakeFirstOrThrow();
    expect([account.used_instances, account.used_gpus, account.used_vcpus]).toEqual([3, 3, 24]);
  });

  it("wakes reconciler when it is committed", async () => {
    await world.image();
    const heard = Promise.withResolvers<void>();
    const listener = listen(
      { url: world.url },
      workChannel,
      () => heard.resolve(),
      () => {},
    );
    await listener.ready;
    await world.launch(principal, { instanceType: product.name });
    await heard.promise;
    await listener.close();
  });
});

describe("names", () => {
  beforeEach(() => world.image());

  it("of an instance that was given none begin with its type and end with eight digits of its own", async () => {
    const instance = await world.launchOne(principal, { instanceType: product.name });
    expect(instance.name).toMatch(new RegExp(`^${product.name}-[0-9a-f]{8}$`));
    expect(instance.id.endsWith(instance.name.slice(-8))).toBe(true);
  });

  it("are shared by a quantity, whose host names still differ", async () => {
    const group = await world.launch(principal, { instanceType: product.name, quantity: 3, name: "My Group" });
    expect(group.map((one) => one.name)).toEqual(["My Group", "My Group", "My Group"]);
    expect(new Set(group.map((one) => one.hostname)).size).toBe(3);
    for (const one of group) expect(one.hostname).toMatch(/^my-group-[0-9a-f]{8}$/);
  });

  it("may be used again by another launch", async () => {
    await world.launch(principal, { instanceType: product.name, name: "same" });
    expect((await world.launchOne(principal, { instanceType: product.name, name: "same" })).name).toBe("same");
  });
});

describe("a quantity", () => {
  it("gives as many instances, each with an id of its own, and lists have them in the same order", async () => {
    await world.image();
    const ids = (await world.launch(principal, { instanceType: product.name, quantity: 5 })).map((one) => one.id);
    expect(new Set(ids).size).toBe(5);
    expect((await list(world.db, world.service, principal, { live: true })).map((one) => one.id)).toEqual(ids);
  });

  it("gives ids that differ in their first eight digits, to which clients shorten them", async () => {
    await world.image();
    const ids = (await world.launch(principal, { instanceType: product.name, quantity: 5 })).map((one) => one.id);
    expect(new Set(ids.map((id) => id.slice(0, 8))).size).toBe(5);
  });
});

describe("the image", () => {
  it("is the operator's default one where none is asked for", async () => {
    await world.image({ name: "first", isDefault: false });
    await world.image({ name: "chosen", isDefault: true });
    expect((await world.launchOne(principal, { instanceType: product.name })).image.name).toBe("chosen");
  });

  it("is found by name or by number", async () => {
    const image = await world.image({ isDefault: false });
    await world.image();
    for (const asked of [{ name: image.name }, { number: image.number }]) {
      const instance = await world.launchOne(principal, { instanceType: product.name, image: asked });
      expect(instance.image.name).toBe(image.name);
    }
  });
});

describe("what was agreed at launch", () => {
  it("stays, though product, image, coupon, key and region are changed or deleted", async () => {
    const image = await world.image();
    const coupon = await world.coupon({ discountBasisPoints: 2500 });
    const key = await world.sshKey(principal);
    const order = { instanceType: product.name, coupon: coupon.code, sshKeyNames: [key.name] };
    const agreed = await world.launchOne(principal, order);
    await world.product({ ...product, priceCentsPerHour: 9999, description: "Dearer", gpus: 4 });
    await world.image({ ...image, description: "Other", loginUser: "root" });
    await world.coupon({ ...coupon, discountBasisPoints: 1 });
    await world.tx((tx) => putRegion(tx, { name: "north", description: "Renamed" }));
    expect(await readBack(agreed.id)).toEqual(agreed);
    await world.tx(async (tx) => {
      await deleteInstanceType(tx, product.name);
      await deleteImage(tx, image.name);
      await deleteCoupon(tx, coupon.code);
      await deleteKey(tx, principal, key.id);
    });
    expect(await readBack(agreed.id)).toEqual(agreed);
  });

  it("includes the coupon's discount", async () => {
    await world.image();
    const coupon = await world.coupon({ discountBasisPoints: 2500, instanceTypes: [product.name] });
    const instance = await world.launchOne(principal, { instanceType: product.name, coupon: coupon.code });
    expect(instance.coupon).toEqual({ code: coupon.code, discountBasisPoints: 2500 });
    expect(instance.product.priceCentsPerHour).toBe(250);
  });

  it("includes the keys, in the order asked for, each once", async () => {
    await world.image();
    await world.sshKey(principal, "b");
    await world.sshKey(principal, "a");
    const instance = await world.launchOne(principal, { instanceType: product.name, sshKeyNames: ["b", "a", "b"] });
    expect(instance.sshKeys.map((key) => key.name)).toEqual(["b", "a"]);
    expect(instance.sshKeys[0]?.publicKey).toMatch(/^ssh-ed25519 \S+ ann@laptop$/);
  });
});

describe("the event of a launch", () => {
  it("is one for each instance, written in the launch's own transaction", async () => {
    await world.image();
    const launched = await world.launch(principal, { instanceType: product.name, quantity: 2, name: "pair" });
    const { rows } = await sql<{ subject: string; type: string; account: string; data: unknown; together: boolean }>`
      select e.subject_id as subject, e.type, e.account_id as account, e.data, e.created_at = i.created_at as together
      from events e join instances i on i.id = e.subject_id order by e.position`.execute(world.db);
    expect(rows.map((row) => row.subject)).toEqual(launched.map((one) => one.id));
    for (const row of rows)
      expect(row).toMatchObject({ type: "instance.booting", account: principal.accountId, together: true });
    expect(rows[0]?.data).toMatchObject({
      instance_id: launched[0]?.id,
      name: "pair",
      state: "booting",
      region: "north",
      instance_type: product.name,
    });
  });

  it("is not there when the launch's transaction is rolled back", async () => {
    await world.image();
    const failing = () =>
      world.tx(async (tx) => {
        await launch(tx, world.service, principal, launchOrder({ instanceType: product.name }));
        throw new Error("the answer could not be kept");
      });
    await changingNothing(world.db, () => expect(failing()).rejects.toThrow("kept"));
  });
});
