import { describe, expect, it } from "vitest";
import { startHttp } from "../../../test/support/http.ts";
import { type OpenApiDocument, resolved } from "../../../test/support/openapi.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { newToken } from "../../secrets/token.ts";
import { variants } from "../server.ts";
import { idFields, keyIdField, nameFields, objectsOf } from "./audit-objects.ts";

const world = worldOfFile();
const one = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
const two = "0198c5a2-5c53-7d1a-8f3e-5b7c9d1e2f30";

const ofBody = (body: unknown) => objectsOf({ params: undefined, body }, undefined).objects;
const ofPath = (params: unknown) => objectsOf({ params, body: undefined }, undefined).objects;
const ofAnswer = (answer: unknown) => objectsOf({ params: undefined, body: undefined }, answer).objects;
const bytesOf = (objects: readonly string[]) => Buffer.byteLength(objects.join(""));

describe("the objects of a request", () => {
  it("are what its path names, ids in their one form", () => {
    expect(ofPath({ uuid: one.replaceAll("-", "").toUpperCase() })).toEqual([one]);
    expect(ofPath({ id: one, token_id: two })).toEqual([one, two]);
    expect(ofPath({ name: "north-1" })).toEqual(["north-1"]);
  });

  it("are the ids and names in the body, each once", () => {
    expect(ofBody({ instance_ids: [one, two, one.toUpperCase()] })).toEqual([one, two]);
    expect(
      ofBody({ name: "training", instance_type_name: "h100", region_name: "any", ssh_key_names: ["a", "b"] }),
    ).toEqual(["training", "h100", "any", "a", "b"]);
    expect(ofBody({ sshKey: "laptop" })).toEqual(["laptop"]);
    const mounts = [{ file_system_id: one, mount_point: "/data" }, { file_system_id: "none" }, null, one];
    expect(ofBody({ file_system_mounts: mounts })).toEqual([one]);
    expect(ofBody({ file_system_mounts: { file_system_id: one } })).toEqual([]);
  });

  it("are what the answer says was made", () => {
    expect(ofAnswer({ data: { uuid: one, uuids: [one, two] } })).toEqual([one, two]);
    expect(ofAnswer({ response: one })).toEqual([one]);
    expect(ofAnswer({ data: [{ id: one, name: "x", private_key: "secret" }] })).toEqual([one]);
    expect(ofAnswer({ sshKey: { id: two, publicKey: "ssh-ed25519 AAAA" } })).toEqual([two]);
  });

  it("are never other values, wherever they stand", () => {
    const secret = "hunter2";
    const body = {
      env_vars: { name: secret, id: secret },
      command: secret,
      password: secret,
      token: secret,
      url: secret,
    };
    expect(ofBody(body)).toEqual([]);
    expect(ofAnswer({ data: { token: secret, password: secret, id: secret, url: secret } })).toEqual([]);
  });

  it("are no token that was put where a name belongs", () => {
    const { token } = newToken();
    expect(ofPath({ id: token })).toEqual([]);
    expect(ofBody({ name: token, ssh_key_names: [`my ${token}`], instance_ids: [token] })).toEqual([]);
  });

  it("are nothing but ids where ids belong: it could be a secret that went astray", () => {
    const astray = "d41d8cd98f00b204";
    expect(ofPath({ id: astray })).toEqual([]);
    expect(ofPath({ uuid: astray, token_id: astray })).toEqual([]);
    expect(ofBody({ instance_ids: [astray], instanceUuids: [astray], key_id: astray })).toEqual([]);
    expect(ofBody({ key_id: "0a1b2c3d" })).toEqual(["0a1b2c3d"]);
  });

  it("are no texts that can be no name: too long, of several lines, or broken", () => {
    expect(ofBody({ name: "x".repeat(65), sshKeys: ["-----BEGIN\nPRIVATE", "a\0b", "\ud800", ""] })).toEqual([]);
    expect(ofBody({ name: "x".repeat(64) })).toHaveLength(1);
  });

  it("are none of a body that is nothing of the kind", () => {
    for (const body of [null, 5, "name", ["name"], [{ name: "x" }], { name: { name: "x" } }, { name: 5 }, undefined]) {
      expect(ofBody(body)).toEqual([]);
    }
  });

  it("are no signing secret either, wherever in a name it stands", () => {
    expect(ofBody({ name: "my whsec_RVhBTVBMRS", sshKeys: ["whsec_"] })).toEqual([]);
  });

  it("are bounded in bytes: 1 KiB where nothing was done, 40 KiB of a change; whole ones, the first of them", () => {
    const sshKeys = Array.from({ length: 100_000 }, (_, n) => `${n}`.padEnd(32, "ü"));
    const refused = ofBody({ sshKeys });
    expect(refused).toEqual(sshKeys.slice(0, refused.length));
    expect(bytesOf(refused)).toBeLessThanOrEqual(1_024);
    expect(bytesOf(refused)).toBeGreaterThan(900);
    const { objects: done } = objectsOf({ params: {}, body: { sshKeys } }, {}, "ofChange");
    expect(done).toEqual(sshKeys.slice(0, done.length));
    expect(bytesOf(done)).toBeLessThanOrEqual(40_960);
    expect(bytesOf(done)).toBeGreaterThan(40_000);
  });

  it("are first what the path names and what was made, when there is not room for all", () => {
    const sshKeys = Array.from({ length: 2_000 }, (_, n) => `${n}`.padEnd(64, "x"));
    const body = { sshKeys };
    const { objects, made } = objectsOf({ params: { id: one }, body }, { data: { id: two } }, "ofChange");
    expect(objects[0]).toBe(one);
    expect(objects.at(-1)).toBe(two);
    expect(objects.length).toBeGreaterThan(200);
    expect(made).toBe(1);
  });

  it("end with those that only the answer tells of, counted: a name or a mount may look like one", () => {
    const three = "0198c5a2-5c54-7e2b-8a4f-6c8d0e2f3a41";
    const body = { name: one, file_system_mounts: [{ file_system_id: two, mount_point: "/data" }] };
    const answer = { data: { instance_ids: [three] } };
    expect(objectsOf({ params: {}, body }, answer)).toEqual({ objects: [one, two, three], made: 1 });
    expect(objectsOf({ params: {}, body }, undefined)).toEqual({ objects: [one, two], made: 0 });
    expect(objectsOf({ params: { id: one }, body: {} }, { data: { id: one } })).toEqual({ objects: [one], made: 0 });
  });

  it("count of what was made only what is kept", () => {
    const ids = Array.from({ length: 100 }, () => crypto.randomUUID());
    const { objects, made } = objectsOf({ params: {}, body: { name: one } }, { data: { uuids: ids } });
    expect(objects).toEqual(ids.slice(0, made));
    expect(made).toBe(Math.floor(1_024 / 36));
  });
});

describe("the lists of fields", () => {
  it("have every field of a published body that is called an id or a name", async () => {
    const http = await startHttp(world);
    const found = new Set<string>();
    for (const name of Object.keys(variants) as (keyof typeof variants)[]) {
      const { body } = await http.call("GET", `${http[name]}/openapi.json`);
      const operations = Object.values(resolved(body as OpenApiDocument).paths).flatMap((path) => Object.entries(path));
      for (const [method, operation] of operations) {
        if (method === "get") continue;
        for (const field of fieldsOf((operation as { requestBody?: unknown }).requestBody)) found.add(field);
      }
    }
    await http.close();
    const named = [...found].filter((field) =>
      /(^|_)(id|ids|uuid|uuids|name|names|type)$|[a-z](Name|Id|Uuids?)$/.test(field),
    );
    expect(named.length).toBeGreaterThan(5);
    const listed = [...idFields, ...nameFields, keyIdField, ...plain];
    expect(named.filter((field) => !listed.includes(field))).toEqual([]);
  });
});

/** Fields that are called so and hold neither, or not those of an object. */
const plain = ["imageId", "legal_name", "tax_id"];

/** The properties at the top of a body. */
function fieldsOf(requestBody: unknown): string[] {
  const { content } = (requestBody ?? {}) as { content?: Record<string, { schema?: { properties?: object } }> };
  return Object.values(content ?? {}).flatMap(({ schema }) => Object.keys(schema?.properties ?? {}));
}
