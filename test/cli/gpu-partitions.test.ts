// `lessor gpus partitions`, and an image of another driver branch, against the real service.

import { beforeAll, expect, it } from "vitest";
import { putSimulatedPartitions } from "../../src/engines/simulated/database.ts";
import { readAgain } from "../../src/rental/gpus/partitions/fabrics.ts";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";
import { runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
const hosts = ["us-west-1-l40s-01"];
let server: RunningServer;
let operator: Record<string, string>;
beforeAll(async () => {
  server = await startDemoService(whenOver);
  const home = await temporaryDirectory(0o700, whenOver);
  operator = { HOME: home, LESSOR_URL: server.url, LESSOR_TOKEN: server.operatorToken };
});

const run = (...args: string[]) => runLessor(args, { env: operator });

it("shows the partitions of a host, and which instance has one", async () => {
  expect(await run("gpus", "partitions")).toMatchObject({ code: 0, out: "No NVSwitch partitions.\n" });
  for (const host of hosts) await putSimulatedPartitions(server.db, host);
  await readAgain(server.db, hosts);
  await server.reconciler.idle();
  const { out } = await run("gpus", "partitions", "--host", hosts[0] ?? "");
  expect(out).toMatch(/^HOST +PARTITION +STATE +GPUS +FAILED +FABRIC MANAGER/m);
  expect(out.match(/ inactive /g)).toHaveLength(15);
  expect(await run("gpus", "partitions", "--state", "broken")).toMatchObject({ code: 2 });
});
