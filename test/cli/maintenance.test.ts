// `lessor maintenance` of operators and of a customer, who sees windows of the hosts of own instances and defers them.

import { beforeAll, expect, it } from "vitest";
import { startDemoService } from "../support/demo-service.ts";
import { afterFile } from "../support/when-over.ts";
import { type Ran, runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
let operator: Record<string, string>;
let customer: Record<string, string>;
let host: string;

beforeAll(async () => {
  const server = await startDemoService(whenOver);
  operator = { LESSOR_URL: server.url, LESSOR_TOKEN: server.operatorToken };
  customer = { LESSOR_URL: server.url, LESSOR_TOKEN: await server.customerToken("renter") };
  const launch = ["launch", "gpu_1x_l40s", "--name", "training", "--no-key", "--yes"];
  expect(await runLessor(launch, { env: customer })).toMatchObject({ code: 0 });
  const [instance] = (await json(asOperator("list", "--json"))) as { host: string }[];
  host = instance?.host ?? "";
});

const asOperator = (...args: string[]) => runLessor(args, { env: operator });
const asCustomer = (...args: string[]) => runLessor(args, { env: customer });

async function printed(ran: Promise<Ran>): Promise<string> {
  const { code, out, err } = await ran;
  expect(code, `${out}\n${err}`).toBe(0);
  return out;
}

const json = async (ran: Promise<Ran>): Promise<unknown> => JSON.parse(await printed(ran));

const hoursAhead = (time: string) => Math.round((Date.parse(time) - Date.now()) / 3_600_000);

it("is scheduled, changed and canceled by operators, and deferred by customers", async () => {
  const order = ["--from", "36h", "--for", "4h", "--mode", "stop", "--reason", "New firmware"];
  expect(await printed(asOperator("maintenance", "schedule", host, ...order))).toMatch(
    new RegExp(`^${host} +20.* scheduled +stop`, "m"),
  );
  const overlapping = await asOperator("maintenance", "schedule", host, ...order);
  expect(overlapping).toMatchObject({ code: 5, out: "" });
  expect(overlapping.err).toContain(`Host ${host} has the maintenance window`);

  const listed = await printed(asCustomer("maintenance", "list"));
  expect(listed).toMatch(/scheduled +stop/);
  expect(listed).not.toContain(host);
  expect(await printed(asCustomer("show", "training"))).toMatch(/^Maintenance +20.*: New firmware \(it stops\)$/m);

  const changed = (await json(
    asOperator("maintenance", "change", host, "--for", "6h", "--deferrable-until", "72h", "--json"),
  )) as { id: string; from: string; to: string; revision: number };
  expect(changed).toMatchObject({ revision: 2, mode: "stop" });
  expect([hoursAhead(changed.from), hoursAhead(changed.to)]).toEqual([36, 42]);

  expect(await printed(asCustomer("show", "training"))).toMatch(
    /^Maintenance .* \(it stops\); to defer it: lessor maintenance defer training$/m,
  );
  expect(await printed(asCustomer("maintenance", "show", changed.id.slice(0, 13)))).toMatch(/^Phase +scheduled$/m);
  const deferred = (await json(asCustomer("maintenance", "defer", "training", "--until", "48h", "--json"))) as {
    from: string;
    to: string;
  };
  expect([hoursAhead(deferred.from), hoursAhead(deferred.to)]).toEqual([48, 54]);
  expect(await printed(asOperator("maintenance", "show", host))).toMatch(/^Deferred by +renter$/m);

  expect(await asOperator("maintenance", "cancel", host)).toMatchObject({ code: 2 });
  expect(await printed(asOperator("maintenance", "cancel", host, "--yes"))).toMatch(/^Phase +canceled$/m);
  expect(await printed(asCustomer("maintenance", "list"))).toBe("No maintenance is scheduled.\n");
  expect(await printed(asOperator("maintenance", "list", "--all", "--host", host))).toContain("canceled");
});

it.each([
  [["schedule", "--from", "1h", "--for", "1h", "--mode", "stop", "--reason", "x"], "Which hosts?"],
  [["schedule", "some-host", "--for", "1h", "--mode", "stop", "--reason", "x"], "When?"],
  [["schedule", "some-host", "--from", "1h", "--for", "1h"], "Why, and what happens"],
  [["schedule", "some-host", "--from", "1h", "--for", "1h", "--mode", "wait", "--reason", "x"], 'no mode "wait"'],
  [["schedule", "some-host", "--from", "2026-03-07T02:00", "--for", "1h"], "Why"],
  [["list", "--phase", "late"], 'no phase "late"'],
])("rejects %j before anything is asked for", async (args, message) => {
  const ran = await asOperator("maintenance", ...args);
  expect(ran).toMatchObject({ code: 2, out: "" });
  expect(ran.err).toContain(message);
});

it("rejects a time without its offset, or of a day that is not, since that could mean another one", async () => {
  for (const from of ["2099-03-07T02:00", "2099-02-31T02:00:00Z"]) {
    const order = ["--from", from, "--for", "1h", "--mode", "stop", "--reason", "x"];
    const ran = await asOperator("maintenance", "schedule", host, ...order);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain("is not a time with its offset");
  }
});
