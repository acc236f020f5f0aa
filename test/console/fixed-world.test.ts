// The fixed world says nothing that the service could not say: each of its answers is held against the control interface's
// document. So no picture shows a field that is gone, and none that is new is missed.

import { beforeAll, describe, expect, it } from "vitest";
import { expectDocumented, type OpenApiDocument } from "../support/openapi.ts";
import { startServer } from "../support/server.ts";
import { answerTo, lists, samplePaths } from "./support/fixed/answers.ts";

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
