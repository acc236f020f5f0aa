// What an operator does with hosts over the control interface, for tests on real machines.

import { expect } from "vitest";
import type { Customer, Service, Shown } from "./service.ts";

/** As the control interface shows it, as far as these tests look. */
interface ShownHost {
  readonly name: string;
  readonly state: string;
  readonly unreachable_since: string | null;
}

interface Loss {
  readonly declared: boolean;
  readonly unreachable_since: string;
  readonly confirmation: string;
}

/** A full resync follows within 15 seconds, and a host that does not respond delays it. */
const soon = { timeout: 120_000, interval: 200 };

const reason = "Written off";

/** New instances are placed there only. */
export async function onlyOn(service: Service, host: string): Promise<void> {
  for (const { name } of await service.control<ShownHost[]>("GET", "/hosts")) {
    await service.control("POST", `/hosts/${name}/${name === host ? "uncordon" : "cordon"}`);
  }
}

/** An instance on that host, with the customer's key; gives its id. */
export async function launchOn(service: Service, customer: Customer, host: string): Promise<string> {
  await onlyOn(service, host);
  const [id = ""] = await service.launch(customer);
  return id;
}

export async function stateOf(service: Service, host: string): Promise<string> {
  return (await service.control<ShownHost>("GET", `/hosts/${host}`)).state;
}

export function untilHost(service: Service, host: string, state: string): Promise<void> {
  return expect.poll(() => stateOf(service, host), soon).toBe(state);
}

/** Declaring the host lost is rejected, because its engine reached it, until it has done so after the instance was active. */
export async function untilReachedWith(service: Service, { host, active_at }: Shown): Promise<void> {
  const reachedAt = async () => {
    const { status, text } = await service.askControl("POST", `/hosts/${host}/declare-lost`, { reason });
    expect(status, text).toBe(409);
    return / reached it at (20\S+Z)\./.exec(text)?.[1] ?? "";
  };
  const activeAt = Date.parse(active_at ?? "");
  await expect.poll(async () => Date.parse(await reachedAt()) > activeAt, soon).toBe(true);
}

/** Waits until the engine does not reach the host. */
export async function untilUnreachable(service: Service, host: string): Promise<void> {
  const since = async () => (await service.control<ShownHost>("GET", `/hosts/${host}`)).unreachable_since;
  await expect.poll(since, soon).not.toBeNull();
}

/**
 * Declares the host lost in two steps, of which the first changes nothing. Exactly this instance ends with it. Gives since
 * when the host was not reached: only now it is certain, as a listing that began before the host died may end after it.
 */
export async function declareLost(service: Service, { id, host }: Shown): Promise<string> {
  const path = `/hosts/${host}/declare-lost`;
  const ending = [{ id, status: "active" }];
  const first = await service.control<Loss>("POST", path, { reason });
  expect(first).toMatchObject({ declared: false, instances: ending });
  expect(await service.show(id)).toMatchObject({ status: "active", ended_by: null });
  const { confirmation } = first;
  const second = await service.control<Loss>("POST", path, { reason, confirmation });
  expect(second).toMatchObject({ declared: true, instances: ending, host: { state: "lost", instances: 0 } });
  const ended = { status: "terminated", ended_by: "host-lost", failure: { code: "host-lost" } };
  expect(await service.show(id)).toMatchObject(ended);
  return second.unreachable_since;
}

/** The end of the instance's bill; null while it is rented. */
export async function billEnd(service: Service, id: string): Promise<string | null | undefined> {
  const [line] = await service.control<{ ended_at: string | null }[]>("GET", `/usage?instance_id=${id}`);
  return line?.ended_at;
}

/** A lost host accepts nothing, and no decision. Afterwards new instances are placed nowhere. */
export async function acceptsNothing(service: Service, customer: Customer, host: string): Promise<void> {
  for (const { name, state } of await service.control<ShownHost[]>("GET", "/hosts"))
    if (state !== "lost") await service.control("POST", `/hosts/${name}/cordon`);
  const decided = await service.askControl("POST", `/hosts/${host}/uncordon`);
  expect(decided).toMatchObject({ status: 409, text: expect.stringContaining("lost") });
  const url = `${service.urls.marketplace}/instance-operations/launch`;
  const launched = await service.ask("POST", url, customer.token, {
    region_name: "lab",
    instance_type_name: "small",
    quantity: 1,
    ssh_key_names: ["key"],
  });
  expect(launched).toMatchObject({ status: 409, text: expect.stringContaining("insufficient-capacity") });
}
