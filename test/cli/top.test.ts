// `lessor top` against the real service, whose simulated guests report.

import { beforeAll, describe, expect, it } from "vitest";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";
import { runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
let server: RunningServer;
let customer: Record<string, string>;
beforeAll(async () => {
  server = await startDemoService(whenOver);
  const home = await temporaryDirectory(0o700, whenOver);
  customer = { HOME: home, LESSOR_URL: server.url, LESSOR_TOKEN: await server.customerToken("demo") };
});

/** What it printed, where it went well. */
async function printed(args: readonly string[], more: Record<string, string> = {}): Promise<string> {
  const { code, out, err } = await runLessor([...args], { env: { ...customer, ...more } });
  expect(code, `${out}\n${err}`).toBe(0);
  return out;
}

describe("lessor top", () => {
  it("shows what active instances use, and errors of their GPUs", async () => {
    expect(await printed(["top", "--json"])).toBe("[]\n");
    // Before there is a guest: the service itself might read it first.
    const operator = { LESSOR_TOKEN: server.operatorToken };
    await printed(["simulate", "fault", "guest-reports-xid", "--xid", "74"], operator);
    await printed(["launch", "gpu_1x_a6000", "--name", "burn", "--no-key"]);
    await server.reconciler.idle();
    await server.reconciler.readGuestsNow();
    const shown = await printed(["top", "burn"]);
    expect(shown).toMatch(/^NAME +CPU +MEMORY +DISK +GPU +GPU MEM +TEMP +POWER +ECC +FAULTS +SEEN$/m);
    expect(shown).toMatch(/^burn +\d+ % +\d+ % +\d+ % +\d+ % +\d+ % +\d+ °C +\d+ W +0 +XID 74 of GPU 0 +\S/m);
    // A fault that is reported all the time is noted again after 15 minutes only.
    await server.db
      .updateTable("instance_gpu_faults")
      .set({ last_at: new Date(Date.now() - 16 * 60_000) })
      .execute();
    expect(await printed(["top", "burn"])).toContain("XID 74 of GPU 0");
    const [{ from, to, series }] = JSON.parse(await printed(["top", "burn", "--json"]));
    expect(Date.parse(to) - Date.parse(from)).toBe(120_000);
    expect(series[0].values).toHaveLength(8);
    await printed(["terminate", "burn", "--yes"]);
    expect(await printed(["top", "burn"])).toBe("No active instance of an image with an agent.\n");
  });
});
