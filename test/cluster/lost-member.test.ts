// A member of the cluster dies during rentals: it returns as it was, or it is declared lost.

import { beforeAll, expect, inject, it, onTestFinished } from "vitest";
import {
  acceptsNothing,
  billEnd,
  declareLost,
  launchOn,
  stateOf,
  untilHost,
  untilReachedWith,
  untilUnreachable,
} from "../support/service/hosts.ts";
import { afterFile } from "../support/when-over.ts";
import { labOf } from "./lab/lab.ts";
import { type Customer, loginUser, type Service, type Shown, startService } from "./service.ts";

const lab = labOf(inject("lab"));
const whenOver = afterFile();
const soon = { timeout: 120_000, interval: 200 };

let service: Service;
let ann: Customer;
/** On h2, and on h3. h1, through which the service speaks with the cluster, stays alive. */
let dying: Shown;
let other: Shown;

beforeAll(async () => {
  service = await startService(lab, { whenOver });
  ann = await service.customer("ann");
  const ids = [await launchOn(service, ann, "h2"), await launchOn(service, ann, "h3")] as const;
  [dying, other] = await Promise.all([service.until(ids[0], "active"), service.until(ids[1], "active")]);
  await service.control("POST", "/hosts/h2/uncordon");
});

async function killed(): Promise<void> {
  await lab.killMember("h2");
  onTestFinished(() => lab.startMember("h2"));
}

/** A service that starts runs a full resync at once, not within 15 seconds. */
const resync = () => service.crash();

it("while a member is away its instances are unreachable and its host takes nothing; both come back", async () => {
  await killed();
  const health = async () => (await service.show(dying.id)).health;
  await expect.poll(health, soon).toBe("unreachable");
  await untilHost(service, "h2", "unreachable");
  // It has not ended.
  expect(await service.show(dying.id)).toMatchObject({ status: "active" });
  await lab.startMember("h2");
  await expect.poll(health, soon).toBe("ok");
  await untilHost(service, "h2", "up");
  expect(await service.show(dying.id)).toMatchObject({ status: "active", ip: dying.ip });
});

it("a member that is declared lost ends its rentals, and returns clean and cordoned", async () => {
  await untilReachedWith(service, dying);
  await killed();
  await resync();
  await untilUnreachable(service, "h2");
  const since = await declareLost(service, dying);
  expect(await billEnd(service, dying.id)).toBe(since);
  expect(await service.show(other.id)).toMatchObject({ status: "active", health: "ok" });
  expect(await service.inside(other.id, ann, "true")).toBe("");
  // Its guest runs on.
  const login = { member: "h2", ip: dying.ip ?? "", user: loginUser, key: ann.key.file, command: "true" };
  expect(await lab.ssh(login)).toMatchObject({ code: 0 });
  await acceptsNothing(service, ann, "h2");

  await lab.startMember("h2");
  await resync();
  const names = () => lab.lxc(["list", "--format", "csv", "--columns", "n"]);
  await expect.poll(names, soon).toBe(`lessor-${other.id}\n`);
  expect(await stateOf(service, "h2")).toBe("lost");
  await resync();
  await untilHost(service, "h2", "cordoned");
  const next = await launchOn(service, ann, "h2");
  expect(await service.until(next, "active")).toMatchObject({ host: "h2" });
  await service.empty([ann]);
});
