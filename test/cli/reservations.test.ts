// `lessor reservations` and `lessor launch --reservation`: capacity for a time, from a script.

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
const runOf = (...args: string[]) => run("reservations", ...args);
const type = "gpu_1x_a10";

interface Reservation {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly from: string;
  readonly to: string;
  readonly cost_cents: string;
}
const listed = async (...more: string[]) =>
  JSON.parse((await runOf("list", "--json", ...more)).out) as readonly Reservation[];

it("are quoted, made at that price, shown, and cancelled once", async () => {
  expect((await runOf("list")).out).toContain("No reservations.");
  const order = [type, "--from", "36h", "--for", "2d", "--quantity", "2"];
  const quoted = await runOf("quote", ...order);
  expect(quoted).toMatchObject({ code: 0, out: expect.stringMatching(/^2 x gpu_1x_a10 in \S+, .+ UTC: \$[\d.]+ \(/) });
  const unsure = await runOf("create", ...order);
  expect(unsure).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  expect(await listed()).toEqual([]);
  const made = await runOf("create", ...order, "--name", "training-week", "--yes");
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining("0 of 2") });
  const [one, ...others] = await listed();
  expect([one?.state, others]).toEqual(["scheduled", []]);
  expect(Date.parse(one?.to ?? "") - Date.parse(one?.from ?? "")).toBe(2 * 86_400_000);
  expect((await runOf("ls")).out).toMatch(/training-week +scheduled +gpu_1x_a10 .+ 0\/2/);
  expect((await runOf("show", "training")).out).toContain(one?.id);
  expect(await run("launch", "--reservation", "training-week", "--no-key", "--no-wait")).toMatchObject({
    err: expect.stringContaining("begins at"),
  });
  expect((await runOf("cancel", "training-week")).code).toBe(2);
  expect(await runOf("cancel", "training-week", "--yes")).toMatchObject({
    code: 0,
    out: expect.stringContaining("cancelled"),
  });
  expect(await runOf("cancel", one?.id ?? "", "--yes")).toMatchObject({ err: expect.stringContaining("is cancelled") });
  expect([await listed(), (await listed("--all")).map(({ state }) => state)]).toEqual([[], ["cancelled"]]);
});

it("that are active are used by launches, which cost nothing by themselves and show it", async () => {
  const made = await runOf("create", type, "--for", "8h", "--name", "now", "--yes", "--json");
  expect(JSON.parse(made.out)).toMatchObject({ state: "active", name: "now" });
  const dry = await run("launch", "--reservation", "now", "--no-key", "--dry-run");
  expect(dry).toMatchObject({ code: 0, out: `${type}: the reservation pays for it\n` });
  const launched = await run("launch", "--reservation", "now", "--no-key", "--name", "worker", "--json");
  expect(launched).toMatchObject({ code: 0 });
  const { id } = JSON.parse(made.out) as Reservation;
  expect(JSON.parse(launched.out)).toMatchObject([
    { name: "worker", reservation_id: id, instance_type: { name: type, price_cents_per_hour: 0 } },
  ]);
  expect((await runOf("show", "now")).out).toMatch(/1 of 1/);
  expect((await run("show", "worker")).out).toContain(id);
  const usage = await run("usage");
  expect(usage.out).toMatch(/^now +reservation .+ -$/m);
  expect(usage.out).toMatch(/^worker +instance .+ paid by reservation$/m);
  const [used] = JSON.parse((await run("usage", "--products", "--json")).out) as { seconds: number }[];
  expect(used).toMatchObject({ instance_type: type, instances: 1, reservations: 1 });
  const lines = JSON.parse((await run("usage", "--json")).out) as { seconds: number; reservation_id: string | null }[];
  expect(used?.seconds).toBeLessThan(lines.reduce((sum, { seconds }) => sum + seconds, 1));
  const full = await run("launch", "--reservation", "now", "--no-key");
  expect(full).toMatchObject({ err: expect.stringContaining("are in use") });
});

it("leave what is free before them to launches that end in time", async () => {
  const time = ["--from", "36h", "--for", "8h"];
  const { out } = await runOf("quote", type, ...time, "--quantity", "64", "--json");
  const [{ region, available } = { region: "", available: 0 }] = (
    JSON.parse(out) as { fits_in: { region: string; available: number }[] }
  ).fits_in;
  const order = [type, ...time, "--region", region, "--quantity", String(available)];
  expect(await runOf("create", ...order, "--name", "all", "--yes")).toMatchObject({ code: 0 });
  const dry = (...more: string[]) => run("launch", type, "--region", region, "--no-key", "--dry-run", ...more);
  expect(await dry()).toMatchObject({ code: 5, err: expect.stringContaining(`Not enough capacity for ${type}`) });
  expect(await dry("--max-lifetime", "2d")).toMatchObject({ code: 5 });
  expect(await dry("--max-lifetime", "8h")).toMatchObject({ code: 0, out: expect.stringContaining(region) });
  expect(await runOf("cancel", "all", "--yes")).toMatchObject({ code: 0 });
});

it.each([
  [["quote", type], "When does it end?"],
  [["quote", type, "--to", "1d", "--for", "1d"], "When does it end?"],
  [["quote", type, "--for", "soon"], "is not a time span"],
  [["create", type, "--from", "2h", "--to", "1h", "--yes"], "Must be after"],
  [["create", type, "--for", "10m", "--yes"], "at least 60 minutes"],
  [["create", "gpu_9x", "--for", "1d", "--yes"], "gpu_9x"],
  [["quote", type, "--region", "nowhere", "--for", "1d"], "nowhere"],
  [["show", "nothing"], 'There is no reservation "nothing"'],
] as const)("%j is rejected: %s", async (words, text) => {
  const { code, err } = await runOf(...words);
  expect(code).not.toBe(0);
  expect(err).toContain(text);
});

it("that do not fit say what would", async () => {
  const { code, err } = await runOf("create", type, "--for", "8h", "--quantity", "64", "--yes");
  expect(code).toBe(5);
  expect(err).toContain("There is not surely enough capacity then.");
});
