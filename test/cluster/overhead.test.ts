// What the service costs a launch: from POST launch to a successful SSH login, against the same machine made by the
// cluster's own client, on the same member, in turns, looked at in the same way.

import { expect, inject, it } from "vitest";
import type { Customer, Service } from "../support/service/service.ts";
import { labOf } from "./lab/lab.ts";
import { startService } from "./service.ts";

const lab = labOf(inject("lab"));
const rounds = 7;
const member = "h1";

it("a launch by the service takes at most 1.10 times as long as one by the cluster's own client", async () => {
  const service = await startService(lab);
  const ann = await service.customer("ann");
  for (const { name } of lab.members) if (name !== member) await service.control("POST", `/hosts/${name}/cordon`);
  // Once each, so that both find the image unpacked and everything warm.
  await byService(service, ann);
  await byClient(ann);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ours.push(await byService(service, ann));
    theirs.push(await byClient(ann));
  }
  const ratio = median(ours) / median(theirs);
  const seconds = (times: number[]) => times.map((ms) => (ms / 1000).toFixed(2)).join(" ");
  process.stdout.write(
    `launch to SSH login: service ${seconds(ours)} s, client ${seconds(theirs)} s, ` +
      `medians ${Math.round(median(ours))} and ${Math.round(median(theirs))} ms, ratio ${ratio.toFixed(3)}\n`,
  );
  expect(ratio).toBeLessThanOrEqual(1.1);
});

/** Milliseconds from the request to the login. */
async function byService(service: Service, customer: Customer): Promise<number> {
  const began = performance.now();
  const [id = ""] = await service.launch(customer);
  const ip = await polled(async () => (await service.show(id)).ip ?? undefined).catch(async (error: unknown) => {
    const shown = JSON.stringify(await service.show(id));
    const listed = await lab.lxc(["list", "--format", "csv"]);
    throw new Error(`${shown}\n${listed}\n${service.output().slice(-3000)}`, { cause: error });
  });
  await loggedIn(ip, customer);
  const took = performance.now() - began;
  await service.empty([customer]);
  return took;
}

async function byClient(customer: Customer): Promise<number> {
  const name = `peer-${crypto.randomUUID()}`;
  // The same of cloud-init: a user with a key.
  const user = {
    name: "ubuntu",
    shell: "/bin/bash",
    sudo: "ALL=(ALL) NOPASSWD:ALL",
    ssh_authorized_keys: [customer.key.publicKey],
  };
  const began = performance.now();
  const sizes = ["--config", "limits.cpu=1", "--config", "limits.memory=1GiB", "--device", "root,size=1GB"];
  const userData = ["--config", `user.user-data=#cloud-config\n${JSON.stringify({ users: [user] })}\n`];
  await lab.lxc(["launch", "debian-12", name, "--target", member, "--quiet", ...sizes, ...userData]);
  const ip = await polled(async () => {
    const said = await lab.lxc(["list", name, "--format", "csv", "--columns", "4"]);
    return /^[\d.]+/.exec(said)?.[0];
  });
  await loggedIn(ip, customer);
  const took = performance.now() - began;
  await lab.lxc(["delete", "--force", name]);
  return took;
}

/** The same pace for both. */
async function polled<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error("It did not come up.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function loggedIn(ip: string, { key }: Customer): Promise<void> {
  await polled(async () => {
    const { code } = await lab.ssh({ member, ip, user: "ubuntu", key: key.file, command: "true" });
    return code === 0 ? true : undefined;
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
