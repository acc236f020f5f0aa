// The OpenAPI documents that are made without a service (docs/openapi.ts) against what a running one serves. What others make
// of the documents: client.program.test.ts, lint.program.test.ts.

import { describe, expect, it } from "vitest";
import { publishedDocument } from "../../docs/openapi.ts";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { variants } from "../../src/http/server.ts";
import { startHttp } from "../support/http.ts";
import { makeWorld } from "../support/world.ts";

const names = Object.keys(variants) as InterfaceName[]; // the keys of what has one entry for each

describe("the OpenAPI document", () => {
  it("is what a running service serves", async () => {
    const world = await makeWorld();
    const http = await startHttp(world);
    for (const name of names) {
      const { body } = await http.call("GET", `${http[name]}/openapi.json`);
      expect(body, name).toEqual(JSON.parse(await publishedDocument(name)));
    }
    await http.close();
    await world.close();
  });
});
