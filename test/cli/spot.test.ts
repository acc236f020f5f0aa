// Spot instances from the command line: the operator gives a type a spot price, a customer launches at it, and reads when an
// instance is evicted.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type RunningServer, startServer } from "../support/server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { travel } from "../support/time-travel.ts";
import { afterFile } from "../support/when-over.ts";
import { runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
let server: RunningServer;
let [ann, bob] = ["", ""];

const size =
  "gpu_model: a10, gpu_description: A10, gpus: 1, vcpus: 8, memory_gib: 32, storage_gb: 100, description: One";

beforeAll(async () => {
  server = await startServer();
  whenOver(() => server.close());
  [ann, bob] = [await server.customerToken("ann"), await server.customerToken("bob")];
  const world = `
regions: { north: { description: The north } }
images: { ubuntu: { number: 1, default: true } }
instance_types:
  full: { ${size}, price_cents_per_hour: 80 }
  idle: { ${size}, price_cents_per_hour: 80, spot_price_cents_per_hour: 25 }
hosts:
  host-1: { engine: simulated, region: north, vcpus: 8, memory_gib: 32, storage_gb: 100, gpus: { count: 1, model: a10, memory_gib: 24 } }`;
  expect(await apply(world)).toMatchObject({ code: 0 });
});

const runAs = (token: string, args: readonly string[]) =>
  runLessor(args, { env: { LESSOR_URL: server.url, LESSOR_TOKEN: token } });
const asAnn = (...args: string[]) => runAs(ann, args);
const asBob = (...args: string[]) => runAs(bob, args);
async function apply(yaml: string) {
  const file = join(await temporaryDirectory(0o700, whenOver), "catalog.yaml");
  writeFileSync(file, yaml);
  return runAs(server.operatorToken, ["apply", "-f", file]);
}

const outOf = async (ran: ReturnType<typeof runLessor>) => {
  const { code, out, err } = await ran;
  expect(code, `${out}\n${err}`).toBe(0);
  return out;
};

interface Shown {
  readonly status: string;
  readonly spot: boolean;
  readonly evict_at: string | null;
  readonly ended_by: string | null;
  readonly cost_micro_cents: string;
}
const shown = async (name: string) => JSON.parse(await outOf(asBob("show", name, "--json"))) as Shown;

describe("a spot price", () => {
  it("is set, changed and removed by the catalog file, and `types` has a column for it while there is one", async () => {
    const type = (more: string) => apply(`instance_types: { other: { ${size}, price_cents_per_hour: 80${more} } }`);
    expect(await type(", spot_price_cents_per_hour: 40")).toMatchObject({ code: 0 });
    expect(await outOf(asAnn("types"))).toMatch(/^TYPE +PRICE +SPOT +FIT NOW/);
    expect(await outOf(asAnn("types"))).toMatch(/^other +\$0\.80\/h +\$0\.40\/h +1/m);
    expect(await type(", spot_price_cents_per_hour: 0")).toMatchObject({ code: 0 });
    expect(await outOf(asAnn("types"))).toMatch(/^other +\$0\.80\/h +\$0\.00\/h +1/m);
    expect(await type("")).toMatchObject({ code: 0 });
    expect(await outOf(asAnn("types"))).toMatch(/^other +\$0\.80\/h +- +1/m);
    expect(await outOf(asAnn("types", "--max-price", "0.10"))).not.toContain("SPOT");
  });

  it("is at most the price: a higher one changes nothing", async () => {
    const refused = await apply(
      `instance_types: { idle: { ${size}, price_cents_per_hour: 20, spot_price_cents_per_hour: 21 } }`,
    );
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain("instance type idle: spot_price_cents_per_hour: ");
    expect(await outOf(asAnn("types"))).toMatch(/^idle +\$0\.80\/h +\$0\.25\/h/m);
  });
});

describe("lessor launch --spot", () => {
  it("shows the spot price, and launches nothing without one or above a maximum", async () => {
    expect(await outOf(asBob("launch", "idle", "--spot", "--dry-run"))).toContain("idle (spot) in north: $0.25/h");
    expect(JSON.parse(await outOf(asBob("launch", "idle", "--spot", "--dry-run", "--json")))).toMatchObject({
      spot: true,
      list_price_cents_per_hour: 25,
    });
    expect(await outOf(asBob("launch", "idle", "--dry-run"))).toContain("idle in north: $0.80/h");
    const none = await asBob("launch", "full", "--spot");
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("full has no spot price")]);
    expect(await asBob("launch", "idle", "--spot", "--max-price", "0.24")).not.toMatchObject({ code: 0 });
    expect(await outOf(asBob("list"))).toContain("No instances.");
  });

  it("launches an instance that is listed as spot, is evicted for a launch that waits, and costs nothing", async () => {
    const launched = await asBob("launch", "idle", "--spot", "--name", "batch", "--max-price", "0.25");
    expect(launched).toMatchObject({ code: 0, err: expect.stringContaining("idle (spot) in north: $0.25/h") });
    expect(launched.out).toMatch(/^batch +active +\S+ +idle \(spot\) +north +\$0\.25\/h/m);
    expect(await outOf(asBob("show", "batch"))).toMatch(/^Spot +yes: evicted after a notice/m);
    expect(await shown("batch")).toMatchObject({ spot: true, evict_at: null });

    const waits = await asAnn("launch", "full", "--wait", "1d", "--name", "urgent", "--no-wait");
    expect(waits).toMatchObject({ code: 0, out: expect.stringContaining("capacity") });
    await expect.poll(() => outOf(asBob("list")), { timeout: 20_000 }).toMatch(/^batch +active \(evicted in \d/m);
    const at = (await shown("batch")).evict_at ?? "";
    expect(Math.abs(Date.parse(at) - Date.now() - 120_000)).toBeLessThan(60_000);
    const evicted = `${at.slice(0, 19).replace("T", " ")} UTC`;
    expect(await outOf(asBob("show", "batch"))).toMatch(new RegExp(`^Evicted +${evicted} \\(in \\d`, "m"));
    const id = (JSON.parse(await outOf(asAnn("launches", "list", "--json"))) as { id: string }[])[0]?.id ?? "";
    expect(await outOf(asAnn("launches", "show", id))).toContain(`1 spot instance is being evicted for it, by ${at}`);

    await travel(server.db, "121 seconds");
    await server.reconciler.idle();
    await expect.poll(async () => (await shown("batch")).status, { timeout: 20_000 }).toBe("terminated");
    expect(await shown("batch")).toMatchObject({ ended_by: "preempted", cost_micro_cents: "0" });
    expect(await outOf(asBob("show", "batch"))).toMatch(/^Ended by +preempted$/m);
    expect(await outOf(asBob("usage"))).toMatch(/^batch .+ \$0\.00 +evicted early, free$/m);
    expect(await outOf(asBob("events", "--type", "instance.preempted"))).toContain("batch");
    await expect.poll(() => outOf(asAnn("list")), { timeout: 20_000 }).toMatch(/^urgent +active/m);
  });

  it("waits as spot, and is copied by --like unless --no-spot says otherwise", async () => {
    // "urgent" has the GPU.
    const waits = await asBob("launch", "idle", "--spot", "--wait", "1d", "--no-wait");
    expect(waits.out).toMatch(/ idle \(spot\) /);
    expect(await outOf(asBob("launches", "list"))).toMatch(/ waiting +idle \(spot\) /);
    const like = (...more: string[]) => asBob("launch", "--like", "batch", "--name", "next", "--dry-run", ...more);
    expect((await like()).out).toContain("idle (spot): $0.25/h");
    expect((await like("--no-spot")).out).toContain("idle: $0.80/h");
  });
});
