// What a document says of bodies that may be left out is what the service does: whoever makes a client of it is not
// forced to send one, and is not told of freedom that there is not.

import { describe, expect, it } from "vitest";
import { changes, everyScope, interfaces, sceneOptions } from "./changes.ts";
import { publishedOperations } from "./published.ts";
import { sceneOfFile } from "./scene.ts";

const scene = sceneOfFile(sceneOptions);
const all = changes(scene);

/** Those that take a body, by their names such as `POST /ssh-keys`, and whether the document says it is required. */
const takingBody = (name: (typeof interfaces)[number]) =>
  publishedOperations(scene.client, name).flatMap(({ method, path, body }) =>
    body === undefined ? [] : [{ operation: `${method} ${path}`, required: body.required }],
  );

describe.each(interfaces)("the document of %s", (name) => {
  it("says of no body that it is required where the operation does without, and of no other that it is not", async () => {
    const does: Record<string, boolean> = {};
    const says: Record<string, boolean> = {};
    for (const { operation, required } of takingBody(name)) {
      const { good, refused } = all[name][operation] ?? {};
      const who = await scene.customer({ scopes: everyScope });
      const attempt = await (good ?? refused)?.(who);
      if (attempt === undefined) throw new Error(`${operation} is not in changes.ts`);
      const [method = ""] = operation.split(" ");
      const { status } = await scene.client.ask(name, method, attempt.path, { token: who.token });
      // Of what nothing here can succeed: it is refused for its object, not for its body.
      expect([200, 201, 202, 204, 400, ...(good === undefined ? [404] : [])], operation).toContain(status);
      does[operation] = status === 400;
      says[operation] = required;
    }
    expect(Object.keys(says).length).toBeGreaterThan(2);
    expect(says).toEqual(does);
  });

  it("has no mark that is meant for its making", () => {
    expect(JSON.stringify(scene.client.documents[name])).not.toContain("x-body-optional");
  });
});

it("what has nothing that must be told is asked for without a body", () => {
  const optional = interfaces.flatMap((name) =>
    takingBody(name).flatMap(({ operation, required }) => (required ? [] : [`${name} ${operation}`])),
  );
  expect(optional).toEqual(
    expect.arrayContaining([
      "direct POST /coupon/accepted-products",
      "control POST /webhooks/{id}/rotate-secret",
      "control POST /encryption/rotate",
    ]),
  );
});
