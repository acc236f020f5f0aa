// kill -9 of the server between launch and active: every accepted instance becomes active after the next start, once.

import { describe, expect, it } from "vitest";
import { type Lessor, startLessor } from "../support/lessor.ts";
import { startedOnce } from "../support/started-once.ts";

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly ip: string;
}

async function call<T>(lessor: Lessor, token: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${lessor.shown("Marketplace (variant M)")}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.status, path).toBeLessThan(300);
  const answer = (await response.json()) as { data: T }; // as the documents say; conformance checks that
  return answer.data;
}

/** Polls until every listed instance is active; the real clock is the point here, as the process is another one. */
async function allActive(lessor: Lessor, token: string): Promise<Listed[]> {
  for (;;) {
    const listed = await call<Listed[]>(lessor, token, "/instances");
    if (listed.every((instance) => instance.status === "active")) return listed;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("a server killed between launch and active", () => {
  it("brings every accepted instance to active after the next start, exactly once", async () => {
    const { directory, customerToken: token, operatorToken: operator } = await startedOnce();
    const first = await startLessor(directory);
    const order = { instance_type_name: "gpu_1x_a6000", region_name: "any", ssh_key_names: [], quantity: 3 };
    const launches = Array.from({ length: 4 }, () =>
      call<{ uuids: string[] }>(first, token, "/instance-operations/launch", order),
    );
    const accepted = (await Promise.all(launches)).flatMap((launch) => launch.uuids);
    await first.end("SIGKILL");

    const second = await startLessor(directory);
    const active = await allActive(second, token);
    expect(active.map((instance) => instance.id).sort()).toEqual(accepted.sort());
    expect(new Set(active.map((instance) => instance.ip)).size).toBe(accepted.length);

    const toldActive = async () => {
      const events = await fetch(`${second.shown("Control")}/events?limit=1000`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { data } = (await events.json()) as { data: { type: string; data: { instance_id: string } }[] };
      const active = data.filter((event) => event.type === "instance.active");
      return active.map((event) => event.data.instance_id).sort();
    };
    // Events show when no older transaction runs any more.
    await expect.poll(toldActive).toEqual(accepted.sort());

    const hosts = await fetch(`${second.shown("Control")}/hosts`, { headers: { authorization: `Bearer ${operator}` } });
    const { data: world } = (await hosts.json()) as { data: { gpus: { held_by: string | null }[] }[] };
    const holders = world.flatMap((host) => host.gpus).flatMap((gpu) => gpu.held_by ?? []);
    expect(holders.sort()).toEqual(accepted.sort());
  }, 90_000);
});
