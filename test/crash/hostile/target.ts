// The real program as the target of hostile clients: where it is, a token, and how much memory it takes.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ExactClient, type Sent } from "../../support/exact-client.ts";
import { type Lessor, startLessor } from "../../support/lessor.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import type { WhenOver } from "../../support/when-over.ts";

export interface Target {
  readonly lessor: Lessor;
  readonly host: string;
  readonly port: number;
  readonly token: string;
  /** Another valid one, of the same account. */
  readonly hostileToken: string;
  /** Of the same account, with a spend limit of a cent. */
  readonly limitedToken: string;
  /** Ids of webhooks of the account whose targets are ports of loopback where nobody listens. */
  readonly deadWebhooks: readonly string[];
  /** The base of variant M. */
  readonly marketplace: string;
  /** Where /metrics is without a token. */
  readonly metricsUrl: string;
  /** What it takes now, in MiB. */
  memoryMib(): number;
  /** The most it ever took, in MiB. */
  peakMib(): number;
  /**
   * Until the server has taken in what came before, and no more than so many connections are open. Gives how many
   * milliseconds a new connection had to wait for its answer.
   */
  untilLeft(open: number): Promise<number>;
}

/** Limits of addresses would only hide what is looked at here: all hostile clients have one address, and so has the good one. */
const unlimited = {
  requests_per_minute_per_token: 100_000_000,
  requests_per_minute_per_address: 100_000_000,
  failed_authentications_per_minute_per_address: 100_000_000,
  connections_per_address: 1_000_000,
};

export async function startTarget(
  whenOver: WhenOver,
  limits: Readonly<Record<string, number>> = {},
  given?: string,
): Promise<Target> {
  const directory = given ?? (await temporaryDirectory(0o700, whenOver));
  const settings = join(directory, "settings.yaml");
  // JSON is YAML.
  writeFileSync(
    settings,
    JSON.stringify({
      limits: { ...unlimited, ...limits },
      metrics_port: 0,
      webhooks: { allow_private_targets: true, allow_http: true },
    }),
  );
  const lessor = await startLessor(directory, { LESSOR_CONFIG: settings, LESSOR_LOG_LEVEL: "error" }, whenOver);
  const marketplace = lessor.shown("Marketplace (variant M)") ?? "";
  const { hostname, port } = new URL(marketplace);
  const token = lessor.shown("Customer token") ?? "";
  const headers = { authorization: `Bearer ${token}` };
  const make = async (path: string, body: object) => {
    const made = await oneRequest(`${lessor.shown("Control")}${path}`, { method: "POST", headers, body });
    return (JSON.parse(made.text) as { data: { id: string; token: string } }).data; // as the document says
  };
  const scopes = ["read", "write"];
  const hostile = await make("/tokens", { name: "hostile", scopes });
  const limited = await make("/tokens", { name: "limited", scopes, spend_limit_cents: 1 });
  const deadWebhooks: string[] = [];
  // The lowest ports are nobody's: connections to them are refused at once.
  for (let port = 1; port <= 10; port++)
    deadWebhooks.push((await make("/webhooks", { url: `http://127.0.0.1:${port}/` })).id);
  const metricsUrl = lessor.shown("Metrics") ?? "";
  return {
    lessor,
    host: hostname,
    port: Number(port),
    token,
    hostileToken: hostile.token,
    limitedToken: limited.token,
    deadWebhooks,
    marketplace,
    metricsUrl,
    memoryMib: () => memory(lessor, "VmRSS"),
    peakMib: () => memory(lessor, "VmHWM"),
    async untilLeft(open) {
      // Connections are taken in one after the other, in the order in which they came: this one behind all of before.
      const { ms } = await oneRequest(new URL("/healthz", marketplace).href);
      const deadline = performance.now() + 60_000;
      while ((await openConnections(metricsUrl)) > open) {
        if (performance.now() > deadline) throw new Error(`more than ${open} connections are still open`);
        await sleep(50);
      }
      return ms;
    },
  };
}

/** On a connection of its own that is not kept, so that it does not count for anything later. Throws when it is not served. */
async function oneRequest(url: string, sent: Sent = {}) {
  const client = new ExactClient({ keepAlive: false });
  const outcome = await client.send(url, sent);
  client.close();
  if (outcome.kind !== "answered" || outcome.status >= 300) throw new Error(`not served: ${JSON.stringify(outcome)}`);
  return outcome;
}

async function openConnections(metricsUrl: string): Promise<number> {
  const found = /^lessor_http_connections (\d+)$/m.exec(await (await fetch(metricsUrl)).text());
  return Number(found?.[1]);
}

function memory({ process: { pid } }: Lessor, what: "VmRSS" | "VmHWM"): number {
  const found = new RegExp(`^${what}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.round(Number(found?.[1]) / 1024);
}
