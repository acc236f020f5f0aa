// Random histories of GPUs that are reset and validated: steps that fail, happen twice, or are the last of a process, an
// engine that fails, and every kind of verdict. npm test plays a few of them, npm run test:crash many.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { injectFaults } from "../../src/engines/simulated/database.ts";
import { resetFailpoints, validationFailpoints } from "../../src/reconciler/failpoints.ts";
import { gpuTraits } from "../../src/rules/gpu-lifecycle.ts";
import { sample } from "../support/extent.ts";
import { fc } from "../support/properties.ts";

import {
  auditNothingLeft,
  beginValidations,
  disturbing,
  gpu,
  inProgress,
  letTimePass,
  reset,
  setPolicy,
  stage,
  toSanitize,
  validate,
  wasReset,
} from "../support/validating.ts";

beginValidations();

describe("whichever step fails, happens twice or is the last of a process", () => {
  const modes = ["fails before", "fails after", "twice", "dies before", "dies after"] as const;
  const verdicts = [
    ...["validation-fails", "validation-warns", "validation-hangs", "validation-prints-garbage"],
  ] as const;

  it("no GPU is offered past its reset and its validation, nothing is billed, and nothing is left", async () => {
    const points = [...resetFailpoints, ...validationFailpoints];
    const step = fc.record({ point: fc.constantFrom(...points), mode: fc.constantFrom(...modes) });
    const trouble = fc
      .record({
        kind: fc.constantFrom("refuses", "unavailable", "hangs", "loses-answer", "loses-machine", "lies" as const),
        operation: fc.constantFrom("reset-gpus", "create", "start", "inspect", "remove", "console-log" as const),
      })
      // What an engine has not removed, against its contract, is an orphan for the resync.
      .filter(({ kind, operation }) => kind !== "lies" || !["remove", "reset-gpus"].includes(operation));
    const history = fc.record({
      steps: fc.array(step, { maxLength: 4 }),
      verdict: fc.option(fc.record({ kind: fc.constantFrom(...verdicts), times: fc.integer({ min: 1, max: 4 }) })),
      troubles: fc.array(trouble, { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(history, async ({ steps, verdict, troubles }) => {
        await sql`delete from simulated.faults`.execute(stage.db);
        await setPolicy("reset+validate", { deadlineSeconds: 0.05 });
        await toSanitize();
        if (verdict !== null) {
          // Listed above.
          await injectFaults(stage.db, verdict as Parameters<typeof injectFaults>[1]);
        }
        for (const one of troubles)
          await injectFaults(stage.db, { ...(one as Parameters<typeof injectFaults>[1]), times: 1 });
        const left = [...steps];
        let reads = 0;
        const isInWork = async () => gpuTraits[(await gpu()).state].returns || (await inProgress()) > 0;
        for (let round = 0; round < 60 && (await isInWork()); round++) {
          await letTimePass();
          const gate = disturbing(left, () => reads++);
          await reset(gate).catch(() => {});
          await validate(gate).catch(() => {});
          if ((await gpu()).state === "free") {
            expect(reads).toBeGreaterThan(0);
            expect(await wasReset()).toBe(true);
            expect(["passed", "warned"]).toContain((await gpu()).lastValidation?.verdict);
          }
        }
        expect(["free", "quarantined"]).toContain((await gpu()).state);
        await auditNothingLeft();
      }),
      { numRuns: sample(8, 600) },
    );
  });
});
