// Launches as decided: all or none, bounds, names, coupons, passwords, images, env_vars, file systems.

import { sql } from "kysely";
import { beforeAll, describe, expect, it } from "vitest";
import { examplePublicKey } from "../support/world.ts";
import { at, codeOf, fieldsOf, listAt, textAt } from "./client.ts";
import { changesNothing } from "./digest.ts";
import { wireCode } from "./provocations.ts";
import { claim } from "./rows.ts";
import { type Customer, coupons, imageNumbers, images, regions, sceneOfFile, types } from "./scene.ts";
import { expectShownAs, instanceIn, requested } from "./states.ts";
import { direct, lambda, marketplace, reference, type VariantFacts, variants } from "./variants.ts";

const lines: string[] = [];
const scene = sceneOfFile({ log: { write: (line) => void lines.push(line) } });
let ada: Customer;

beforeAll(async () => {
  ada = await scene.customer();
  const body = { name: "laptop", public_key: examplePublicKey };
  await scene.client.need("reference", "POST", "/ssh-keys", { token: ada.token, body });
});

function post(variant: VariantFacts, more: object = {}, customer = ada) {
  const body = { ...variant.launch.body({ type: types.cpu }), ...more };
  return scene.client.ask(variant.name, "POST", variant.launch.path, { token: customer.token, body });
}

/** A launch that has to be refused, and to leave nothing behind. */
async function refused(variant: VariantFacts, more: object, status: number, code: string, customer = ada) {
  const answer = await changesNothing(scene, () => post(variant, more, customer));
  expect([answer.status, codeOf(answer)], answer.text).toEqual([status, code]);
  return { fields: fieldsOf(answer), message: textAt(answer.body, "error", "message"), text: answer.text, answer };
}

async function launchedOne(variant: VariantFacts, more: object = {}): Promise<string> {
  const answer = await post(variant, more);
  expect(answer.status, answer.text).toBe(variant.launch.status);
  return String(variant.launch.ids(answer.body)[0]);
}

async function inD(id: string): Promise<unknown> {
  return at(await scene.client.need("direct", "GET", `/instance/${id}`, { token: ada.token }), "runningInstance");
}

const noCapacity = "instance-operations/launch/insufficient-capacity";
const unknown = "global/object-does-not-exist";
const invalid = "global/invalid-parameters";
const byType = (variant: VariantFacts, type: string) =>
  variant === direct ? { productName: type } : { instance_type_name: type };
const byRegion = (variant: VariantFacts, region: string) =>
  variant === direct ? { regionName: region } : { region_name: region };
const conflictStatus = { reference: 400, lambda: 400, otherwise: 409 };

claim("decided/launch", {
  "all-or-nothing": async () => {
    // Two hosts with eight H100 each: nine fit, but not in one region.
    for (const variant of [marketplace, reference, lambda]) {
      await refused(
        variant,
        { ...byType(variant, types.h100), quantity: 9 },
        conflictStatus[variant.column],
        noCapacity,
      );
    }
    const answer = await post(marketplace, { ...byType(marketplace, types.h100), quantity: 8 });
    expect(listAt(answer.body, "data", "uuids")).toHaveLength(8);
    await scene.clear(ada);
  },
  bounds: async () => {
    for (const variant of [marketplace, reference, lambda]) {
      for (const quantity of [0, -1, 65, 1e9]) await refused(variant, { quantity }, 400, invalid);
      expect(variant.launch.ids((await post(variant, { quantity: 64 })).body)).toHaveLength(64);
      await scene.clear(ada);
      const eve = await scene.customer({ quotas: { instances: 2 } });
      const status = variant.column === "otherwise" ? 403 : 400;
      await refused(variant, { quantity: 3 }, status, "global/quota-exceeded", eve);
      expect((await post(variant, { quantity: 2 }, eve)).status).toBe(200);
      await refused(variant, { quantity: 1 }, status, "global/quota-exceeded", eve);
    }
  },
  answers: async () => {
    const inM = await post(marketplace, { quantity: 3 });
    expect(inM.status).toBe(200);
    const uuids = listAt(inM.body, "data", "uuids");
    expect([new Set(uuids).size, at(inM.body, "data", "uuid")]).toEqual([3, uuids[0]]);
    const inR = await post(reference, { quantity: 3 });
    expect([inR.status, listAt(inR.body, "data", "instance_ids").length]).toEqual([200, 3]);
    const answer = await post(direct);
    expect([answer.status, at(answer.body, "response")]).toEqual([202, expect.any(String)]);
    await scene.clear(ada);
  },
  "no-capacity": async () => {
    const eight = await launchedOne(marketplace, { ...byType(marketplace, types.h100x8), region_name: regions.north });
    for (const variant of variants) {
      const order = { ...byType(variant, types.h100x8), ...byRegion(variant, regions.north) };
      const { message, answer } = await refused(variant, order, conflictStatus[variant.column], noCapacity);
      if (variant === lambda) {
        // To the letter: clients of that family look for it.
        expect(message).toBe("Not enough capacity to fulfill launch request.");
      } else {
        expect(message).toContain("not enough capacity");
        expect(message).toContain(types.h100x8);
      }
      expect(textAt(answer.body, "error", "suggestion")).toContain(regions.south);
    }
    expect(eight).toBeTruthy();
    await scene.clear(ada);
  },
  "unknown-names": async () => {
    const keysField = (variant: VariantFacts) => (variant === direct ? "sshKeys" : "ssh_key_names");
    for (const variant of variants) {
      const type = await refused(variant, byType(variant, "nothing"), 400, unknown);
      expect(type.fields).toEqual(Object.keys(byType(variant, "")));
      const region = await refused(variant, byRegion(variant, "nowhere"), 400, unknown);
      expect(region.fields).toEqual(Object.keys(byRegion(variant, "")));
      const keys = await refused(variant, { [keysField(variant)]: ["nowhere"] }, 400, unknown);
      expect(keys.fields).toEqual([keysField(variant)]);
    }
    expect((await refused(marketplace, { os_image_name: "none" }, 400, unknown)).fields).toEqual(["os_image_name"]);
    expect((await refused(direct, { imageId: 99 }, 400, unknown)).fields).toEqual(["imageId"]);
    for (const variant of [marketplace, reference, lambda]) {
      const fileSystem = await refused(variant, { file_system_names: ["none"] }, 400, unknown);
      expect(fileSystem.fields).toEqual(["file_system_names"]);
    }
  },
  coupon: async () => {
    const none = await refused(direct, { coupon: "NONE" }, 400, unknown);
    expect([none.fields, none.message]).toEqual([["coupon"], expect.stringContaining("NONE")]);
    const expired = await refused(direct, { coupon: coupons.expired }, 400, invalid);
    expect([expired.fields, expired.message]).toEqual([["coupon"], expect.stringContaining("expired")]);
    const off = await refused(direct, { coupon: coupons.off }, 400, invalid);
    expect([off.fields, off.message]).toEqual([["coupon"], expect.stringContaining("not active")]);
    const other = await refused(direct, { coupon: coupons.cpuOnly, productName: types.l4 }, 400, invalid);
    expect([other.fields, other.message]).toEqual([["coupon"], expect.stringContaining(types.l4)]);
  },
  password: async () => {
    const passwords = [];
    for (const more of [{}, { sshKeys: [] }]) {
      const one = await inD(await launchedOne(direct, more));
      expect(one).toMatchObject({ username: "ubuntu" });
      passwords.push(String(at(one, "password")));
    }
    for (const password of passwords) expect(password).toMatch(/^[1-9]\d{14}$/);
    expect(new Set(passwords).size).toBe(2);
    for (const id of [
      await launchedOne(direct, { sshKeys: ["laptop"] }),
      await launchedOne(marketplace),
      await launchedOne(reference),
    ]) {
      expect(at(await inD(id), "password")).toBe(0);
    }
    expect(await everythingStored()).not.toMatch(new RegExp(passwords.join("|")));
  },
  "default-image": async () => {
    for (const variant of variants) {
      expect(at(await inD(await launchedOne(variant)), "image", "name")).toBe(images.usual);
    }
  },
  "unsupported-image": async () => {
    const sentence = "Product does not support the VM Image";
    const m = await refused(
      marketplace,
      { ...byType(marketplace, types.h100), os_image_name: images.noGpu },
      400,
      invalid,
    );
    const d = await refused(direct, { ...byType(direct, types.h100), imageId: imageNumbers.noGpu }, 400, invalid);
    expect([m.message, d.message]).toEqual([sentence, sentence]);
    await launchedOne(marketplace, { os_image_name: images.noGpu });
  },
  command: async () => {
    expect(at(await inD(await launchedOne(direct, { command: "apt update" })), "command_startup")).toBe("apt update");
    expect(at(await inD(await launchedOne(direct)), "command_startup")).toBe("");
  },
  "env-vars": async () => {
    const env_vars = {
      "1BAD": "hidden-value-1",
      PATH: "hidden-value-2",
      LD_X: "hidden-value-3",
      GOOD: "hidden-value-4",
    };
    const { fields, text } = await refused(marketplace, { env_vars }, 400, invalid);
    expect(fields).toEqual(["env_vars.1BAD", "env_vars.LD_X", "env_vars.PATH"]);
    expect(text).not.toContain("hidden-value");
  },
  "env-vars-at-rest": async () => {
    const env_vars = { TOKEN: "very-secret-value" };
    const id = await launchedOne(marketplace, { env_vars });
    await scene.reached(id, "active");
    await refused(marketplace, { env_vars: { ...env_vars, PATH: "very-secret-value" } }, 400, invalid);
    expect(await everythingStored()).not.toContain("very-secret-value");
    expect(lines.join("")).not.toContain("very-secret-value");
    for (const variant of variants) {
      const shown = await scene.client.need(variant.name, "GET", variant.read.path(id), { token: ada.token });
      expect(JSON.stringify(shown)).not.toContain("very-secret-value");
    }
  },
  "file-systems": async () => {
    for (const variant of [marketplace, reference, lambda]) {
      const name = scene.fresh("data");
      const order = { name, region: regions.north, size_gb: 5 };
      const made = await scene.control("POST", "/file-systems", order, { token: ada.token });
      const code = wireCode("file-system-in-wrong-region", variant.name);
      const wrong = await refused(variant, { file_system_names: [name], region_name: regions.south }, 400, code);
      expect(wrong.fields).toEqual(["file_system_names"]);
      const id = await launchedOne(variant, { file_system_names: [name], region_name: regions.north });
      const elsewhere = { file_system_names: [name] };
      const attached = [id];
      // The lambda edition shares a file system whose storage can; the other variants attach it to one instance.
      if (variant === lambda) attached.push(await launchedOne(variant, { ...elsewhere, region_name: regions.north }));
      else await refused(variant, elsewhere, conflictStatus[variant.column], "global/conflict");
      const list = await scene.control("GET", "/file-systems", undefined, { token: ada.token });
      const shared = { attached_to: id, instance_ids: attached, multi_attach: true };
      expect(list).toContainEqual(expect.objectContaining({ id: at(made, "id"), ...shared }));
      await scene.clear(ada);
      await launchedOne(variant, { file_system_names: [name] });
    }
  },
  jupyter: async () => {
    const id = await scene.active(ada);
    const list = await scene.client.need("marketplace", "GET", "/instances", { token: ada.token });
    const listed = listAt(list, "data").find((one) => at(one, "id") === id);
    const read = await scene.client.need("marketplace", "GET", `/instances/${id}`, { token: ada.token });
    for (const one of [listed, at(read, "data")]) expect(one).toMatchObject({ jupyter_token: "", jupyter_url: "" });
  },
});

/** Every row of every table, the simulated world's too. */
async function everythingStored(): Promise<string> {
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema in ('public', 'simulated')`.execute(scene.db);
  const texts = [];
  for (const { schema, name } of tables) {
    const { rows } = await sql<{
      text: string;
    }>`select t::text as text from ${sql.table(`${schema}.${name}`)} t`.execute(scene.db);
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join("\n");
}

describe("an instance that three interfaces know", () => {
  it("launched in M, stopped in M, restarted in D and terminated in R, is shown rightly by all at every step", async () => {
    const eve = await scene.customer();
    const launched = await post(marketplace, { name: "shared" }, eve);
    const id = String(marketplace.launch.ids(launched.body)[0]);
    await scene.reached(id, "active");
    await expectShownAs(scene, eve, id, "active");
    const stopped = await requested(scene, eve, marketplace, "stop", [id]);
    expect(marketplace.wishes.stop?.answered(stopped.body)).toMatchObject([{ id, status: "stopping" }]);
    await scene.reached(id, "stopped");
    await expectShownAs(scene, eve, id, "stopped");
    const restarted = await requested(scene, eve, direct, "restart", [id]);
    expect(direct.wishes.restart?.answered(restarted.body)).toMatchObject([{ id, status: "booting" }]);
    await scene.reached(id, "active");
    await expectShownAs(scene, eve, id, "active");
    const gone = await requested(scene, eve, reference, "terminate", [id]);
    expect(reference.wishes.terminate?.answered(gone.body)).toMatchObject([{ id, status: "terminated" }]);
    await scene.reached(id, "terminated");
    await expectShownAs(scene, eve, id, "terminated");
  });

  it("is the same under an identifier with or without dashes, in either case", async () => {
    const id = await instanceIn(scene, ada, "active");
    for (const variant of variants) {
      for (const written of [id, id.toUpperCase(), id.replaceAll("-", ""), id.replaceAll("-", "").toUpperCase()]) {
        const body = await scene.client.need(variant.name, "GET", variant.read.path(written), { token: ada.token });
        expect(at(variant.read.entry(body), variant.list.idField)).toBe(id);
      }
    }
  });
});
