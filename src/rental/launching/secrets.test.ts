// What a launch is told in confidence: sealed for the one instance it belongs to, and nowhere in plaintext.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { only, worldOfFile } from "../../../test/support/world.ts";
import { envVarsContext, type InstanceType, jupyterTokenContext, passwordContext } from "../instances/instance.ts";
import { read } from "../instances/instance-store.ts";
import type { Principal } from "../service.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ gpus: 8 });
  product = await world.product();
});

/** Every row of every table as text. */
async function everythingStored(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(world.db);
  const texts = await Promise.all(
    tables.map(({ name }) => sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(world.db)),
  );
  return texts.flatMap(({ rows }) => rows.map((row) => row.text)).join("\n");
}

async function sealedEnvVars(id: string): Promise<string> {
  const row = await world.db.selectFrom("instances").select("env_vars_sealed").where("id", "=", id).executeTakeFirst();
  return row?.env_vars_sealed ?? "";
}

describe("env vars", () => {
  const envVars = { API_TOKEN: "plaintext-that-nobody-may-see", QUOTED: 'it\'s "ünïcode" 🦊\nand more' };

  it("open again, byte for byte, for their own instance", async () => {
    const { id } = await world.launchOne(principal, { instanceType: product.name, envVars });
    expect(JSON.parse(world.service.keyRing.openText(await sealedEnvVars(id), envVarsContext(id)))).toEqual(envVars);
  });

  it("stand in no column of any row in plaintext, neither keys nor values, nor encoded in a usual way", async () => {
    await world.launch(principal, { instanceType: product.name, envVars, quantity: 2 });
    const stored = await everythingStored();
    expect(stored).toContain(product.name);
    for (const secret of ["API_TOKEN", "plaintext-that", "ünïcode"]) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString("base64").slice(0, -3));
      expect(stored).not.toContain(Buffer.from(secret).toString("hex"));
    }
  });

  it("do not open for another instance of the same launch, nor as its password", async () => {
    const [one, other] = await world.launch(principal, { instanceType: product.name, envVars, quantity: 2 });
    const sealed = await sealedEnvVars(one?.id ?? "");
    expect(() => world.service.keyRing.open(sealed, envVarsContext(other?.id ?? ""))).toThrow("belongs to another row");
    expect(() => world.service.keyRing.open(sealed, passwordContext(one?.id ?? ""))).toThrow("belongs to another row");
  });

  it("leave nothing sealed where there are none", async () => {
    const { id } = await world.launchOne(principal, { instanceType: product.name });
    expect(await sealedEnvVars(id)).toBe("");
  });

  it("are not in the event of the launch", async () => {
    await world.launch(principal, { instanceType: product.name, envVars });
    const { data } = only(await world.db.selectFrom("events").select("data").execute());
    expect(JSON.stringify(data)).not.toMatch(/API_TOKEN|plaintext|sealed/);
  });
});

describe("a login password", () => {
  const withPassword = () => ({ instanceType: product.name, passwordWithoutKeys: true });

  it("is 15 digits, sealed for its own instance", async () => {
    const instance = await world.launchOne(principal, withPassword());
    const password = world.service.keyRing.openText(instance.passwordSealed ?? "", passwordContext(instance.id));
    expect(password).toMatch(/^[1-9]\d{14}$/);
    expect(await everythingStored()).not.toContain(password);
  });

  it("differs from instance to instance of one launch, and opens for none but its own", async () => {
    const [one, other] = await world.launch(principal, { ...withPassword(), quantity: 2 });
    const open = (sealed: string | null | undefined, id: string | undefined) =>
      world.service.keyRing.openText(sealed ?? "", passwordContext(id ?? ""));
    expect(open(one?.passwordSealed, one?.id)).not.toBe(open(other?.passwordSealed, other?.id));
    expect(() => open(one?.passwordSealed, other?.id)).toThrow("belongs to another row");
  });

  it("is not made where there are keys", async () => {
    const key = await world.sshKey(principal);
    const instance = await world.launchOne(principal, { ...withPassword(), sshKeyNames: [key.name] });
    expect(instance.passwordSealed).toBeNull();
  });

  it("is not made where the variant asks for none", async () => {
    const instance = await world.launchOne(principal, { instanceType: product.name, passwordWithoutKeys: false });
    expect(instance.passwordSealed).toBeNull();
  });
});

describe("a Jupyter token", () => {
  const open = (sealed: string | null | undefined, id: string | undefined) =>
    world.service.keyRing.openText(sealed ?? "", jupyterTokenContext(id ?? ""));

  it("is 48 hex digits, another one for each instance, and stands nowhere in plaintext", async () => {
    await world.image({ jupyter: true });
    const launched = await world.launch(principal, { instanceType: product.name, quantity: 2 });
    const tokens = launched.map(({ id, jupyterTokenSealed }) => open(jupyterTokenSealed, id));
    expect(new Set(tokens).size).toBe(2);
    const stored = await everythingStored();
    for (const token of tokens) {
      expect(token).toMatch(/^[0-9a-f]{48}$/);
      expect(stored).not.toContain(token);
      expect(stored).not.toContain(Buffer.from(token).toString("hex"));
      expect(stored).not.toContain(Buffer.from(token, "hex").toString("base64").slice(0, -3));
    }
  });

  it("opens for no other instance, nor as a password", async () => {
    await world.image({ jupyter: true });
    const [one, other] = await world.launch(principal, { instanceType: product.name, quantity: 2 });
    const sealed = one?.jupyterTokenSealed ?? "";
    expect(() => open(sealed, other?.id)).toThrow("belongs to another row");
    expect(() => world.service.keyRing.open(sealed, passwordContext(one?.id ?? ""))).toThrow("belongs to another row");
  });

  it("is not made on an image without Jupyter, and stays when the image changes later", async () => {
    const without = await world.launchOne(principal, { instanceType: product.name });
    expect(without.jupyterTokenSealed).toBeNull();
    const image = await world.image({ jupyter: true });
    const { id, jupyterTokenSealed } = await world.launchOne(principal, { instanceType: product.name });
    await world.image({ ...image, jupyter: false });
    expect((await read(world.db, world.service, principal, id)).jupyterTokenSealed).toBe(jupyterTokenSealed);
  });
});
