// Variant D as its ecosystem calls it: the paths that the specification does not show, and what is beside it.

import { beforeAll, expect } from "vitest";
import { examplePublicKey } from "../support/world.ts";
import { at, listAt, textAt } from "./client.ts";
import { claim } from "./rows.ts";
import { type Customer, coupons, images, sceneOfFile, types } from "./scene.ts";
import { instanceIn } from "./states.ts";

const scene = sceneOfFile();
let ada: Customer;
const isId = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

beforeAll(async () => {
  ada = await scene.customer();
});

async function ask(method: string, path: string, body?: unknown) {
  const answer = await scene.client.ask("direct", method, path, { token: ada.token, body });
  return { status: answer.status, body: answer.body };
}

const order = { productName: types.cpu, regionName: "any" };

claim("decided/direct", {
  "list-and-read": async () => {
    const uuid = await instanceIn(scene, ada, "active");
    expect(await ask("GET", "/instance")).toMatchObject({ status: 200, body: { runningInstances: [{ uuid }] } });
    const { status, body } = await ask("GET", `/instance/${uuid}`);
    expect(status).toBe(200);
    expect(body).toEqual({ runningInstance: expect.objectContaining({ uuid }), runningInstances: expect.any(Array) });
    expect(listAt(body, "runningInstances")).toEqual([at(body, "runningInstance")]);
  },
  launch: async () => {
    expect(await ask("POST", "/instance/launch", order)).toEqual({ status: 202, body: { response: isId } });
  },
  "restart-and-terminate": async () => {
    const id = await instanceIn(scene, ada, "stopped");
    expect((await ask("POST", "/instance/restart", { instanceUuids: [id] })).status).toBe(202);
    expect((await ask("POST", "/instance/terminate", { instanceUuids: [id] })).status).toBe(202);
  },
  coupons: async () => {
    const coupon = { code: coupons.ten, discountPercent: 10, deactivationDate: "2099-12-31T23:59:59.000Z" };
    const information = await ask("POST", "/coupon/information", { coupon: coupons.ten });
    expect(information).toEqual({ status: 200, body: { coupon } });
    const validation = await ask("POST", "/coupon/accepted-products", { coupon: coupons.ten });
    expect(validation).toEqual({
      status: 200,
      body: { couponValidation: { coupon, productDetails: expect.any(Array) } },
    });
  },
  "add-key": async () => {
    const added = await ask("POST", "/ssh-keys", { name: "added", publicKey: examplePublicKey });
    expect(added).toEqual({ status: 200, body: { sshKey: { id: isId, name: "added" } } });
  },
  images: async () => {
    const { status, body } = await ask("GET", "/images");
    expect(status).toBe(200);
    expect(listAt(body, "images")).toHaveLength(Object.keys(images).length);
    expect(listAt(body, "images")).toContainEqual({
      vm_image_id: 2,
      vm_image_name: images.second,
      vm_image_description: "Debian 13",
    });
  },
  "token-validation": async () => {
    const valid = { status: 200, body: { message: "Valid Token" } };
    for (const body of [undefined, {}, { token: "x" }]) {
      expect(await ask("POST", "/account/token/validation", body)).toEqual(valid);
    }
    const path = "/account/token/validation";
    expect((await scene.client.ask("direct", "POST", path, { token: "wrong" })).status).toBe(401);
  },
  billing: async () => {
    expect(await ask("GET", "/account/billing")).toEqual({
      status: 200,
      body: {
        billingMethod: expect.any(String),
        rechargeThresholdCents: expect.any(Number),
        rechargeThreshold: expect.any(Number),
        rechargeAmountCents: expect.any(Number),
        rechargeAmount: expect.any(Number),
      },
    });
  },
  keys: async () => {
    await ask("POST", "/ssh-keys", { name: "listed", publicKey: examplePublicKey });
    const { status, body } = await ask("GET", "/ssh-keys");
    expect([status, Object.keys(body as object)]).toEqual([200, ["sshKeys"]]);
    expect(listAt(body, "sshKeys")).toContainEqual({ id: isId, name: "listed", public_key: examplePublicKey });
  },
  "delete-key": async () => {
    const added = await ask("POST", "/ssh-keys", { name: "deleted", publicKey: examplePublicKey });
    const answer = await ask("DELETE", `/ssh-keys/${textAt(added.body, "sshKey", "id")}`);
    expect(answer).toEqual({ status: 200, body: { result: {} } });
  },
  "ssh-key-alias": async () => {
    await ask("POST", "/ssh-keys", { name: "alias", publicKey: examplePublicKey });
    for (const sshKey of ["alias", ["alias"]]) {
      const { body } = await ask("POST", "/instance/launch", { ...order, sshKey });
      const read = await scene.client.need("reference", "GET", `/instances/${textAt(body, "response")}`, {
        token: ada.token,
      });
      expect(at(read, "data", "ssh_key_names")).toEqual(["alias"]);
    }
  },
  region: async () => {
    const id = await instanceIn(scene, ada, "active");
    const { body } = await ask("GET", `/instance/${id}`);
    const one = at(body, "runningInstance");
    expect(one).toMatchObject({ username: "ubuntu", product: { ram: 16, storage: 100 } });
    expect(["The north", "The south"]).toContain(at(one, "region", "description"));
    expect(Object.keys(at(one, "region") as object)).toEqual(["name", "description"]);
  },
});
