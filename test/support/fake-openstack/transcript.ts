// What an OpenStack cloud answers to a fixed sequence of requests, without what differs from cloud to cloud, and only what
// the engine reads (readKeys). The fake's answers and a real one's are the same: test/openstack/fake-openstack.test.ts holds
// that. It needs hosts gpu1 and gpu2 in the zone gpu-az of the aggregate gpus, with 8 GPUs each and nothing on them; and it
// leaves nothing behind.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ask, Asked } from "./asking.ts";
import type { FakeService } from "./exchange.ts";
import { shape } from "./transcript-shape.ts";
import { steps } from "./transcript-steps.ts";

export interface Site {
  readonly authUrl: string;
  /** An admin of a project of its own. */
  readonly admin: Ask;
  /** A member of another project, and its application credential. */
  readonly member: Ask;
  readonly memberProject: string;
  readonly credential: { readonly id: string; readonly secret: string };
  /** Ids. Both may use the first network. */
  readonly network: string;
  readonly floatingNetwork: string;
  readonly image: string;
  /** Between two looks at something that changes. */
  readonly pauseMs: number;
}

export type Who = "admin" | "member";

export class Transcript {
  readonly site: Site;
  readonly lines: string[] = [];
  /** What stands for what differs, by what it is there. */
  readonly #names = new Map<string, string>();

  constructor(site: Site) {
    this.site = site;
    for (const [name, value] of Object.entries({ NET: site.network, PUBLIC: site.floatingNetwork, IMAGE: site.image }))
      this.name(name, value);
    this.name("PROJECT", site.memberProject);
    this.name("CREDENTIAL", site.credential.id);
  }

  /** From here on this stands for that in the lines. */
  name(name: string, value: unknown): void {
    if (typeof value === "string" && value !== "") this.#names.set(value, name);
  }

  /** Asks, and writes down what is answered. `look`: at what of the body; all by default. */
  async ask(service: FakeService, method: string, path: string, body?: unknown, options: Options = {}): Promise<Asked> {
    const { as = "admin", headers, look = (all: unknown) => all } = options;
    const answer = await this.site[as](service, method, path, body, headers);
    const sent =
      body instanceof Uint8Array ? " BYTES" : body === undefined ? "" : ` ${this.#bare(JSON.stringify(body))}`;
    const seen =
      answer.body === undefined
        ? ""
        : ` ${JSON.stringify(shape(answer.status < 400 ? look(answer.body) : answer.body))}`;
    const who = as === "admin" ? "" : `${as}: `;
    this.lines.push(this.#bare(`${who}${service} ${method} ${path}${sent.slice(0, 200)} → ${answer.status}${seen}`));
    return answer;
  }

  /** Until a server has this status, or is gone. Writes down how it is then. */
  async until(id: string, status: string | 404, as: Who = "admin"): Promise<void> {
    const path = `/v2.1/servers/${id}`;
    for (let left = 60_000 / this.site.pauseMs; left > 0; left--) {
      const { status: code, body } = await this.site[as]("compute", "GET", path);
      const { server } = (body ?? {}) as { server?: Record<string, unknown> };
      const there = server?.["OS-EXT-STS:task_state"] === null ? server?.status : undefined;
      if (code === status || there === status) break;
      await sleep(this.site.pauseMs);
    }
    await this.ask("compute", "GET", path, undefined, { as });
  }

  #bare(line: string): string {
    let text = line.replaceAll(new URL(this.site.authUrl).origin, "KEYSTONE");
    for (const [value, name] of this.#names) text = text.replaceAll(value, name);
    return text
      .replace(/http:\/\/[\d.]+:\d+/g, "URL")
      .replace(/req-[0-9a-f-]{36}/g, "REQUEST")
      .replace(/Value: \{.*?\}\. /, "Value: {}. ")
      .replace(/ for flavor \S+ and /, " for flavor FLAVOR and ")
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
      .replace(/\b[0-9a-f]{32}\b/g, "ID")
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|")/g, (_all, _part, end) => `TIME${end === '"' ? '"' : ""}`)
      .replace(/fa:16:3e(:[0-9a-f]{2}){3}/g, "MAC")
      .replace(/\b(10|127|203)\.\d+\.\d+\.\d+(?!\/)/g, "IP");
  }
}

export interface Options {
  readonly as?: Who;
  readonly headers?: object;
  readonly look?: (body: unknown) => unknown;
}

/** A transcript of real services: of Zed, from the packages of Debian 12. */
export function recorded(name: "recorded.txt" | "recorded-volumes.txt"): string[] {
  return readFileSync(join(import.meta.dirname, name), "utf8")
    .trimEnd()
    .split("\n");
}

/** One line for each request. */
export async function transcript(site: Site): Promise<string[]> {
  const written = new Transcript(site);
  await steps(written);
  return written.lines;
}
