// A whole rental on the real cluster, from the launch to the end, over real HTTP and real SSH, in each variant. In small: in one.

import { expect, inject, it } from "vitest";
import { direct, marketplace, reference } from "../conformance/variants.ts";
import { act, envSeen, envVars, hostsSeen, launchBy } from "../support/service/rental.ts";
import type { Shown } from "../support/service/service.ts";
import { extent } from "../support/short.ts";
import { labOf } from "./lab/lab.ts";
import { startService } from "./service.ts";

const lab = labOf(inject("lab"));

const variants = extent([marketplace, direct, reference], [marketplace]);

it.each(variants)("a rental by $name, from its launch to its end", async (variant) => {
  const service = await startService(lab);
  const [ann, bob] = [await service.customer("ann"), await service.customer("bob")];
  const before = await hostsSeen(service);
  const more = variant === marketplace ? { env_vars: envVars } : {};
  const id = await launchBy(variant, service, ann, more);
  const active = await service.until(id, "active");
  const { ip, host } = active;

  // In with her key, and with no other.
  expect(await service.inside(id, ann, "id -un; sudo id -un")).toBe("ubuntu\nroot\n");
  const stranger = await service.ssh(id, { key: bob.key.file, command: "true" });
  expect(stranger).toMatchObject({ code: 255, stderr: expect.stringContaining("Permission denied") });
  expect(await service.inside(id, ann, "cat ~/.ssh/authorized_keys")).toContain(ann.key.publicKey.split(" ")[1]);
  expect((await service.inside(id, ann, "grep -c . ~/.ssh/authorized_keys")).trim()).toBe("1");
  expect(await service.inside(id, ann, "hostname")).toMatch(/^training-[0-9a-f]{8}\n$/);

  if (variant === marketplace) {
    expect(await envSeen(service, id, ann, Object.keys(envVars))).toEqual(envVars);
    expect(await service.inside(id, ann, "stat -c '%a %U' .env")).toBe("600 ubuntu\n");
    const stored = await lab.lxc(["query", `/1.0/instances/lessor-${id}`]);
    for (const value of Object.values(envVars).filter((one) => one !== "")) {
      expect(stored).not.toContain(JSON.stringify(value).slice(1, -1));
      expect(stored).not.toContain(Buffer.from(value).toString("base64"));
    }
  }

  // Stopped and restarted: the same disk, the same address, .env as it was ordered.
  await service.inside(id, ann, "echo kept > notes; echo MINE=1 >> .env; sync");
  await service.change(ann, "stop", [id]);
  await service.until(id, "stopped");
  expect(await lab.lxc(["list", `lessor-${id}`, "--format", "csv", "--columns", "s"])).toBe("STOPPED\n");
  await act(variant, service, ann, "restart", id);
  expect(await service.until(id, "active")).toMatchObject({ ip, host } satisfies Partial<Shown>);
  expect(await service.inside(id, ann, "cat notes")).toBe("kept\n");
  if (variant === marketplace) {
    expect(await service.inside(id, ann, "grep -c MINE .env || true")).toBe("0\n");
    expect(await envSeen(service, id, ann, Object.keys(envVars))).toEqual(envVars);
  }

  // Gone, and everything it held is free.
  expect(await hostsSeen(service)).not.toEqual(before);
  await act(variant, service, ann, "terminate", id);
  await service.until(id, "terminated");
  expect(await lab.lxc(["list", "--format", "csv", "--columns", "n"])).not.toContain(id);
  expect(await hostsSeen(service)).toEqual(before);
});

it("direct without keys: a password, and nobody in without it", async () => {
  const service = await startService(lab);
  const ann = await service.customer("ann");
  const { direct: base } = service.urls;
  const order = {
    productName: "small",
    regionName: "lab",
    command: 'echo "it\'s done" > /root/once; echo x >> /root/count',
  };
  const { response: id } = (await service.call("POST", `${base}/instance/launch`, ann.token, order)) as {
    response: string;
  };
  await service.until(id, "active");
  const read = await service.call("GET", `${base}/instance/${id}`, ann.token);
  const { password } = (read as { runningInstance: { password: number } }).runningInstance;
  expect(`${password}`).toMatch(/^\d{15}$/);
  // It runs when the machine is up, so a little later than SSH answers.
  const done = "for i in $(seq 100); do sudo test -s /root/count && break; sleep 0.2; done";
  const shown = `${done}; sudo cat /root/once /root/count`;
  const inside = await service.ssh(id, { password: `${password}`, command: shown });
  expect(inside).toMatchObject({ code: 0, stdout: "it's done\nx\n" });
  expect(await service.ssh(id, { password: "123456789012345", command: "true" })).not.toMatchObject({ code: 0 });
  expect(await service.ssh(id, { key: ann.key.file, command: "true" })).not.toMatchObject({ code: 0 });
  expect(await lab.lxc(["query", `/1.0/instances/lessor-${id}`])).not.toContain(`${password}`);
  expect(service.output()).not.toContain(`${password}`);

  // The command was for the first boot only.
  await service.change(ann, "stop", [id]);
  await service.until(id, "stopped");
  await service.change(ann, "restart", [id]);
  await service.until(id, "active");
  const again = await service.ssh(id, { password: `${password}`, command: "sudo cat /root/count" });
  expect(again).toMatchObject({ code: 0, stdout: "x\n" });
  await service.empty([ann]);
});
