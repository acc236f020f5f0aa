// The generator's own process: takes plans from its parent, one at a time, and tells what came of each.

import type { LoadPlan } from "./plan.ts";
import { runPlan } from "./run-plan.ts";

process.on("message", async (plan: LoadPlan) => {
  try {
    process.send?.({ report: await runPlan(plan) });
  } catch (error) {
    process.send?.({ failure: error instanceof Error ? error.message : String(error) });
  }
});
process.on("disconnect", () => process.exit());
