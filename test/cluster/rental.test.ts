// A whole rental on the real cluster, from the launch to the end, over real HTTP and real SSH, in each variant.

import { expect, inject, it } from "vitest";
import { direct, marketplace, reference, type VariantFacts } from "../conformance/variants.ts";
import { labOf } from "./lab/index.ts";
import { type Customer, type Service, type Shown, startService } from "./service.ts";

const lab = labOf(inject("lab"));

/** Everything that a shell could take for its own, line ends, and letters of several bytes. */
const envVars = {
  QUOTES: `it's "quoted" and \`ticked\``,
  LINES: "first\nsecond\r\n\tthird\n",
  DOLLARS: "$HOME $" + "{PATH} $(id) $$ !! \\n \\\\",
  LETTERS: "Grüße, 你好, 🦭, e\u0301",
  EMPTY: "",
  SPACES: "  both ends  ",
};

async function loggedIn(service: Service, id: string, customer: Customer, command: string): Promise<string> {
  const { ip, host } = await service.show(id);
  const login = { member: host, ip: ip ?? "", user: "ubuntu", key: customer.key.file };
  const { code, stdout, stderr } = await lab.ssh({ ...login, command });
  expect(code, `${command}: ${stderr}`).toBe(0);
  return stdout;
}

async function launchBy(variant: VariantFacts, service: Service, customer: Customer, more: object): Promise<string> {
  const url = `${service.urls[variant.name]}${variant.launch.path}`;
  const order = variant.launch.body({ type: "small", region: "lab", name: "training", keys: ["key"] });
  const answer = await service.call("POST", url, customer.token, { ...order, ...more });
  return String(variant.launch.ids(answer)[0]);
}

async function wish(
  variant: VariantFacts,
  service: Service,
  customer: Customer,
  name: "restart" | "terminate",
  id: string,
) {
  const operation = variant.wishes[name];
  if (operation === undefined) throw new Error(`BUG: ${variant.name} has no ${name}`);
  const body = { [operation.ids]: [id] };
  await service.call("POST", `${service.urls[variant.name]}${operation.path}`, customer.token, body);
}

/** Every value, as a program sees it that was started with the file's variables. */
async function envSeen(service: Service, id: string, customer: Customer): Promise<Record<string, string>> {
  const names = Object.keys(envVars);
  const show = names.map((name) => `printf %s "$${name}" | base64 -w0; echo`).join("; ");
  const lines = (await loggedIn(service, id, customer, `set -a; . ./.env; ${show}`)).split("\n");
  return Object.fromEntries(names.map((name, index) => [name, Buffer.from(lines[index] ?? "", "base64").toString()]));
}

it.each([marketplace, direct, reference])("a rental by $name, from its launch to its end", async (variant) => {
  const service = await startService(lab);
  const [ann, bob] = [await service.customer("ann"), await service.customer("bob")];
  const free = async () =>
    (await service.control<object[]>("GET", "/hosts")).map((host) => JSON.stringify(host)).sort();
  const before = await free();
  const more = variant === marketplace ? { env_vars: envVars } : {};
  const id = await launchBy(variant, service, ann, more);
  const active = await service.until(id, "active");
  const { ip, host } = active;

  // In with her key, and with no other.
  expect(await loggedIn(service, id, ann, "id -un; sudo id -un")).toBe("ubuntu\nroot\n");
  const stranger = { member: host, ip: ip ?? "", user: "ubuntu", key: bob.key.file, command: "true" };
  expect(await lab.ssh(stranger)).toMatchObject({ code: 255, stderr: expect.stringContaining("Permission denied") });
  expect(await loggedIn(service, id, ann, "cat ~/.ssh/authorized_keys")).toContain(ann.key.publicKey.split(" ")[1]);
  expect((await loggedIn(service, id, ann, "grep -c . ~/.ssh/authorized_keys")).trim()).toBe("1");
  expect(await loggedIn(service, id, ann, "hostname")).toMatch(/^training-[0-9a-f]{8}\n$/);

  if (variant === marketplace) {
    expect(await envSeen(service, id, ann)).toEqual(envVars);
    expect(await loggedIn(service, id, ann, "stat -c '%a %U' .env")).toBe("600 ubuntu\n");
    const stored = await lab.lxc(["query", `/1.0/instances/lessor-${id}`]);
    for (const value of Object.values(envVars).filter((one) => one !== "")) {
      expect(stored).not.toContain(JSON.stringify(value).slice(1, -1));
      expect(stored).not.toContain(Buffer.from(value).toString("base64"));
    }
  }

  // Stopped and restarted: the same disk, the same address, .env as it was ordered.
  await loggedIn(service, id, ann, "echo kept > notes; echo MINE=1 >> .env; sync");
  await service.change(ann, "stop", [id]);
  await service.until(id, "stopped");
  expect(await lab.lxc(["list", `lessor-${id}`, "--format", "csv", "--columns", "s"])).toBe("STOPPED\n");
  await wish(variant, service, ann, "restart", id);
  expect(await service.until(id, "active")).toMatchObject({ ip, host } satisfies Partial<Shown>);
  expect(await loggedIn(service, id, ann, "cat notes")).toBe("kept\n");
  if (variant === marketplace) {
    expect(await loggedIn(service, id, ann, "grep -c MINE .env || true")).toBe("0\n");
    expect(await envSeen(service, id, ann)).toEqual(envVars);
  }

  // Gone, and everything it held is free.
  expect(await free()).not.toEqual(before);
  await wish(variant, service, ann, "terminate", id);
  await service.until(id, "terminated");
  expect(await lab.lxc(["list", "--format", "csv", "--columns", "n"])).not.toContain(id);
  expect(await free()).toEqual(before);
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
  const { ip, host } = await service.until(id, "active");
  const read = await service.call("GET", `${base}/instance/${id}`, ann.token);
  const { password } = (read as { runningInstance: { password: number } }).runningInstance;
  expect(`${password}`).toMatch(/^\d{15}$/);
  const login = { member: host, ip: ip ?? "", user: "ubuntu" };
  // It runs when the machine is up, so a little later than SSH answers.
  const done = "for i in $(seq 100); do sudo test -s /root/count && break; sleep 0.2; done";
  const shown = `${done}; sudo cat /root/once /root/count`;
  const inside = await lab.ssh({ ...login, password: `${password}`, command: shown });
  expect(inside).toMatchObject({ code: 0, stdout: "it's done\nx\n" });
  expect(await lab.ssh({ ...login, password: "123456789012345", command: "true" })).not.toMatchObject({ code: 0 });
  expect(await lab.ssh({ ...login, key: ann.key.file, command: "true" })).not.toMatchObject({ code: 0 });
  expect(await lab.lxc(["query", `/1.0/instances/lessor-${id}`])).not.toContain(`${password}`);
  expect(service.output()).not.toContain(`${password}`);

  // The command was for the first boot only.
  await service.change(ann, "stop", [id]);
  await service.until(id, "stopped");
  await service.change(ann, "restart", [id]);
  await service.until(id, "active");
  const again = await lab.ssh({ ...login, password: `${password}`, command: "sudo cat /root/count" });
  expect(again).toMatchObject({ code: 0, stdout: "x\n" });
  await service.empty([ann]);
});
