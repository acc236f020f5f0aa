// The real program on a lab's cluster: `lessor serve` as a process of its own, with a lessor.yaml that names the cluster,
// a catalogue that was applied to it, and customers. For the tests of whole rentals.
//
//   const service = await startService(lab);
//   const ann = await service.customer("ann");
//   const [id] = await service.launch(ann, { quantity: 1 });
//   await service.until(id, "active");

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { at } from "../conformance/client.ts";
import { marketplace } from "../conformance/variants.ts";
import { type Lessor, startLessor } from "../support/lessor.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { makeKey, type TestKey } from "./keys.ts";
import type { Lab } from "./lab/index.ts";

const operatorToken = "the-operator-of-the-lab-has-this-token";

export interface Customer {
  readonly token: string;
  /** In the account under the name "key". */
  readonly key: TestKey;
}

/** An instance as the control interface shows it, as far as these tests look. */
export interface Shown {
  readonly id: string;
  readonly status: string;
  readonly health: string;
  readonly progress: string | null;
  readonly ip: string | null;
  readonly host: string;
  readonly failure: { readonly code: string; readonly message: string } | null;
}

export interface ServiceOptions {
  /** Lines under the cluster in lessor.yaml, over those of the lab. */
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly fulfilment?: Readonly<Record<string, number>>;
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** Ended, and its directory removed, when the test is over. Its machines are not: `empty`. */
export async function startService(lab: Lab, options: ServiceOptions = {}) {
  // The embedded database runs as another user than root.
  const directory = await temporaryDirectory(0o711);
  const config = join(directory, "lessor.yaml");
  // JSON is YAML.
  const writeConfig = (said: ServiceOptions) =>
    writeFileSync(config, JSON.stringify({ incus: [clusterSettings(lab, said)], fulfilment: said.fulfilment ?? {} }));
  writeConfig(options);
  const env = { LESSOR_CONFIG: config, LESSOR_DEMO: "0", LESSOR_OPERATOR_TOKEN: operatorToken };
  let lessor = await startLessor(join(directory, "data"), env);
  let urls = urlsOf(lessor);

  async function call(method: string, url: string, token: string, body?: unknown): Promise<unknown> {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}` },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    expect(response.status, `${method} ${url}: ${text}`).toBeLessThan(300);
    return JSON.parse(text);
  }
  const control = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await call(method, `${urls.control}${path}`, operatorToken, body);
    // The control interface's documents are held in its own tests.
    return (answer as { data: T }).data;
  };

  await control("PUT", "/regions/lab", { description: "The lab" });
  await control("PUT", "/images/debian-12", {
    number: 1,
    description: "Debian 12",
    family: "debian",
    login_user: "ubuntu",
    default: true,
  });
  for (const [name, size] of Object.entries(products)) await control("PUT", `/instance-types/${name}`, size);
  // A member whose daemon a test before this one has killed is seen to be back some seconds later.
  const available = async () => {
    const hosts = await control<{ available: boolean }[]>("GET", "/hosts");
    return hosts.filter((host) => host.available).length;
  };
  await expect.poll(available, { timeout: 60_000, interval: 200 }).toBe(3);

  return {
    control,
    call,
    get urls() {
      return urls;
    },
    output: () => lessor.output(),

    async customer(name: string): Promise<Customer> {
      const account = await control<{ id: string }>("POST", "/accounts", { name });
      const scopes = ["read", "write"];
      const { token } = await control<{ token: string }>("POST", `/accounts/${account.id}/tokens`, { name, scopes });
      const key = await makeKey(directory, name);
      await call("POST", `${urls.marketplace}/ssh-keys`, token, { name: "key", public_key: key.publicKey });
      return { token, key };
    },

    /** By variant M; gives the ids. */
    async launch(customer: Customer, order: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
      const whole = { region_name: "lab", instance_type_name: "small", quantity: 1, ssh_key_names: ["key"], ...order };
      const answer = await call("POST", `${urls.marketplace}/instance-operations/launch`, customer.token, whole);
      return (answer as { data: { uuids: string[] } }).data.uuids;
    },

    async change(
      customer: Customer,
      operation: "stop" | "restart" | "terminate",
      ids: readonly string[],
    ): Promise<void> {
      const known = marketplace.wishes[operation];
      if (known === undefined) throw new Error(`BUG: variant M has no ${operation}`);
      await call("POST", `${urls.marketplace}${known.path}`, customer.token, { [known.ids]: ids });
    },

    show: (id: string) => control<Shown>("GET", `/instances/${id}`),

    /** Waits until the instance has the status; gives it as it is then. */
    async until(id: string, status: string, seconds = 120): Promise<Shown> {
      const deadline = performance.now() + seconds * 1000;
      for (;;) {
        const shown = await control<Shown>("GET", `/instances/${id}`);
        if (shown.status === status) return shown;
        if (performance.now() > deadline || (shown.status === "terminated" && shown.failure !== null)) {
          throw new Error(`Not ${status}: ${JSON.stringify(shown)}\n${lessor.output().slice(-4000)}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },

    /** Terminates everything that stands, and waits until nothing is left. */
    async empty(customers: readonly Customer[]): Promise<void> {
      const standing = (await control<Shown[]>("GET", "/instances")).filter(({ status }) => status !== "terminated");
      for (const customer of customers) {
        const own = await call("GET", `${urls.marketplace}/instances`, customer.token);
        const ids = marketplace.list
          .entries(own)
          .filter((entry) => at(entry, "status") !== "terminated")
          .map((entry) => String(at(entry, marketplace.list.idField)));
        if (ids.length > 0) await this.change(customer, "terminate", ids);
      }
      for (const { id } of standing) await this.until(id, "terminated");
    },

    /** Says something else of the cluster in lessor.yaml, for the next start. */
    configure(cluster: Readonly<Record<string, unknown>>): void {
      writeConfig({ ...options, cluster: { ...options.cluster, ...cluster } });
    },

    /** As a power cut would end it, its database too; and then it is started again on the same data. */
    async crash(): Promise<void> {
      await lessor.end("SIGKILL");
      lessor = await startLessor(join(directory, "data"), env);
      urls = urlsOf(lessor);
    },
  };
}

/** Sizes so small that a lab has room for some. */
const products = {
  small: { vcpus: 1, memory_gib: 1, storage_gb: 1, gpus: 0, price_cents_per_hour: 10 },
  /** A member has room for one of these and no more. */
  half: { vcpus: 1, memory_gib: 14, storage_gb: 1, gpus: 0, price_cents_per_hour: 20 },
};

function clusterSettings(lab: Lab, { cluster = {} }: ServiceOptions): object {
  return {
    name: "lab",
    urls: lab.members.map(({ socket }) => `unix://${socket}`),
    region: "lab",
    kind: "container",
    network: "lxdbr0",
    cpu_ratio: 8,
    ssh_probe: { command: lab.probeCommand },
    stop_grace_seconds: 10,
    ...cluster,
  };
}

function urlsOf(lessor: Lessor): { marketplace: string; direct: string; reference: string; control: string } {
  const shown = (title: string) => {
    const url = lessor.shown(title)?.split(/\s+/)[0];
    if (url === undefined) throw new Error(`The banner shows no ${title}:\n${lessor.output()}`);
    return url;
  };
  return {
    marketplace: shown("Marketplace (variant M)"),
    direct: shown("Direct (variant D)"),
    reference: shown("Reference (variant R)"),
    control: shown("Control"),
  };
}
