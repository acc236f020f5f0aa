// Nothing becomes slower by accident: reads and launches against the commit that landed last, in turn on this machine.
// CI runs it (npm run test:guard); it wants the machine for itself.

import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { againstLanded, isSlower, slower } from "../../bench/guard/guard.ts";
import { landedCheckout } from "../../bench/guard/landed.ts";
import { shown } from "../../bench/output.ts";

const rounds = 7;

it("reads and launches are not slower than those of the commit that landed last", async ({ skip, onTestFinished }) => {
  const directory = await mkdtemp(join(tmpdir(), "lessor-guard-"));
  await chmod(directory, 0o711); // PostgreSQL's user passes through
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  const landed = await landedCheckout(join(directory, "checkout"));
  if (landed === undefined) return skip("this clone does not have the commit that .ci/landed names");
  const of = (side: string) => join(directory, side);
  const figures = Object.entries(await againstLanded(landed, { landed: of("landed"), now: of("now") }, rounds));
  for (const [name, { median, least, most }] of figures) {
    process.stdout.write(`  ${name}: ${shown(median)} (${shown(least)} … ${shown(most)}) of what landed last\n`);
  }
  const found = figures.filter(([, figure]) => isSlower(figure)).map(([name]) => name);
  expect(found, `below ${slower.median}, and in no round of ${rounds} as fast`).toEqual([]);
});
