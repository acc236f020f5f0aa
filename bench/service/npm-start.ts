// `npm start` as typed, timed to the first response to an authenticated request of a service that reports ready. Used by
// the runs of starts.

import { join } from "node:path";
import { Program } from "./program.ts";
import { checkout, operatorToken } from "./service.ts";

export interface StartOrder {
  /** Gets the log. */
  readonly directory: string;
  readonly port: number;
  /** Besides PATH and HOME; its operator is `operatorToken`. */
  readonly env: NodeJS.ProcessEnv;
}

/** Seconds from the command to the first response. The service is stopped again. */
export async function npmStart({ directory, port, env }: StartOrder): Promise<number> {
  const begun = performance.now();
  await using program = new Program({
    name: "npm start",
    command: "npm",
    args: ["start", "--silent"],
    cwd: checkout,
    group: true,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    logFile: join(directory, "npm.log"),
  });
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${operatorToken}` };
  const isThere = async () =>
    (await fetch(`${url}/readyz`)).ok && (await fetch(`${url}/api/vm_marketplace/instances`, { headers })).ok;
  await program.until(isThere, 5);
  return (performance.now() - begun) / 1000;
}
