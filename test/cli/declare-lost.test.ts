// `lessor hosts declare-lost` without a terminal: two calls, the second with what the first has printed. With one, it asks:
// test/terminal.

import { beforeAll, expect, it } from "vitest";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { afterFile } from "../support/when-over.ts";
import { runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
let server: RunningServer;
beforeAll(async () => {
  server = await startDemoService(whenOver);
});

const host = "us-west-1-l40s-01";
const run = (...args: string[]) =>
  runLessor(args, { env: { LESSOR_URL: server.url, LESSOR_TOKEN: server.operatorToken } });

it("declares a host lost by two calls, and shows a lost one", async () => {
  const declare = (...more: string[]) => run("hosts", "declare-lost", host, "--reason", "Written off", ...more);
  const reached = await declare();
  expect(reached).toMatchObject({ code: 5, out: "" });
  expect(reached.err).toContain("is not lost: its engine simulated reached it");

  // A rejected command shows no hosts, and says nothing about labels.
  expect(await run("hosts", "fence", host)).toMatchObject({ code: 5, out: "" });

  await run("simulate", "fail", host);
  await server.reconciler.sweepNow();
  expect((await run("hosts", "list", "--state", "unreachable")).out).toMatch(new RegExp(`^HOST.*\n${host} .*\n$`));
  const first = await declare();
  expect(first).toMatchObject({ code: 0, err: "" });
  const [, confirmation = ""] = /--confirmation ([0-9a-f]{16})$/m.exec(first.out) ?? [];
  expect(first.out).toContain(
    `Nothing was changed. To confirm: lessor hosts declare-lost ${host} --reason 'Written off'`,
  );
  expect((await run("hosts", "show", host)).out).toMatch(/^State +unreachable/m);
  const wrong = await declare("--confirmation", "0123456789abcdef");
  expect(wrong).toMatchObject({ code: 5, out: "" });
  const json = JSON.parse((await declare("--json")).out) as object;
  expect(json).toMatchObject({ declared: false, confirmation, instances: [], file_systems: [] });

  const second = await declare("--confirmation", confirmation);
  expect(second.out).toBe(`${host} is declared lost. Instances that ended: 0. File systems lost: 0.\n`);
  const shown = (await run("hosts", "show", host)).out;
  expect(shown).toMatch(/^State +lost$/m);
  expect(shown).not.toMatch(/ free$/m);
  const refused = await run("hosts", "uncordon", host);
  expect(refused).toMatchObject({ code: 5, out: "", err: expect.stringContaining("lost") });
});

it("says who decided about a host only while that is its state", async () => {
  const other = "us-west-1-l40s-02";
  const decidedBy = async () => /^Decided by .*$/m.exec((await run("hosts", "show", other)).out)?.[0];
  await run("hosts", "cordon", other);
  expect(await decidedBy()).toMatch(/operator$/);
  await run("simulate", "fail", other);
  await server.reconciler.sweepNow();
  expect((await run("hosts", "show", other)).out).toMatch(/^State +unreachable \(cordoned when it is back\)$/m);
  expect(await decidedBy()).toBeUndefined();
});

it("finds hosts by state, and rejects a change of labels that no host has", async () => {
  expect(await run("hosts", "list", "--state", "gone")).toMatchObject({ code: 2, out: "" });
  const nothing = await run("hosts", "drain", "--selector", "rakc=r12");
  expect(nothing).toMatchObject({ code: 3, out: "", err: expect.stringContaining("No host has the labels rakc=r12.") });
});
