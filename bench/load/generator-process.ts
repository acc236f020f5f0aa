// The generator's own process: receives plans from its parent, one at a time, and sends their results.

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
