// Money and SSH keys as decided.

import { createPublicKey, verify } from "node:crypto";
import sshpk from "sshpk";
import { beforeAll, expect } from "vitest";
import { realKeys, refusedKeys, rsaLine } from "../support/ssh-key-fixtures.ts";
import { travel } from "../support/time-travel.ts";
import { examplePublicKey } from "../support/world.ts";
import { at, codeOf, fieldsOf, listAt, textAt } from "./client.ts";
import { changesNothing } from "./digest.ts";
import { wireCode } from "./provocations.ts";
import { claim } from "./rows.ts";
import { type Customer, coupons, lastDay, sceneOfFile, types } from "./scene.ts";
import { instanceIn, requested } from "./states.ts";
import { direct, marketplace, reference, type VariantFacts, variants } from "./variants.ts";

const scene = sceneOfFile();
let ada: Customer;

beforeAll(async () => {
  ada = await scene.customer();
});

function need(variant: VariantFacts, method: string, path: string, body?: unknown, customer = ada) {
  return scene.client.need(variant.name, method, path, { token: customer.token, body });
}

async function deploy(coupon?: string, customer = ada): Promise<string> {
  const body = { ...direct.launch.body({ type: types.cpu }), ...(coupon === undefined ? {} : { coupon }) };
  return textAt(await need(direct, "POST", direct.launch.path, body, customer), "response");
}

async function productOf(id: string) {
  return at(await need(direct, "GET", `/instance/${id}`), "runningInstance", "product");
}

const validate = (coupon?: string) =>
  scene.client.ask("direct", "POST", "/coupon/accepted-products", {
    token: ada.token,
    body: coupon === undefined ? undefined : { coupon },
  });

/** The seconds that the ledger has for the instance, and their cost. */
async function usage(customer: Customer) {
  const body = await scene.client.need("control", "GET", "/usage", { token: customer.token });
  return listAt(body, "data");
}

claim("decided/money", {
  frozen: async () => {
    await scene.control("PUT", "/coupons/BRIEF", { discount_percent: 50, deactivation_date: lastDay });
    const id = await deploy("BRIEF");
    const half = { price_hr: "0.120000", final_price_hr: "0.060000" };
    expect(await productOf(id)).toMatchObject(half);
    await scene.control("DELETE", "/coupons/BRIEF");
    const dearer = { vcpus: 4, memory_gib: 16, storage_gb: 100, description: `The type ${types.cpu}` };
    await scene.control("PUT", `/instance-types/${types.cpu}`, { ...dearer, price_cents_per_hour: 999 });
    expect(await productOf(id)).toMatchObject(half);
    await scene.control("PUT", `/instance-types/${types.cpu}`, { ...dearer, price_cents_per_hour: 12 });
  },
  span: async () => {
    const eve = await scene.customer();
    const id = await instanceIn(scene, eve, "booting");
    expect(await usage(eve)).toEqual([]);
    const other = await instanceIn(scene, eve, "active");
    await requested(scene, eve, marketplace, "stop", [other]);
    await scene.reached(other, "stopped");
    await travel(scene.db, "1 hour");
    await requested(scene, eve, marketplace, "terminate", [other, id]);
    await travel(scene.db, "1 hour");
    const [line, ...more] = await usage(eve);
    expect([line, more]).toMatchObject([{ instance_id: other, price_cents_per_hour: 12 }, []]);
    expect(Number(at(line, "seconds"))).toBeGreaterThanOrEqual(3600);
    expect(Number(at(line, "seconds"))).toBeLessThan(3620);
  },
  prices: async () => {
    const id = await deploy(coupons.ten);
    expect(await productOf(id)).toMatchObject({ price_hr: "0.120000", final_price_hr: "0.108000" });
    const list = listAt(await need(direct, "GET", "/instance"), "runningInstances");
    const listed = list.find((one) => at(one, "uuid") === id);
    expect(at(listed, "product")).toMatchObject({ price_hr: 0.12, final_price_hr: 0.108 });
  },
  "validation-prices": async () => {
    const details = listAt((await validate(coupons.ten)).body, "couponValidation", "productDetails").flat();
    const h100 = details.find((one) => at(one, "name") === types.h100);
    expect(h100).toMatchObject({ pricePerHour: "2.490000", finalPricePerHour: "2.241000" });
  },
  percent: async () => {
    const body = await need(direct, "POST", "/coupon/information", { coupon: coupons.ten });
    expect(at(body, "coupon", "discountPercent")).toBe(10);
    expect(await productOf(await deploy(coupons.ten))).toMatchObject({ final_price_hr: "0.108000" });
  },
  groups: async () => {
    const groups = listAt((await validate(coupons.ten)).body, "couponValidation", "productDetails");
    const names = groups.map((group) => (group as unknown[]).map((one) => at(one, "name")));
    expect(names).toEqual([[types.cpu], [types.l4], [types.h100, types.h100x8]]);
  },
  "without-coupon": async () => {
    const information = await need(direct, "POST", "/coupon/information", {});
    expect(information).toEqual({ coupon: null });
    for (const answer of [
      await validate(),
      await scene.client.ask("direct", "POST", "/coupon/accepted-products", { token: ada.token, body: {} }),
    ]) {
      expect(at(answer.body, "couponValidation", "coupon")).toBeNull();
      const details = listAt(answer.body, "couponValidation", "productDetails").flat();
      expect(details).toHaveLength(4);
      for (const one of details) expect(at(one, "finalPricePerHour")).toBe(at(one, "pricePerHour"));
    }
  },
  "expired-coupon": async () => {
    for (const [coupon, word] of [
      [coupons.expired, "expired"],
      [coupons.off, "not active"],
    ] as const) {
      expect(await need(direct, "POST", "/coupon/information", { coupon })).toMatchObject({ coupon: { code: coupon } });
      const answer = await validate(coupon);
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ["coupon"]]);
      expect(textAt(answer.body, "error", "message")).toContain(word);
    }
  },
});

function add(variant: VariantFacts, name: string, publicKey: string | undefined) {
  const body = { name, ...(publicKey === undefined ? {} : { [variant.addKey.publicKey]: publicKey }) };
  return scene.client.ask(variant.name, "POST", "/ssh-keys", { token: ada.token, body });
}

/** A private key that opens nothing, so that scanners of this repository have nothing to find. */
const privateKey = [
  "-----BEGIN OPENSSH",
  "PRIVATE KEY-----\nc2VjcmV0LXByaXZhdGUta2V5\n-----END OPENSSH PRIVATE",
  "KEY-----",
].join(" ");
const ed25519 = realKeys["ssh-ed25519"].line;

claim("decided/keys", {
  names: async () => {
    for (const variant of variants) {
      for (const name of ["a", `Ada's`.replace("'", "@"), "x".repeat(64), "a b.c_d@e-f"]) {
        const answer = await add(variant, name, ed25519);
        expect(answer.status, name).toBe(200);
        await remove(String(variant.addKey.id(answer.body)));
      }
      for (const name of ["", "x".repeat(65), "a/b", "é", "a\n", " a", "a ", "a\tb", "😀"]) {
        const answer = await changesNothing(scene, () => add(variant, name, ed25519));
        expect([answer.status, fieldsOf(answer)], JSON.stringify(name)).toEqual([400, ["name"]]);
      }
    }
  },
  accepted: async () => {
    for (const variant of variants) {
      for (const [kind, { line }] of Object.entries(realKeys)) {
        const answer = await add(variant, kind, line);
        expect(answer.status, kind).toBe(200);
        await remove(String(variant.addKey.id(answer.body)));
      }
    }
  },
  refused: async () => {
    const bad = {
      ...refusedKeys,
      "a private key": privateKey,
      "a short rsa key": rsaLine(2047),
      "options before the key": `no-pty ${ed25519}`,
      "two lines": `${ed25519}\n${ed25519}`,
      nothing: "",
      "half a key": ed25519.slice(0, 40),
      "another kind inside": ed25519.replace("ssh-ed25519 ", "ssh-rsa "),
    };
    for (const variant of variants) {
      for (const [what, line] of Object.entries(bad)) {
        const answer = await changesNothing(scene, () => add(variant, "bad", line));
        expect([answer.status, fieldsOf(answer)], what).toEqual([400, [variant.addKey.publicKey]]);
        for (const part of line.split(/\s+/).filter((word) => word.length > 20))
          expect(answer.text).not.toContain(part);
      }
    }
  },
  normalized: async () => {
    for (const variant of variants) {
      const answer = await add(variant, "spaced", `  ${ed25519.replace(" ", "   ")}  \n`);
      expect(answer.status).toBe(200);
      const list = listAt(await need(reference, "GET", "/ssh-keys"), "data");
      expect(list.find((one) => at(one, "name") === "spaced")).toMatchObject({ public_key: ed25519 });
      await remove(String(variant.addKey.id(answer.body)));
    }
  },
  generated: async () => {
    const made = at((await add(reference, "generated", undefined)).body, "data", 0);
    const pair = sshpk.parsePrivateKey(textAt(made, "private_key"), "openssh");
    expect(pair.type).toBe("ed25519");
    const [, blob = ""] = pair.toPublic().toString("ssh").split(" ");
    expect(textAt(made, "public_key")).toContain(blob);
    // What the private half signs, the public half that is listed confirms.
    const signer = pair.createSign("sha512");
    signer.update("a message");
    const x = Buffer.from(blob, "base64").subarray(-32).toString("base64url");
    const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    expect(verify(null, Buffer.from("a message"), publicKey, signer.sign().toBuffer("raw"))).toBe(true);
    const rows = await scene.db.selectFrom("ssh_keys").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain("PRIVATE");
    expect(JSON.stringify(await need(reference, "GET", "/ssh-keys"))).not.toContain("PRIVATE");
    for (const variant of [marketplace, direct]) {
      const answer = await add(variant, "generated too", undefined);
      expect([answer.status, fieldsOf(answer)]).toEqual([400, [variant.addKey.publicKey]]);
    }
  },
  duplicate: async () => {
    await add(reference, "taken", ed25519);
    for (const variant of variants) {
      const answer = await changesNothing(scene, () => add(variant, "taken", examplePublicKey));
      const code = variant.name === "lambda" ? "global/invalid-parameters" : "global/duplicate";
      expect([answer.status, codeOf(answer)]).toEqual([variant.column === "otherwise" ? 409 : 400, code]);
    }
    const eve = await scene.customer();
    await scene.client.need("reference", "POST", "/ssh-keys", { token: eve.token, body: { name: "taken" } });
    const both = await Promise.all(variants.map((variant) => add(variant, "raced", ed25519)));
    expect(both.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
  },
  "running-instances": async () => {
    const key = await add(marketplace, "short-lived", ed25519);
    const id = await scene.active(ada, { keys: ["short-lived"] });
    await remove(String(marketplace.addKey.id(key.body)));
    expect(await scene.stateOf(id)).toBe("active");
    const shown = reference.read.entry(await need(reference, "GET", reference.read.path(id)));
    expect(shown).toMatchObject({ status: "active", ssh_key_names: ["short-lived"] });
  },
  "unknown-key": async () => {
    for (const variant of variants) {
      for (const id of ["0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d", "no-uuid"]) {
        const path = `/ssh-keys/${id}`;
        const answer = await scene.client.ask(variant.name, "DELETE", path, { token: ada.token });
        const status = variant === reference ? 400 : 404;
        expect([answer.status, codeOf(answer)]).toEqual([status, wireCode("unknown-ssh-key", variant.name)]);
      }
    }
  },
});

async function remove(id: string): Promise<void> {
  await need(reference, "DELETE", `/ssh-keys/${id}`);
}
