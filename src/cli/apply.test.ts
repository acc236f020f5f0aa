// `lessor apply` on the real control interface.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, startControl } from "../../test/support/control.ts";
import { applyCatalog } from "./apply.ts";
import { controlClient } from "./connection/control-client.ts";

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
      'region east: unknown field "descriptio". Did you mean "description"?',
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

  it("lets the later one count where a range names a host that has a line of its own, whichever is first", async () => {
    const host = (vcpus: number) =>
      `{ engine: simulated, region: west, vcpus: ${vcpus}, memory_gib: 8, storage_gb: 80 }`;
    const west = 'regions: { west: { description: "West" } }';
    const vcpus = async () =>
      ((await control.data("GET", "/hosts")) as { name: string; vcpus: number }[])
        .filter(({ name }) => name.startsWith("both-"))
        .map((one) => one.vcpus);
    await apply(`${west}\nhosts: { "both-[1-3]": ${host(8)}, both-2: ${host(16)} }`);
    expect(await vcpus()).toEqual([8, 16, 8]);
    await apply(`${west}\nhosts: { both-2: ${host(16)}, "both-[1-3]": ${host(32)} }`);
    expect(await vcpus()).toEqual([32, 32, 32]);
  });

  it("tells what was put beside a refusal, and puts nothing of what builds on it", async () => {
    const said: string[] = [];
    const yaml = `regions: { first: { description: "1" }, second: { description: 2 }, third: { description: "3" } }
coupons: { LATE: { discount_percent: 10 } }`;
    await expect(apply(yaml, (line) => said.push(line))).rejects.toThrow(/^region second: /);
    expect(said).toEqual(["region first", "region third"]);
    expect(await control.data("GET", "/coupons")).not.toContainEqual(expect.objectContaining({ code: "LATE" }));
  });

  it("says once what the service refuses, and of what", async () => {
    const yaml = "hosts: { a: { engine: simulated, region: nowhere, vcpus: 1, memory_gib: 1, storage_gb: 1 } }";
    await expect(apply(yaml)).rejects.toThrow(/^host a: region: There is no region named "nowhere"\.$/);
  });
});
