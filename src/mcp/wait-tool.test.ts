// Waiting for an instance where the service refuses some of the reads.

import { expect, it } from "vitest";
import { type ServiceClient, ServiceError, serviceError } from "./service-client.ts";
import { waitForInstance } from "./wait-tool.ts";

const active = {
  ...{ id: "i-1", name: "one", status: "active", health: "ok", progress: null, failure: null, ip: null },
  ...{ login_user: "ubuntu", region: { name: "north" }, file_system_names: [], cost_cents: "0" },
  ...{ spot: false, evict_at: null },
  instance_type: { name: "cpu", price_cents_per_hour: 6 },
};
const refused = (status: number, code: string) => serviceError(status, { error: { code, message: "Not now." } });

/** Waits for `seconds` with a service that refuses so, first or always. */
function waitWith(refusals: readonly ServiceError[], seconds = 600, instance: object = active) {
  const left = [...refusals];
  const service: ServiceClient = {
    call: async () => {
      const next = left.shift();
      if (next !== undefined) throw next;
      return instance;
    },
  };
  const input = { instance_id: "i-1", timeout_seconds: seconds };
  // `never`: it fits the tool's schema.
  const call = { input: input as never, service, signal: new AbortController().signal, report: async () => undefined };
  return waitForInstance.run(call);
}

it.each([
  [503, "global/unavailable"],
  [429, "global/rate-limited"],
])("reads again after %i %s", async (status, code) => {
  expect((await waitWith([refused(status, code)])).data).toMatchObject({ reached: true });
});

it("says what was refused when its time is over", async () => {
  const always = Array.from({ length: 10 }, () => refused(503, "global/unavailable"));
  await expect(waitWith(always, 1)).rejects.toThrow("Not now.");
});

it("ends at once with what another moment does not change", async () => {
  await expect(waitWith([refused(404, "global/object-does-not-exist")])).rejects.toThrow("Not now.");
  await expect(waitWith([new ServiceError({ message: "Can't connect." })])).rejects.toThrow("Can't connect.");
});

it.each(["stopped", "terminating", "terminated"])(
  "ends at once for what is %s, which does not become active",
  async (status) => {
    expect((await waitWith([], 600, { ...active, status })).data).toMatchObject({ reached: false });
  },
);
