// Lessor itself on the GPU host: `lessor serve` with its own database, the GPU host as its engine, the helper of that
// host, a catalog with one instance type, and the tenants as its customers. Used by the story.

import { writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  given,
  instancesOf,
  type LessorClient,
  LessorError,
  lessorClient,
  type Shape,
} from "../../../../src/client/client.ts";
import { type Lessor, startUntil } from "../../../support/lessor-process.ts";
import type { WhenOver } from "../../../support/when-over.ts";
import type { GpuHost } from "../gpu-host.ts";
import { pciId } from "./cards.ts";
import { type Seen, seenIn, type Tenant, type Tenants } from "./tenants.ts";

const hostName = "gpu-host";
const region = "lab";
const gpuModel = "virtio";
const instanceType = "one-gpu";
const validationImage = "validation";

export interface ServiceParts {
  readonly host: GpuHost;
  readonly tenants: Tenants;
  /** Starts the GPU helper of the host. */
  readonly helper: readonly string[];
  /** For its data and its settings. */
  readonly directory: string;
  readonly whenOver: WhenOver;
}

export type ListedGpu = Shape<"ListedGpu">;

export class Service {
  readonly #lessor: Lessor;
  readonly #url: string;
  readonly #operator: LessorClient;
  readonly #customers = new Map<string, LessorClient>();

  private constructor(lessor: Lessor, operatorToken: string) {
    this.#lessor = lessor;
    this.#url = lessor.shown("Control")?.split(/\s+/)[0] ?? "";
    this.#operator = lessorClient({ baseUrl: this.#url, token: operatorToken });
  }

  /** Returns when the host is there. */
  static async start(parts: ServiceParts): Promise<Service> {
    const operatorToken = "the-operator-of-this-run-has-this-token";
    const config = join(parts.directory, "lessor.yaml");
    // JSON is YAML.
    writeFileSync(config, JSON.stringify(settingsOf(parts)));
    const data = join(parts.directory, "data");
    await mkdir(data, { mode: 0o711 });
    const env = { LESSOR_CONFIG: config, LESSOR_DEMO: "0", LESSOR_OPERATOR_TOKEN: operatorToken };
    const service = new Service(await startUntil(parts.whenOver, data, env), operatorToken);
    await service.#fill(parts.tenants);
    return service;
  }

  /** Before its host. */
  async stop(): Promise<void> {
    await this.#lessor.end("SIGTERM");
  }

  async gpu(address: string): Promise<ListedGpu> {
    const { data } = await given(this.#operator.GET("/gpus", { params: { query: { host: hostName } } }));
    const found = data.find((one) => one.address === address);
    if (found === undefined) throw new Error(`Lessor lists no GPU ${address}`);
    return found;
  }

  /** How often the log says that the GPU was reset. */
  resets(address: string): number {
    const lines = this.#lessor.output().split("\n");
    return lines.filter((line) => line.includes('"GPU reset"') && line.includes(address)).length;
  }

  async setHandover(handover: Shape<"Handover">): Promise<void> {
    const params = { path: { model: gpuModel } };
    const size = { vcpus: 1, memory_gib: 1, storage_gb: 2 };
    const validation = { image: validationImage, deadline_seconds: 1800, attempts: 1, ...size };
    const body = { handover, ...(handover === "reset+validate" && { validation }) };
    await given(this.#operator.PUT("/gpu-policies/{model}", { params, body }));
  }

  async validate(address: string): Promise<void> {
    const params = { path: { name: hostName, address } };
    await given(this.#operator.POST("/hosts/{name}/gpus/{address}/validate", { params }));
  }

  async quarantine(address: string, reason: string): Promise<void> {
    const params = { path: { name: hostName, address } };
    await given(this.#operator.POST("/hosts/{name}/gpus/{address}/quarantine", { params, body: { reason } }));
  }

  async retest(address: string): Promise<void> {
    const params = { path: { name: hostName, address } };
    await given(this.#operator.POST("/hosts/{name}/gpus/{address}/retest", { params }));
  }

  /** The id of the instance. Throws LessorError, such as without capacity. */
  async launch({ name }: Tenant): Promise<string> {
    const body = { instance_type: instanceType, image: name, name };
    const { data } = await given(this.#customer(name).POST("/instances", { body }));
    const [instance] = instancesOf(data);
    if (instance === undefined) throw new Error("The launch gave no instance");
    return instance.id;
  }

  /** The code of the error with which a launch is refused; undefined if it is not. */
  async refusal(tenant: Tenant): Promise<string | undefined> {
    const refused = (error: unknown) => (error instanceof LessorError ? error.code : `${error}`);
    return this.launch(tenant).then(() => undefined, refused);
  }

  /** What the guest of the instance saw, once it is done. Throws if it ends before, or is not in time. */
  async seen(id: string, minutes: number): Promise<Seen> {
    const deadline = performance.now() + minutes * 60_000;
    const params = { path: { id } };
    for (;;) {
      const log = await given(this.#operator.GET("/instances/{id}/console-log", { params })).catch((error: unknown) => {
        // It does not run yet.
        if (error instanceof LessorError) return { data: { text: "" } };
        throw error;
      });
      const seen = seenIn(log.data.text);
      if (seen.isDone) return seen;
      const { data: instance } = await given(this.#operator.GET("/instances/{id}", { params }));
      const isOver = instance.status === "terminated" || performance.now() > deadline;
      if (isOver) throw new Error(`${JSON.stringify(instance)}\n${log.data.text.slice(-1000)}\n${this.#logEnd()}`);
      await sleep(2000);
    }
  }

  /** Returns when nothing of the instance is left. */
  async terminate({ name }: Tenant, id: string): Promise<void> {
    const params = { path: { id } };
    await given(this.#customer(name).POST("/instances/{id}/terminate", { params }));
    await this.#until(`instance ${id} is terminated`, async () => {
      const { data } = await given(this.#operator.GET("/instances/{id}", { params }));
      return data.status === "terminated";
    });
  }

  /** The GPU when it is free or quarantined: nothing happens to it by itself any more. */
  async atRest(address: string): Promise<ListedGpu> {
    const isAtRest = async () => ["free", "quarantined"].includes((await this.gpu(address)).state);
    await this.#until(`GPU ${address} is free or quarantined`, isAtRest);
    return this.gpu(address);
  }

  #customer(name: string): LessorClient {
    const client = this.#customers.get(name);
    if (client === undefined) throw new Error(`BUG: there is no customer ${name}`);
    return client;
  }

  async #fill({ ann, bob }: Tenants): Promise<void> {
    const operator = this.#operator;
    await given(operator.PUT("/regions/{name}", { params: { path: { name: region } }, body: {} }));
    await this.#until("the host is available", async () => {
      const { data } = await given(operator.GET("/hosts"));
      return data.some((one) => one.available);
    });
    const size = { gpus: 1, gpu_model: gpuModel, vcpus: 1, memory_gib: 1, storage_gb: 2, price_cents_per_hour: 100 };
    await given(operator.PUT("/instance-types/{name}", { params: { path: { name: instanceType } }, body: size }));
    for (const [index, { name }] of [ann, bob].entries()) {
      await given(operator.PUT("/images/{name}", { params: { path: { name } }, body: { number: index + 1 } }));
      const { data: account } = await given(operator.POST("/accounts", { body: { name } }));
      const params = { path: { id: account.id } };
      const body = { name, scopes: ["read", "write"] as const };
      const { data: made } = await given(
        operator.POST("/accounts/{id}/tokens", { params, body: { ...body, scopes: [...body.scopes] } }),
      );
      this.#customers.set(name, lessorClient({ baseUrl: this.#url, token: made.token }));
    }
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + 1_800_000;
    while (!(await holds())) {
      if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}\n${this.#logEnd()}`);
      await sleep(200);
    }
  }

  #logEnd(): string {
    return this.#lessor.output().slice(-4000);
  }
}

function settingsOf({ host: { uri }, tenants, helper }: ServiceParts): object {
  const { initrd, ann, bob, validator } = tenants;
  const image = ({ commandLine }: Pick<Tenant, "commandLine">, its = initrd) => ({
    ...{ volume: "light.qcow2", kernel: "light-vmlinuz" },
    initrd: its.slice(its.lastIndexOf("/") + 1),
    cmdline: commandLine,
  });
  return {
    libvirt: [
      {
        name: "passthrough",
        hosts: [{ name: hostName, uri, region }],
        accelerator: "emulated",
        firmware: "bios",
        pool: "lessor",
        network: "lessor",
        images: {
          ...{ [ann.name]: image(ann), [bob.name]: image(bob) },
          [validationImage]: image(validator, validator.initrd),
        },
        gpu_models: { [pciId]: { model: gpuModel, memory_gib: 1 } },
        // The guests have no SSH server, and there is no route to their network.
        ssh_probe: { command: ["false", "{ip}"] },
      },
    ],
    gpus: { helpers: [{ command: helper }] },
    // Its guests never finish booting.
    reconciler: { boot_deadline_seconds: 7200 },
  };
}
