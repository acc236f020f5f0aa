// `lessor notices`: being told of capacity, from a script.

import { beforeAll, expect, it } from "vitest";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { afterFile } from "../support/when-over.ts";
import { runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
let server: RunningServer;
let token: string;
beforeAll(async () => {
  server = await startDemoService(whenOver);
  token = await server.customerToken("acme");
});

const run = (...args: string[]) => runLessor(args, { env: { LESSOR_URL: server.url, LESSOR_TOKEN: token } });

interface Notice {
  readonly id: string;
  readonly instance_type: string | null;
  readonly region: string | null;
  readonly available: readonly { readonly region: string }[];
}
const listed = async () => JSON.parse((await run("notices", "list", "--json")).out) as readonly Notice[];

it("are added once, shown with where there is capacity, and removed by the beginning of their id", async () => {
  expect((await run("notices", "list")).out).toContain("No notices.");
  const added = await run("notices", "add", "gpu_1x_a10", "--region", "us-east-1");
  expect(added).toMatchObject({ code: 0, err: expect.stringContaining("capacity.available") });
  expect(added.out).toMatch(/gpu_1x_a10 +us-east-1 +us-east-1/);
  expect(await run("notices", "add", "gpu_1x_a10", "--region", "us-east-1")).toMatchObject({ code: 0 });
  const [notice, ...others] = await listed();
  expect([notice, others.length]).toMatchObject([{ instance_type: "gpu_1x_a10", region: "us-east-1" }, 0]);
  expect(await run("notices", "remove", notice?.id.slice(0, 13) ?? "")).toMatchObject({
    code: 0,
    out: "Removed the notice of gpu_1x_a10 in us-east-1.\n",
  });
  expect(await listed()).toEqual([]);
});

it("are of every type and region by default", async () => {
  const { out } = await run("notices", "add", "--json");
  const notice = JSON.parse(out) as Notice;
  expect(Object.keys(notice).sort()).toEqual(["available", "created_at", "id", "instance_type", "region"]);
  const { id } = notice;
  expect(await listed()).toMatchObject([{ id, instance_type: null, region: null }]);
  expect((await run("notices", "ls")).out).toMatch(/every type +every region +europe-central-1, us-east-1, us-west-1/);
  expect(await run("notices", "rm", id, "--json")).toMatchObject({ code: 0, out: expect.stringContaining(id) });
});

it("are rejected for unknown names, as not found", async () => {
  for (const words of [
    ["add", "gpu_9x"],
    ["add", "--region", "nowhere"],
    ["remove", "0198c5a2"],
  ]) {
    expect(await run("notices", ...words)).toMatchObject({ code: 3, err: expect.stringContaining(words.at(-1) ?? "") });
  }
});
