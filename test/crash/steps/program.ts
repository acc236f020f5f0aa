// The real program, that kills itself at a point of the reconciler: LESSOR_TEST_KILL_AT is "<point> before" or
// "<point> after". Without it, it is the program as it is. A door beside src/main.ts, so that src/ knows nothing of it.

import { loadConfig } from "../../../src/config.ts";
import { createLog } from "../../../src/log.ts";
import type { FailpointRunner } from "../../../src/reconciler/failpoints.ts";
import { start } from "../../../src/server.ts";

const [killAt, when] = (process.env.LESSOR_TEST_KILL_AT ?? "").split(" ");

/** Never comes back: not even the next statement runs. */
function die(): Promise<never> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

const failpoints: FailpointRunner = async (point, pass) => {
  if (point !== killAt) return pass();
  if (when === "before") return die();
  try {
    return await pass();
  } finally {
    await die();
  }
};

const config = loadConfig({ env: process.env, cwd: process.cwd() });
const running = await start(
  config,
  createLog(config.logLevel),
  async (line) => void process.stdout.write(`${line}\n`),
  { failpoints },
);
process.on("SIGTERM", () => void running.stop());
