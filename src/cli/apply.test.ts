// `lessor apply` on the real control interface.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, startControl } from "../../test/support/control.ts";
import { applyCatalog } from "./apply.ts";
import { controlClient } from "./control-client.ts";

const demo = readFileSync(new URL("../../examples/demo-catalog.yaml", import.meta.url), "utf8");

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control?.close());

const apply = (yaml: string, print?: (line: string) => void) =>
  applyCatalog(yaml, controlClient(control.url, control.operator.token), print);

describe("applying a catalogue", () => {
  it("with a misspelt field names it and what was meant, and applies nothing", async () => {
    const said: string[] = [];
    const yaml = 'regions: { west: { description: "West" }, east: { descriptio: "East" } }';
    await expect(apply(yaml, (line) => said.push(line))).rejects.toThrow(
      'region east: there is no field "descriptio". Did you mean "description"?',
    );
    expect(said).toEqual([]);
    expect(await control.data("GET", "/regions")).toEqual([]);
  });

  it.each([
    ["images: { a: { number: 1, jupiter: true } }", "jupyter"],
    ["instance_types: { a: { gpu: 1 } }", "gpus"],
    ["hosts: { a: { gpus: { count: 1, modle: a10 } } }", "model"],
    ["coupons: { A: { discount_percents: 1 } }", "discount_percent"],
  ])("knows the fields of every section: %s", async (yaml, meant) => {
    await expect(apply(yaml)).rejects.toThrow(`Did you mean "${meant}"?`);
  });

  it("puts the whole demo, as often as one likes", async () => {
    const said: string[] = [];
    const count = await apply(demo, (line) => said.push(line));
    expect(said).toHaveLength(count);
    expect(await apply(demo)).toBe(count);
    expect(await control.data("GET", "/images")).toContainEqual(expect.objectContaining({ jupyter: true }));
  });

  it("says once what the service refuses, and of what", async () => {
    const yaml = "hosts: { a: { engine: simulated, region: nowhere, vcpus: 1, memory_gib: 1, storage_gb: 1 } }";
    await expect(apply(yaml)).rejects.toThrow(/^host a: region: There is no region named "nowhere"\.$/);
  });
});
