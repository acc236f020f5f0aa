import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { beginCheckStand, lines } from "../../../../test/support/check-stand.ts";
import { checkerMark, probeInstallation } from "../../check/test-instance-label.ts";
import { IncusEngine } from "../engine.ts";
import { instanceName, marks } from "../labels.ts";
import { removeLeftovers } from "./orphans.ts";

/** No process has it. */
const deadPid = 2 ** 30;
const probe = (account: string, installation = `${probeInstallation}/lab`) => {
  const id = crypto.randomUUID();
  return {
    id,
    name: instanceName(id),
    config: { [marks.installation]: installation, [marks.instance]: id, [marks.account]: account },
  };
};

describe("removing leftovers", () => {
  it("takes those of dead checks, and nothing of a service's, an operator's or a running check's", async () => {
    const stand = await beginCheckStand();
    const dead = probe(`${hostname()}:${deadPid}:${Date.now() + 60_000}`);
    const running = probe(checkerMark(Date.now() + 60_000));
    const rented = probe("scribbled", "installation-1/lab");
    for (const { name, config } of [dead, running, rented]) stand.fake.world.addInstance(name, { config });
    stand.fake.world.addInstance("mine", {});
    const engine = new IncusEngine(stand.settings, probeInstallation);
    try {
      expect(await lines(removeLeftovers(stand.subject(), engine, AbortSignal.timeout(10_000)))).toEqual([
        `ok leftovers: removed the test instance ${dead.name} of an earlier check from m1`,
      ]);
    } finally {
      await engine.close();
    }
    expect([...stand.fake.world.instances.keys()]).toEqual([running.name, rented.name, "mine"]);
  });

  it("tells which could not be removed", async () => {
    const stand = await beginCheckStand();
    const { name, config } = probe("scribbled");
    stand.fake.world.addInstance(name, { config });
    stand.fake.faults.add("DELETE", /instances/, { operationFails: "Failed deleting: device or resource busy" });
    const engine = new IncusEngine(stand.settings, probeInstallation);
    try {
      expect(await lines(removeLeftovers(stand.subject(), engine, AbortSignal.timeout(10_000)))).toEqual([
        expect.stringMatching(`^problem leftovers: the test instance ${name} .* could not be removed: .*busy`),
      ]);
    } finally {
      await engine.close();
    }
  });
});
