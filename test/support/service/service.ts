// The real program on real machines: `lessor serve` as a process of its own, with a lessor.yaml that names an engine, a
// catalogue that was applied to it, and customers. For the tests of whole rentals, on a cluster and on plain hosts.
//
//   const service = await startService(ground);
//   const ann = await service.customer("ann");
//   const [id] = await service.launch(ann, { quantity: 1 });
//   await service.until(id, "active");
//   await service.inside(id, ann, "uname -r");

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { at } from "../../conformance/client.ts";
import { marketplace, type VariantName } from "../../conformance/variants.ts";
import { makeKey, type TestKey } from "../keys.ts";
import type { Ended } from "../lab/run.ts";
import type { SshLogin } from "../lab/ssh.ts";
import { type Lessor, startLessor } from "../lessor.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { afterTest, type WhenOver } from "../when-over.ts";

const operatorToken = "the-operator-of-the-lab-has-this-token";

/** Whom guests are rented to. */
export const loginUser = "ubuntu";

/** What the service stands on. */
export interface Ground {
  /** The part of lessor.yaml that names the engine, called "lab", with hosts in the region "lab". `part` is over it. */
  readonly engine: (part: Readonly<Record<string, unknown>>) => object;
  /** How many hosts there are. */
  readonly hosts: number;
  /** Of the catalogue, besides those that are everywhere. */
  readonly products?: Readonly<Record<string, object>>;
  readonly ssh: (host: string, login: SshLogin) => Promise<Ended>;
}

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
  readonly ended_by: string | null;
  readonly active_at: string | null;
}

export interface ServiceOptions {
  /** Over what the ground says of the engine in lessor.yaml. */
  readonly engine?: Readonly<Record<string, unknown>>;
  readonly reconciler?: Readonly<Record<string, number>>;
  /** Of lessor.yaml. */
  readonly limits?: Readonly<Record<string, unknown>>;
  /** When it is ended, and its directory removed. Its machines are not: `empty`. */
  readonly whenOver?: WhenOver;
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** Ready when all hosts are there. */
export async function startService(ground: Ground, options: ServiceOptions = {}) {
  const whenOver = options.whenOver ?? afterTest;
  // The embedded database runs as another user than root.
  const directory = await temporaryDirectory(0o711, whenOver);
  const config = join(directory, "lessor.yaml");
  const parts = { reconciler: options.reconciler ?? {}, limits: options.limits ?? {} };
  // JSON is YAML.
  const writeConfig = (engine: Readonly<Record<string, unknown>> = {}) =>
    writeFileSync(config, JSON.stringify({ ...ground.engine(engine), ...parts }));
  writeConfig(options.engine);
  const env = { LESSOR_CONFIG: config, LESSOR_DEMO: "0", LESSOR_OPERATOR_TOKEN: operatorToken };
  const start = () => startLessor(join(directory, "data"), env, whenOver);
  let lessor = await start();
  let urls = urlsOf(lessor);

  async function call(method: string, url: string, token: string, body?: unknown): Promise<unknown> {
    const { status, text } = await ask(method, url, token, body);
    expect(status, `${method} ${url}: ${text}`).toBeLessThan(300);
    return JSON.parse(text);
  }
  const control = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await call(method, `${urls.control}${path}`, operatorToken, body);
    // The control interface's documents are held in its own tests.
    return (answer as { data: T }).data;
  };
  const show = (id: string) => control<Shown>("GET", `/instances/${id}`);

  await control("PUT", "/regions/lab", { description: "The lab" });
  const image = { number: 1, description: "Debian 12", family: "debian", login_user: loginUser, default: true };
  await control("PUT", "/images/debian-12", image);
  for (const [name, size] of Object.entries({ ...products, ...ground.products })) {
    await control("PUT", `/instance-types/${name}`, size);
  }
  // One that a test before this one has killed is seen to be back some seconds later.
  const available = async () => {
    const hosts = await control<{ available: boolean }[]>("GET", "/hosts");
    return hosts.filter((host) => host.available).length;
  };
  const all = async () => expect(await available()).toBe(ground.hosts);
  // Unlike expect.poll, also before the first test.
  await vi.waitFor(all, { timeout: 180_000, interval: 200 });

  return {
    control,
    /** As `control`, also if the response is an error. */
    askControl: (method: string, path: string, body?: unknown) =>
      ask(method, `${urls.control}${path}`, operatorToken, body),
    call,
    /** As `call`, also where the answer is an error. */
    ask,
    show,
    get urls() {
      return urls;
    },
    output: () => lessor.output(),
    /** Of the program's process, in MiB: what is in memory now. */
    residentMib(): number {
      const status = readFileSync(`/proc/${lessor.process.pid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
    },

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

    /** Waits until the instance has the status; gives it as it is then. */
    async until(id: string, status: string, seconds = 300): Promise<Shown> {
      const deadline = performance.now() + seconds * 1000;
      for (;;) {
        const shown = await show(id);
        if (shown.status === status) return shown;
        if (performance.now() > deadline || (shown.status === "terminated" && shown.failure !== null)) {
          throw new Error(`Not ${status}: ${JSON.stringify(shown)}\n${lessor.output().slice(-4000)}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },

    /** Logs in at the instance with exactly what is given. */
    async ssh(id: string, login: Omit<SshLogin, "ip" | "user">): Promise<Ended> {
      const { ip, host } = await show(id);
      return ground.ssh(host, { ip: ip ?? "", user: loginUser, ...login });
    },

    /** Logs in with the customer's key; gives what the command printed. It has to succeed. */
    async inside(id: string, { key }: Customer, command: string): Promise<string> {
      const { code, stdout, stderr } = await this.ssh(id, { key: key.file, command });
      expect(code, `${command}: ${stderr}`).toBe(0);
      return stdout;
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

    /** Says something else of the engine in lessor.yaml, for the next start. */
    configure(engine: Readonly<Record<string, unknown>>): void {
      writeConfig({ ...options.engine, ...engine });
    },

    /** As a power cut would end it, its database too; and then it is started again on the same data. */
    async crash(): Promise<void> {
      await lessor.end("SIGKILL");
      lessor = await start();
      urls = urlsOf(lessor);
    },
  };
}

async function ask(
  method: string,
  url: string,
  token: string,
  body?: unknown,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}` },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, text: await response.text() };
}

/** So small that a lab has room for some. */
const products = { small: { vcpus: 1, memory_gib: 1, storage_gb: 1, gpus: 0, price_cents_per_hour: 10 } };

function urlsOf(lessor: Lessor): Readonly<Record<VariantName | "control", string>> {
  const shown = (title: string) => {
    const url = lessor.shown(title)?.split(/\s+/)[0];
    if (url === undefined) throw new Error(`The banner shows no ${title}:\n${lessor.output()}`);
    return url;
  };
  return {
    marketplace: shown("Marketplace (variant M)"),
    direct: shown("Direct (variant D)"),
    reference: shown("Reference (variant R)"),
    lambda: shown("Reference, lambda edition"),
    control: shown("Control"),
  };
}
