// Signing in through the browser: shows a code, which a person confirms in the console, and waits for the token. Used by
// `lessor login` and `lessor switch`.

import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError } from "./command-error.ts";
import { serviceUrl } from "./connection/connection.ts";
import { controlClient } from "./connection/control-client.ts";
import { plain } from "./output/text.ts";
import type { Shell } from "./shell.ts";

interface Begun {
  readonly secret: string;
  readonly code: string;
  readonly path: string;
  /** Seconds. */
  readonly interval: number;
  readonly expires_in: number;
}

interface Polled {
  readonly status: "pending" | "slow_down" | "expired" | "done";
  readonly token?: string;
}

/** `team`: its name, for the person. Throws CommandError. */
export async function tokenByBrowser(shell: Shell, address: string, team?: string): Promise<string> {
  const { origin } = serviceUrl(address);
  const client = controlClient(origin, undefined);
  // Outside of the control interface, which documents no operation without a token but this.
  const ask = async <T>(path: string, body: object) => (await client.call("POST", path, body)) as T;
  const name =
    hostname()
      .replaceAll(/[^\w.-]/g, "")
      .slice(0, 56) || "a computer";
  const begun = await ask<Begun>("/console/device", { name });
  const which = team === undefined ? "" : ` and choose the team ${team}`;
  shell.err.line(plain(`Open ${origin}${begun.path} in a browser, enter the code ${begun.code}${which}.`));
  let wait = begun.interval;
  for (let waited = 0; waited < begun.expires_in; waited += wait) {
    const { status, token } = await ask<Polled>("/console/device/token", { secret: begun.secret });
    if (status === "done" && token !== undefined) return token;
    if (status === "expired") break;
    if (status === "slow_down") wait += begun.interval;
    await sleep(wait * 1000);
  }
  throw new CommandError("The code was not confirmed in time.", "Run the command again.", { exit: "not-authorized" });
}
