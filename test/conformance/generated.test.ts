// Requests made from the published documents, near what they allow and far from it: no request makes a 5xx, and every
// answer is one that the document knows (client.ts). The same requests in every run; a failure names the smallest.

import { beforeAll, describe, expect, it } from "vitest";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { sample } from "../support/extent.ts";
import { fc } from "../support/properties.ts";
import { examplePublicKey } from "../support/world.ts";
import { Vocabulary } from "./arbitrary-requests.ts";
import { publishedOperations } from "./published.ts";
import { type Customer, coupons, images, regions, sceneOfFile, types } from "./scene.ts";
import { instanceIn } from "./states.ts";

const scene = sceneOfFile();
let ada: Customer;
/** What means something here; a request of such words gets far. */
const words: string[] = [];

beforeAll(async () => {
  ada = await scene.customer();
  for (const state of ["booting", "active", "stopped", "terminated"] as const) {
    words.push(await instanceIn(scene, ada, state));
  }
  const body = { name: "laptop", public_key: examplePublicKey };
  await scene.client.need("reference", "POST", "/ssh-keys", { token: ada.token, body });
  const fileSystem = { name: "data", region: regions.north, size_gb: 1 };
  await scene.control("POST", "/file-systems", fileSystem, { token: ada.token });
  const named = [types.cpu, types.l4, types.h100, "any", regions.north, "laptop", "data", coupons.ten, coupons.expired];
  words.push(...named, images.second, examplePublicKey, "active", "rented", "PATH", "TOKEN");
});

const names = ["marketplace", "direct", "reference", "lambda"] as const satisfies InterfaceName[];

describe.each(names)("generated requests to %s", (name) => {
  it("never make a 5xx, and get answers that the document knows", async () => {
    const generated = new Vocabulary(() => words).requests(publishedOperations(scene.client, name));
    let good = 0;
    let refused = 0;
    const property = fc.asyncProperty(generated, async (one) => {
      const headers = one.key === undefined ? {} : { "idempotency-key": one.key };
      const options = { token: ada.token, body: JSON.stringify(one.body), headers };
      const { status } = await scene.client.ask(name, one.operation.method, one.path, options);
      if (status < 400) good += 1;
      else refused += 1;
    });
    await fc.assert(property, { numRuns: sample(150, 2000), seed: 20_260_301 });
    // Some got through, and some did not: else only the doorman was tried, or nothing was.
    expect(good).toBeGreaterThan(sample(15, 40));
    expect(refused).toBeGreaterThan(sample(15, 40));
  });
});
