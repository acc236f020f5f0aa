// What suggestions say about unknown names: places that exist in the interface that was asked.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { type InterfaceName, interfaceNames } from "../../config/interfaces.ts";
import { listSuggestion } from "./name-lists.ts";

let world: World;
let http: RunningHttp;
let token: string;
let type: string;
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
  token = (await http.customer()).token;
  type = (await world.product()).name;
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

async function suggestionOf(method: string, of: InterfaceName, path: string, body?: unknown): Promise<string> {
  const answer = await http.call(method, `${http[of]}${path}`, { token, body });
  expect(answer.status, answer.text).toBe(400);
  return (answer.body as { error: { suggestion: string } }).error.suggestion;
}

async function readsOf(of: InterfaceName): Promise<string[]> {
  const { body } = await http.call("GET", `${http[of]}/openapi.json`);
  const { paths } = body as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, methods]) => ("get" in methods ? [path] : []));
}

describe("the suggestion about an unknown name", () => {
  it("names lists that there are: in its interface, or in the control interface where it says so", async () => {
    const things = ["region", "instance type", "image", "image family", "SSH key", "file system", "firewall ruleset"];
    const control = await readsOf("control");
    for (const of of interfaceNames) {
      const own = await readsOf(of);
      for (const thing of things) {
        const suggestion = listSuggestion(thing, of);
        for (const [, path, elsewhere] of suggestion.matchAll(/GET (\/[a-z-]+)( of the control interface)?/g)) {
          expect(elsewhere === undefined ? own : control, `${of}: ${suggestion}`).toContain(path);
        }
      }
    }
  });

  it.each<[InterfaceName, string, string]>([
    ["marketplace", "/instances", "GET /instance-types"],
    ["direct", "/instance", "GET /gpu-inventory"],
    ["reference", "/instances", "GET /instance-types"],
    ["lambda", "/instances", "GET /regions"],
    ["control", "/instances", "GET /regions"],
  ])("leads a filter of %s for a region to %s", async (of, path, place) => {
    const suggestion = await suggestionOf("GET", of, `${path}?region=mars`);
    expect(suggestion).toContain(place);
    expect(suggestion).toBe(listSuggestion("region", of));
  });

  it("leads a launch to where images are listed", async () => {
    const inM = { instance_type_name: type, region_name: "any", quantity: 1, os_image_name: "none", ssh_key_names: [] };
    expect(await suggestionOf("POST", "marketplace", "/instance-operations/launch", inM)).toBe(
      "Omit it for the default image, or use one of those that GET /images of the control interface lists.",
    );
    const inD = { productName: type, regionName: "any", imageId: 77 };
    expect(await suggestionOf("POST", "direct", "/instance/launch", inD)).toBe(
      "Use one of those that GET /images lists.",
    );
  });
});
