// Hosts that are declared lost: one that dies during rentals and returns with its guests, and one that is reinstalled.

import { beforeAll, expect, inject, it } from "vitest";
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
import { vmLabOf } from "./lab/lab.ts";
import {
  type Customer,
  cleanAfterwards,
  loginUser,
  nothingLeft,
  type Service,
  type Shown,
  startService,
} from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const whenOver = afterFile();
const soon = { timeout: 120_000, interval: 200 };

let service: Service;
let ann: Customer;
/** On h2, and on h3. */
let dying: Shown;
let other: Shown;

beforeAll(async () => {
  service = await startService(lab, { whenOver });
  ann = await service.customer("ann");
  const ids = [await launchOn(service, ann, "h2"), await launchOn(service, ann, "h3")] as const;
  [dying, other] = await Promise.all([service.until(ids[0], "active"), service.until(ids[1], "active")]);
});

it("a host that dies is declared lost: its rentals end when it was last reached, and the others go on", async () => {
  await untilReachedWith(service, dying);
  const killed = Date.now();
  await lab.killDaemon("h2");
  await untilUnreachable(service, "h2");
  const since = await declareLost(service, dying);
  expect(Date.parse(since)).toBeLessThanOrEqual(killed);
  expect(await billEnd(service, dying.id)).toBe(since);
  expect(await service.show(other.id)).toMatchObject({ status: "active", health: "ok" });
  expect(await service.inside(other.id, ann, "true")).toBe("");
  // Its guest runs on.
  const login = { ip: dying.ip ?? "", user: loginUser, key: ann.key.file, command: "true" };
  expect(await lab.ssh(login)).toMatchObject({ code: 0 });
  await acceptsNothing(service, ann, "h2");
});

it("a host that was reinstalled ends nothing until it is declared lost", async () => {
  await untilReachedWith(service, other);
  const reinstalled = Date.now();
  await lab.reinstallHost("h3");
  await expect.poll(() => service.output(), soon).toContain("host identity changed; reconciliation paused");
  await untilUnreachable(service, "h3");
  await expect.poll(async () => (await service.show(other.id)).health, soon).toBe("unreachable");
  expect(await service.show(other.id)).toMatchObject({ status: "active", ended_by: null });
  const since = await declareLost(service, other);
  // What it is now was never reached.
  expect(Date.parse(since)).toBeLessThanOrEqual(reinstalled);
  expect(await billEnd(service, other.id)).toBe(since);
});

it("both return cordoned, after what is left of ended rentals was removed", async () => {
  expect(lab.qemuPids("h2").map(({ domain }) => domain)).toEqual([`lessor-${dying.id}`]);
  await lab.startDaemon("h2");
  const leftUntilReturned: string[] = [];
  const returned = async () => {
    const state = await stateOf(service, "h2");
    const left = (await lab.leftovers()).filter((one) => one.startsWith("h2 ") && one.includes(dying.id));
    if (state !== "lost") leftUntilReturned.push(...left);
    return state;
  };
  await expect.poll(returned, soon).toBe("cordoned");
  expect(leftUntilReturned).toEqual([]);
  await untilHost(service, "h3", "cordoned");
  const next = await launchOn(service, ann, "h2");
  expect(await service.until(next, "active")).toMatchObject({ host: "h2" });
  await service.empty([ann]);
  await nothingLeft(lab);
});
