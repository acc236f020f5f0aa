// What the tests of the lambda edition's instances and images rent from: the service with a catalog and a customer of its
// own, asked as a client asks.

import { sql } from "kysely";
import { expect } from "vitest";
import { type Config, loadConfig } from "../../src/config.ts";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { examplePublicKey } from "../support/world.ts";

export type Json = Record<string, unknown>;

export const order = { region_name: "us-east-1", instance_type_name: "gpu_1x_a10", ssh_key_names: ["laptop"] };
const size = { vcpus: 30, memory_gib: 200, storage_gb: 1400 };

/** A service with two regions, an A10 for x86_64 and a GH200 for arm64, and a customer with a key. */
export class Shop {
  readonly server: RunningServer;
  readonly token: string;

  private constructor(server: RunningServer, token: string) {
    this.server = server;
    this.token = token;
  }

  static async open(options: Partial<Config["lambda"]> = {}): Promise<Shop> {
    const { lambda } = loadConfig({ env: {}, cwd: import.meta.dirname });
    const server = await startServer({ config: { lambda: { ...lambda, ...options } } });
    const shop = new Shop(server, await server.customerToken("ada"));
    await shop.put("/regions/us-east-1", { description: "Virginia, USA" });
    await shop.put("/regions/us-west-1", { description: "California, USA" });
    const a10 = { gpu_model: "A10", gpus: 1, ...size, price_cents_per_hour: 75 };
    await shop.put("/instance-types/gpu_1x_a10", a10);
    const gh200 = { gpu_model: "GH200", gpus: 1, ...size, price_cents_per_hour: 149, architecture: "arm64" };
    await shop.put("/instance-types/gpu_1x_gh200", gh200);
    const gpus = Array.from({ length: 12 }, (_, at) => ({
      address: `0000:${10 + at}:00.0`,
      model: at < 10 ? "A10" : "GH200",
      memory_gib: 24,
    }));
    const host = {
      engine: "simulated",
      region: "us-east-1",
      vcpus: 4000,
      memory_gib: 40_000,
      storage_gb: 400_000,
      gpus,
    };
    await shop.put("/hosts/host-1", host);
    await shop.put("/images/lambda-stack-22-04", { number: 1, family: "lambda-stack", default: true });
    await shop.put("/images/lambda-stack-24-04", {
      number: 2,
      family: "lambda-stack",
      version: "24.4.1",
      description: "Lambda Stack 24.04",
    });
    await shop.put("/images/lambda-stack-24-04-arm", { number: 3, family: "lambda-stack", architecture: "arm64" });
    await shop.ask("POST", "/ssh-keys", { name: "laptop", public_key: examplePublicKey });
    return shop;
  }

  async put(path: string, body: object): Promise<void> {
    const { control, operatorToken: token } = this.server;
    const { status, text } = await call("PUT", `${control}${path}`, { token, body });
    expect(status, text).toBe(200);
  }

  async ask(method: string, path: string, body?: unknown) {
    const answer = await call(method, `${this.server.lambda}${path}`, { token: this.token, body });
    const { data, error, field_errors: fields } = (answer.body ?? {}) as Record<string, Json>;
    return { status: answer.status, text: answer.text, data: data ?? {}, error: error ?? {}, fields: fields ?? {} };
  }

  async launch(more: object = {}): Promise<string[]> {
    const { status, text, data } = await this.ask("POST", "/instance-operations/launch", { ...order, ...more });
    expect(status, text).toBe(200);
    return data.instance_ids as string[];
  }

  async launchOne(more: object = {}): Promise<string> {
    const [id = ""] = await this.launch(more);
    return id;
  }

  async active(more: object = {}): Promise<string> {
    const id = await this.launchOne(more);
    await this.becomes(id, "active");
    return id;
  }

  async becomes(id: string, status: string): Promise<void> {
    await expect.poll(async () => (await this.read(id)).status, { interval: 20, timeout: 20_000 }).toBe(status);
  }

  async read(id: string): Promise<Json> {
    const { status, text, data } = await this.ask("GET", `/instances/${id}`);
    expect(status, text).toBe(200);
    return data;
  }

  /** The ids of a list. */
  async list(query: string): Promise<unknown[]> {
    const { status, text, data } = await this.ask("GET", `/instances${query}`);
    expect(status, text).toBe(200);
    return (data as unknown as Json[]).map(({ id }) => id);
  }

  async images(): Promise<Json[]> {
    return (await this.ask("GET", "/images")).data as unknown as Json[];
  }

  /** The types of an instance's events, oldest first. */
  async events(id: string): Promise<string[]> {
    const { rows } = await sql<{ type: string }>`
      select type from events where subject_id = ${id} and type <> 'instance.progress' order by tx, position`.execute(
      this.server.db,
    );
    return rows.map(({ type }) => type.replace("instance.", ""));
  }

  async terminate(...ids: string[]): Promise<void> {
    await this.ask("POST", "/instance-operations/terminate", { instance_ids: ids });
    for (const id of ids) await this.becomes(id, "terminated");
  }
}
