// The fixed world says nothing that the service could not say: each of its answers is held against the control interface's
// document. So no picture shows a field that is gone, and none that is new is missed.

import { beforeAll, describe, expect, it, vi } from "vitest";
import { expectDocumented, type OpenApiDocument } from "../support/openapi.ts";
import { startServer } from "../support/server.ts";
import { answerTo, lists, samplePaths } from "./support/fixed/answers.ts";
import { fixedNow } from "./support/fixed/moments.ts";

let document: OpenApiDocument;
beforeAll(async () => {
  const server = await startServer();
  document = (await (await fetch(`${server.control}/openapi.json`)).json()) as OpenApiDocument;
  await server.close();
});

const queries: Readonly<Record<string, string>> = { "/quote": "instance_type=gpu_1x_a10&quantity=1" };

describe("an answer of the fixed world", () => {
  for (const path of [...Object.keys(lists), ...samplePaths]) {
    it(`to GET ${path} is one that the service documents`, () => {
      const body = answerTo(path, new URLSearchParams(queries[path]));
      expect(body).toBeDefined();
      expectDocumented(document, "GET", path, 200, body);
    });
  }
});

it("the fixed world is the same at any time of any day, so that pictures of it are", async () => {
  const paths = [...Object.keys(lists), ...samplePaths];
  const worldAt = async (now: string) => {
    vi.useFakeTimers({ now: new Date(now), toFake: ["Date"] });
    vi.resetModules();
    const { answerTo: answer } = await import("./support/fixed/answers.ts");
    return paths.map((path) => JSON.stringify(answer(path, new URLSearchParams(queries[path]))));
  };
  try {
    const [morning, night] = [await worldAt("2026-03-18T07:00:00Z"), await worldAt("2031-12-31T23:59:59Z")];
    expect(morning).toEqual(night);
    // Nothing of it lies ahead but what is to come.
    expect(morning.join()).toContain(fixedNow.toISOString().slice(0, 10));
  } finally {
    vi.useRealTimers();
  }
});
