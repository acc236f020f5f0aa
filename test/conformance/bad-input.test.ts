// Bad input, made from the published documents so that a new operation is tried too: every one of these requests gets a
// clear 4xx in the one error body, changes nothing, and never hears its own values again.
//
// npm test tries each operation with a third of what is bad, and each of that on a third of the operations; npm run
// test:crash all on all.

import { request } from "node:http";
import { beforeAll, describe, expect, it } from "vitest";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { isSampled, sample } from "../support/extent.ts";
import { at, codeOf, fieldsOf } from "./client.ts";
import { changesNothing } from "./digest.ts";
import { rules } from "./operation-rules.ts";
import { allows, type PublishedOperation, publishedOperations, type Schema } from "./published.ts";
import { type Customer, sceneOfFile, types } from "./scene.ts";
import { marketplace, reference } from "./variants.ts";

const scene = sceneOfFile();
const names = ["marketplace", "direct", "reference", "lambda", "control"] as const;
const someId = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
let ada: Customer;

beforeAll(async () => {
  ada = await scene.customer({ scopes: ["read", "write", "operator"] });
  await scene.active(ada);
  await scene.settled();
});

function pathOf({ path }: PublishedOperation, id = someId): string {
  return path.replace(/\{[^}]+\}/g, id);
}

function send(name: InterfaceName, operation: PublishedOperation, body: unknown, headers: Record<string, string> = {}) {
  return scene.client.ask(name, operation.method, pathOf(operation), { token: ada.token, body, headers });
}

/** Those that take a body, and those that need one. */
function withBody(name: InterfaceName) {
  return publishedOperations(scene.client, name).flatMap(({ body, ...rest }) =>
    body === undefined ? [] : [{ ...rest, body }],
  );
}

/** Those to try with another thing, such as values with an operation, that is at this index. */
function sampledWith<T>(index: number, list: readonly T[]): T[] {
  return list.filter((_, place) => isSampled(index + place, 3));
}

const label = ({ method, path }: PublishedOperation) => `${method} ${path}`;

/** What no text, number, list or object takes; the marker must not come back. */
const marker = "s3cr3t-marker";
const strangers = [null, 5, 1.5, -1, true, "", marker, [marker], [5], [null], [[marker]], {}, { marker }, { a: 5 }];

/** The schema without its limits. */
function typesIn({ type, properties, required, items, anyOf, enum: words, additionalProperties }: Schema): Schema {
  const inside = properties && Object.entries(properties).map(([name, one]) => [name, typesIn(one)]);
  return {
    ...(type !== undefined && { type }),
    ...(words !== undefined && { enum: words }),
    ...(required !== undefined && { required }),
    ...(inside !== undefined && { properties: Object.fromEntries(inside) }),
    ...(items !== undefined && { items: typesIn(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(typesIn) }),
    ...(typeof additionalProperties === "object" && { additionalProperties: typesIn(additionalProperties) }),
  };
}

/** Values of the right type, each a little too much or too little for one limit of the schema. */
function beyond(schema: Schema): unknown[] {
  const { type, anyOf, minLength = 0, maxLength, minimum, maximum, maxItems, pattern, items = {} } = schema;
  if (anyOf !== undefined) return anyOf.flatMap(beyond);
  if (type === "array") {
    const some = beyond(items).map((one) => [one]);
    return maxItems === undefined ? some : [...some, Array.from({ length: maxItems + 1 }, (_, at) => `x${at}`)];
  }
  if (type === "string") {
    const texts = [...(maxLength === undefined ? [] : ["x".repeat(maxLength + 1)]), ...(minLength > 0 ? [""] : [])];
    return pattern === undefined || new RegExp(pattern, "u").test("a\nb") ? texts : [...texts, "a\nb"];
  }
  return [...(minimum === undefined ? [] : [minimum - 1]), ...(maximum === undefined ? [] : [maximum + 1])];
}

const unreadable: Record<string, string | Buffer> = {
  "half an object": '{"a":',
  "a trailing comma": '{"a":1,}',
  "a form": "name=x&public_key=y",
  "single quotes": "{'a':1}",
  "two values": "{}{}",
  "a bare word": "NaN",
  "a comment": "{} // x",
  "invalid UTF-8": Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  "UTF-16": Buffer.from('{"a":1}', "utf16le"),
  "deep nesting": `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
  "nesting that is deep and open": '{"a":'.repeat(50_000),
};

describe.each(names)("bodies of %s", (name) => {
  it.each(Object.keys(unreadable))("that are no JSON (%s) are 400", async (what) => {
    await changesNothing(scene, async () => {
      const index = Object.keys(unreadable).indexOf(what);
      for (const operation of sampledWith(index, withBody(name))) {
        const body = unreadable[what];
        const answer = await send(name, operation, body);
        // One that needs no token takes a few short fields only.
        const isTooLong = rules[name][label(operation)]?.open === true && (body?.length ?? 0) > 2048;
        const expected = isTooLong ? [413, "global/payload-too-large"] : [400, "global/invalid-parameters"];
        expect([answer.status, codeOf(answer)], label(operation)).toEqual(expected);
      }
    });
  });

  it.each([
    ["text/plain", 0],
    ["application/x-www-form-urlencoded", 1],
    ["multipart/form-data", 2],
    [";;/", 3],
    ["application/json; charset=x", 4],
  ])("are read as JSON when they are called %s", async (type, index) => {
    await changesNothing(scene, async () => {
      for (const operation of sampledWith(index, withBody(name))) {
        const answer = await send(name, operation, "[]", { "content-type": type });
        expect([answer.status, fieldsOf(answer)], label(operation)).toEqual([400, ["body"]]);
        expect((await send(name, operation, "{", { "content-type": type })).status).toBe(400);
      }
    });
  });

  it("that are no object are 400", async () => {
    await changesNothing(scene, async () => {
      for (const [index, operation] of withBody(name).entries()) {
        for (const body of sampledWith(index, ["null", "5", "true", '"x"', "[]", '[{"a":1}]'])) {
          const answer = await send(name, operation, body);
          expect([answer.status, fieldsOf(answer)], `${label(operation)} ${body}`).toEqual([400, ["body"]]);
        }
      }
    });
  });

  it("without a required field are 400 and name it", async () => {
    await changesNothing(scene, async () => {
      for (const operation of withBody(name)) {
        for (const field of operation.body.schema.required ?? []) {
          const { [field]: _left, ...rest } = operation.body.example;
          const answer = await send(name, operation, rest);
          expect([answer.status, fieldsOf(answer)], `${label(operation)} ${field}`).toEqual([400, [field]]);
        }
      }
    });
  });

  it("with a value of another type in any field are 400, name each such field, and never repeat the value", async () => {
    let tried = 0;
    await changesNothing(scene, async () => {
      for (const [index, operation] of withBody(name).entries()) {
        // `sshKey` takes lists too, which the document leaves out for generators that know no unions.
        const fields = Object.entries(operation.body.schema.properties ?? {}).filter(([field]) => field !== "sshKey");
        for (const value of sampledWith(index, strangers)) {
          // All of them at once, then those that were not named yet.
          let wrong = fields.filter(([, schema]) => !allows(typesIn(schema), value)).map(([field]) => field);
          while (wrong.length > 0) {
            tried += 1;
            const bad = Object.fromEntries(wrong.map((field) => [field, value]));
            const answer = await send(name, operation, { ...operation.body.example, ...bad });
            const what = `${label(operation)} ${JSON.stringify(bad)}`;
            expect(answer.status, what).toBe(400);
            expect(answer.text, what).not.toContain(marker);
            const named = new Set(fieldsOf(answer).map((one) => one.split(".")[0] ?? ""));
            expect(named.size, what).toBeGreaterThan(0);
            expect(
              [...named].filter((one) => !wrong.includes(one)),
              what,
            ).toEqual([]);
            wrong = wrong.filter((one) => !named.has(one));
          }
        }
      }
    });
    expect(tried).toBeGreaterThan(sample(10, 30));
  });

  it("beyond a limit that the document states are 400, or name what is not there", async () => {
    let tried = 0;
    await changesNothing(scene, async () => {
      for (const operation of withBody(name)) {
        for (const [field, schema] of Object.entries(operation.body.schema.properties ?? {})) {
          for (const value of beyond(schema)) {
            tried += 1;
            const answer = await send(name, operation, { ...operation.body.example, [field]: value });
            const what = `${label(operation)} ${field}: ${JSON.stringify(value).slice(0, 100)}`;
            expect([400, 404], `${what}: ${answer.text}`).toContain(answer.status);
            if (answer.status === 404) expect(codeOf(answer), what).toMatch(/not-found|does-not-exist/);
          }
        }
      }
    });
    expect(tried).toBeGreaterThan(10);
  });

  it("with NUL or half a surrogate pair in any text are 400 and name the field", async () => {
    await changesNothing(scene, async () => {
      for (const operation of withBody(name)) {
        for (const [index, field] of [...Object.keys(operation.body.schema.properties ?? {}), "unknown"].entries()) {
          for (const bad of sampledWith(index, ["\\u0000", "\\ud800", "x\\udfffx"])) {
            const body = JSON.stringify({ ...operation.body.example, [field]: "HERE" }).replace("HERE", bad);
            const answer = await send(name, operation, body);
            expect([answer.status, fieldsOf(answer)], `${label(operation)} ${field} ${bad}`).toEqual([400, [field]]);
          }
        }
      }
    });
  });

  it("that hide fields in __proto__ or constructor do not have them", async () => {
    await changesNothing(scene, async () => {
      for (const operation of withBody(name)) {
        const required = operation.body.schema.required ?? [];
        if (required.length === 0) continue;
        const hidden = JSON.stringify(operation.body.example);
        for (const body of [`{"__proto__":${hidden}}`, `{"constructor":{"prototype":${hidden}}}`]) {
          const answer = await send(name, operation, body);
          expect([answer.status, fieldsOf(answer)], label(operation)).toEqual([400, [...required].sort()]);
        }
      }
    });
  });

  it("of one byte more than a mebibyte, or three with user data, are 413, with and without Content-Length", async () => {
    const tooMuchFor = ({ body }: ReturnType<typeof withBody>[number]) =>
      Buffer.alloc((Object.hasOwn(body.schema.properties ?? {}, "user_data") ? 3 : 1) * 1024 * 1024 + 1, "x");
    await changesNothing(scene, async () => {
      for (const operation of withBody(name)) {
        const answer = await send(name, operation, tooMuchFor(operation));
        expect([answer.status, codeOf(answer)], label(operation)).toEqual([413, "global/payload-too-large"]);
      }
      const [operation] = withBody(name);
      if (operation === undefined) throw new Error("there is an operation with a body");
      expect(
        await chunked(`${scene.client.bases[name]}${pathOf(operation)}`, operation.method, tooMuchFor(operation)),
      ).toEqual([413, "global/payload-too-large"]);
    });
  });
});

/** Sends without Content-Length. */
function chunked(url: string, method: string, bytes: Buffer): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${ada.token}` };
    const sent = request(url, { method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (data) => {
        text += data;
      });
      response.on("end", () => resolve([response.statusCode, at(JSON.parse(text), "error", "code")]));
    });
    sent.on("error", reject);
    sent.write(bytes.subarray(0, 1000));
    sent.end(bytes.subarray(1000));
  });
}

describe.each(names)("paths of %s", (name) => {
  const odd = [
    "%00",
    "%ED%A0%80",
    "%ff",
    "%zz",
    "%",
    "a%00b",
    "x".repeat(300),
    "x".repeat(5000),
    "😀",
    "'; drop table x",
    "null",
  ];

  it("with anything odd in the place of a parameter are a client's error", async () => {
    await changesNothing(scene, async () => {
      for (const [index, operation] of publishedOperations(scene.client, name).entries()) {
        if (operation.parameters.length === 0) continue;
        for (const text of sampledWith(index, odd)) {
          // A name that is odd and allowed would be made, so the body here is none.
          const body = operation.method === "GET" || operation.method === "DELETE" ? undefined : "[]";
          const path = pathOf(operation, /^[%\w]+$/.test(text) ? text : encodeURIComponent(text));
          const answer = await scene.client.ask(name, operation.method, path, { token: ada.token, body });
          expect([400, 404], `${label(operation)} ${text.slice(0, 20)}: ${answer.text}`).toContain(answer.status);
        }
      }
    });
  });

  it("that are not there are 404, also without a token", async () => {
    for (const path of ["/nothing", "/instances/a/b", "/%2e%2e/etc", "/ssh-keys%2f"]) {
      const answer = await scene.client.stray(name, "GET", path);
      expect([answer.status, codeOf(answer)], path).toEqual([404, "global/not-found"]);
    }
  });

  it("with another method are 405 and say which they take", async () => {
    await changesNothing(scene, async () => {
      const known = publishedOperations(scene.client, name);
      for (const path of new Set(known.map((one) => one.path))) {
        // In D, `/instance/launch` is also `/instance/{uuid}`; a method may be taken by both, as in the lambda edition.
        const takes = [...new Set(known.filter((one) => fits(one.path, path)).map((one) => one.method))];
        for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((one) => !takes.includes(one))) {
          const real = path.replace(/\{[^}]+\}/g, someId);
          const answer = await scene.client.stray(name, method, real, { token: ada.token });
          expect([answer.status, codeOf(answer)], `${method} ${path}`).toEqual([405, "global/method-not-allowed"]);
          const allowed = takes.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one])).sort();
          expect(answer.headers.get("allow"), path).toBe(allowed.join(", "));
        }
      }
    });
  });

  it("may have double slashes, and a slash at the end", async () => {
    const gets = publishedOperations(scene.client, name).filter((one) => one.method === "GET");
    for (const [index, { path }] of gets.entries()) {
      const real = path.replace(/\{[^}]+\}/g, someId);
      const { status } = await scene.client.ask(name, "GET", real, { token: ada.token });
      for (const written of sampledWith(index, [real.replaceAll("/", "//"), `${real}/`, `/${real}//`])) {
        const answer = await scene.client.stray(name, "GET", written, { token: ada.token });
        expect(answer.status, written).toBe(status);
      }
    }
  });

  /** Every list of the lambda edition does, to reject filters that it does not know, also where it has none. */
  const looksAtQuery = ({ id, query }: PublishedOperation) =>
    Object.keys(query).length > 0 || (name === "lambda" && id.startsWith("list"));
  const malformed = ["%", "a=%zz", "%ff=1", "a=%00", "a=%ED%A0%80"];

  it("with a malformed or unsuitable query are 400 where the document declares one", async () => {
    for (const [index, operation] of publishedOperations(scene.client, name).entries()) {
      const { path, method, query } = operation;
      if (method !== "GET" || !looksAtQuery(operation)) continue;
      const real = path.replace(/\{[^}]+\}/g, someId);
      const bad = [...malformed];
      if ("limit" in query)
        bad.push("limit=", "limit=0", "limit=1e2", "limit=+5", "limit=99999999999999999999", "limit=1&limit=1");
      for (const text of sampledWith(index, bad)) {
        const answer = await scene.client.ask(name, "GET", `${real}?${text}`, { token: ada.token });
        expect(answer.status, `${path}?${text}: ${answer.text}`).toBe(400);
      }
    }
  });

  it("with a malformed query are as without one where the document declares none", async () => {
    for (const [index, operation] of publishedOperations(scene.client, name).entries()) {
      const { path, method } = operation;
      if (method !== "GET" || looksAtQuery(operation)) continue;
      const real = path.replace(/\{[^}]+\}/g, someId);
      const { status } = await scene.client.ask(name, "GET", real, { token: ada.token });
      for (const text of sampledWith(index, malformed)) {
        const answer = await scene.client.ask(name, "GET", `${real}?${text}`, { token: ada.token });
        expect(answer.status, `${path}?${text}: ${answer.text}`).toBe(status);
      }
    }
  });
});

/** Whether a path is one of this template. */
function fits(template: string, path: string): boolean {
  const [wanted, given] = [template.split("/"), path.split("/")];
  return wanted.length === given.length && wanted.every((part, i) => part.startsWith("{") || part === given[i]);
}

describe("a launch", () => {
  const whole = { ...marketplace.launch.body({ type: types.cpu }) };

  it.each([0, -1, 1.5, 65, 1e9, 1e308, "1", "", null, true, [1], {}])(
    "of the quantity %j is refused",
    async (quantity) => {
      for (const variant of [marketplace, reference]) {
        const answer = await changesNothing(scene, () =>
          scene.client.ask(variant.name, "POST", variant.launch.path, {
            token: ada.token,
            body: { ...whole, quantity },
          }),
        );
        expect([answer.status, fieldsOf(answer)]).toEqual([400, ["quantity"]]);
      }
    },
  );

  it("with 65 env_vars, or a hundred thousand, is refused with an answer of reasonable size", async () => {
    for (const count of [65, 60_000]) {
      const env_vars = Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}K`, marker]));
      const body = {
        ...whole,
        env_vars: count === 65 ? env_vars : Object.fromEntries(Object.keys(env_vars).map((key) => [key, ""])),
      };
      const answer = await changesNothing(scene, () =>
        scene.client.ask("marketplace", "POST", marketplace.launch.path, { token: ada.token, body }),
      );
      expect([answer.status, answer.text.length < 50_000]).toEqual([400, true]);
      expect(answer.text).not.toContain(marker);
    }
  });

  it("with thousands of names or identifiers is answered, and not at length", async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `no-${index}`);
    const launch = await scene.client.ask("marketplace", "POST", marketplace.launch.path, {
      token: ada.token,
      body: { ...whole, ssh_key_names: many },
    });
    expect([launch.status, launch.text.length < 2000]).toEqual([400, true]);
    const stop = await scene.client.ask("marketplace", "POST", "/instance-operations/stop", {
      token: ada.token,
      body: { instance_uuids: many },
    });
    expect([stop.status, stop.text.length < 2000]).toEqual([400, true]);
    const fewer = await scene.client.ask("marketplace", "POST", "/instance-operations/stop", {
      token: ada.token,
      body: { instance_uuids: many.slice(0, 1000) },
    });
    expect([fewer.status, fewer.text.length < 2000]).toEqual([404, true]);
  });
});
