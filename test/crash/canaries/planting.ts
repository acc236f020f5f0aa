// Plants a secret in every secret field there is, by the ways customers and operators have, and then provokes errors with
// them. What a service makes itself (passwords, tokens, private keys) is a canary as soon as it has been shown once.

import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { at } from "../../conformance/client.ts";
import { type CallOptions, type CallResult, call } from "../../support/http.ts";
import { type Canary, canary } from "./forms.ts";

export interface Bases {
  readonly marketplace: string;
  readonly direct: string;
  readonly reference: string;
  readonly lambda: string;
  readonly control: string;
}

/** Secret fields of the interfaces' documents by their names, and whether this file plants them there. */
export const secretFields: Readonly<Record<string, "planted" | "no secret">> = {
  env_vars: "planted",
  user_data: "planted",
  password: "planted",
  jupyter_token: "planted",
  private_key: "planted",
  token: "planted",
  secret: "planted",
  // Says which, when or whether; shows nothing.
  token_id: "no secret",
  private_ip: "no secret",
  page_token: "no secret",
  password_without_keys: "no secret",
  previous_secret_until: "no secret",
  has_env_vars: "no secret",
  has_user_data: "no secret",
};

/** A text that is another one in every form: quotes, letters of several bytes, and what URLs and base64 treat apart. */
export const wild = (): string => `canary ${randomBytes(12).toString("hex")} "q"/+%&ü`;

/** The part of a secret that no program writes in another way for its own sake, so that every form of the whole has it. */
export const coreOf = (text: string): string => /[0-9a-f]{24}/.exec(text)?.[0] ?? text;

type Ask = (base: keyof Bases, method: string, path: string, options?: CallOptions) => Promise<CallResult>;

export class Planting {
  readonly canaries: Canary[] = [];
  /** Every answer that was an error. */
  readonly errors: CallResult[] = [];
  readonly #bases: Bases;
  readonly #operator: string;
  #customer = "";

  constructor(bases: Bases, operatorToken: string) {
    this.#bases = bases;
    this.#operator = operatorToken;
  }

  readonly #ask: Ask = async (base, method, path, options = {}) => {
    const result = await call(method, `${this.#bases[base]}${path}`, { token: this.#customer, ...options });
    if (result.status >= 400) this.errors.push(result);
    return result;
  };

  readonly #need: (...args: Parameters<Ask>) => Promise<unknown> = async (...args) => {
    const result = await this.#ask(...args);
    expect(result.status, `${args.slice(0, 3).join(" ")}: ${result.text}`).toBeLessThan(300);
    return result.body;
  };

  #keep(what: string, value: unknown): string {
    const text = String(value);
    expect(text.length, what).toBeGreaterThanOrEqual(15);
    this.canaries.push(canary(what, coreOf(text)));
    return text;
  }

  #operate(method: string, path: string, body: object): Promise<unknown> {
    return this.#need("control", method, path, { token: this.#operator, body });
  }

  /** A catalogue of one type on one simulated host, an image with Jupyter, and a customer. */
  async world(): Promise<void> {
    await this.#operate("PUT", "/regions/north", {});
    const image = {
      number: 1,
      description: "Ubuntu",
      family: "ubuntu",
      login_user: "ubuntu",
      default: true,
      jupyter: true,
    };
    await this.#operate("PUT", "/images/ubuntu", image);
    const size = { vcpus: 1, memory_gib: 1, storage_gb: 1 };
    await this.#operate("PUT", "/instance-types/cpu", { ...size, price_cents_per_hour: 1, gpus: 0 });
    const tooLarge = { ...size, vcpus: 65, price_cents_per_hour: 1, gpus: 0 };
    await this.#operate("PUT", "/instance-types/larger-than-the-host", tooLarge);
    const host = { engine: "simulated", region: "north", vcpus: 64, memory_gib: 64, storage_gb: 64, gpus: [] };
    await this.#operate("PUT", "/hosts/host-1", host);
    const account = String(at(await this.#operate("POST", "/accounts", { name: "canaries" }), "data", "id"));
    const order = { name: "first", scopes: ["read", "write"] };
    const made = await this.#operate("POST", `/accounts/${account}/tokens`, order);
    this.#customer = this.#keep("an account's first token", at(made, "data", "token"));
  }

  /** Everything that is made with a success. With an Idempotency-Key, so that the answers are kept too. */
  async plant(hookUrl: string): Promise<void> {
    const headers = () => ({ "idempotency-key": randomBytes(8).toString("hex") });
    const env = (what: string) => ({ SECRET: this.#keep(`env value by ${what}`, wild()) });
    const launch = { instance_type_name: "cpu", region_name: "any", ssh_key_names: [], quantity: 1 };
    const byM = { ...launch, env_vars: env("marketplace") };
    await this.#need("marketplace", "POST", "/instance-operations/launch", { headers: headers(), body: byM });
    const byLambda = { ...launch, user_data: `#!/bin/sh\necho '${this.#keep("user data", wild())}'\n` };
    await this.#need("lambda", "POST", "/instance-operations/launch", { headers: headers(), body: byLambda });
    const byControl = { instance_type: "cpu", env_vars: env("control"), password_without_keys: true };
    await this.#need("control", "POST", "/instances", { headers: headers(), body: byControl });
    const wait = { until: new Date(Date.now() + 3_600_000).toISOString() };
    const waiting = { instance_type: "larger-than-the-host", wait, env_vars: env("a launch that waits") };
    await this.#need("control", "POST", "/instances", { headers: headers(), body: waiting });
    const byD = { productName: "cpu", regionName: "any" };
    const launched = await this.#need("direct", "POST", "/instance/launch", { headers: headers(), body: byD });
    const id = String(at(launched, "response"));
    const shown = await this.#need("direct", "GET", `/instance/${id}`);
    this.#keep("login password", at(shown, "runningInstance", "password"));

    const name = "generated";
    const generated = await this.#need("reference", "POST", "/ssh-keys", { headers: headers(), body: { name } });
    const pem = String(at(generated, "data", 0, "private_key"));
    // The first lines of the body begin with what every key has; these hold the private half.
    for (const line of pem.trim().split("\n").slice(3, -1)) this.#keep("line of a generated private key", line);

    const token = { name: "by idempotency key", scopes: ["read"] };
    const made = await this.#need("control", "POST", "/tokens", { headers: headers(), body: token });
    this.#keep("an account's own token", at(made, "data", "token"));

    const person = { email: "ada@example.com", role: "member" };
    const invited = await this.#need("control", "POST", "/invitations", { headers: headers(), body: person });
    this.#keep("secret of an invitation, also in its email", at(invited, "data", "secret"));

    const hook = { url: hookUrl, event_types: ["ssh_key.*"] };
    const created = await this.#need("control", "POST", "/webhooks", { headers: headers(), body: hook });
    this.#keepSecret("webhook secret", at(created, "data", "secret"));
    const path = `/webhooks/${String(at(created, "data", "id"))}`;
    const rotated = await this.#need("control", "POST", `${path}/rotate-secret`, { headers: headers(), body: {} });
    this.#keepSecret("webhook secret after its rotation", at(rotated, "data", "secret"));
    // Signs with both, to a receiver that answers with an error; so there are attempts on the log.
    await this.#need("control", "POST", `${path}/test`, { body: {} });
  }

  /** As text, and the bytes that sign. */
  #keepSecret(what: string, value: unknown): void {
    const text = this.#keep(what, value);
    this.canaries.push(canary(`${what}, its bytes`, Buffer.from(text.replace(/^whsec_/, ""), "base64")));
  }

  /** The Jupyter tokens, which M's list shows when a machine is up. */
  async jupyterTokens(): Promise<void> {
    const tokens = async () => {
      const list = at(await this.#need("marketplace", "GET", "/instances"), "data");
      return Array.isArray(list) ? list.map((one) => String(at(one, "jupyter_token"))) : [];
    };
    await expect.poll(async () => (await tokens()).filter((one) => one !== "").length, { timeout: 60_000 }).toBe(4);
    for (const token of await tokens()) this.#keep("Jupyter token", token);
  }

  /** Sends secrets where they are refused: wrong types, too long, twice, in wrong places, in what cannot be read. */
  async provoke(): Promise<void> {
    const { canaries } = this;
    const secrets = canaries
      .map(({ bytes }) => bytes.toString("utf8"))
      .filter((text) => Buffer.from(text).length < 500);
    const fresh = wild();
    canaries.push(canary("a value that was refused", coreOf(fresh)));
    const launch = { instance_type_name: "cpu", region_name: "any", ssh_key_names: [], quantity: 1 };
    const launchPath = "/instance-operations/launch";
    for (const value of [fresh, ...secrets]) {
      const bad: unknown[] = [
        { "1 bad key": value },
        { A: [value] },
        { A: { B: value } },
        { A: value.repeat(2000) },
        { A: `${value}\0` },
        { LD_PRELOAD: value, "": value },
        value,
        [value],
      ];
      for (const env_vars of bad) {
        await this.#ask("marketplace", "POST", launchPath, { body: { ...launch, env_vars } });
        await this.#ask("control", "POST", "/instances", { body: { instance_type: "cpu", env_vars } });
      }
      for (const user_data of [[value], { A: value }, `${value}\0`, value.padEnd(1_100_000, "x")]) {
        await this.#ask("lambda", "POST", launchPath, { body: { ...launch, user_data } });
      }
      await this.#ask("lambda", "POST", launchPath, {
        body: { ...launch, instance_type_name: "none", user_data: value },
      });
      const order = JSON.stringify({ ...launch, env_vars: { A: value } });
      await this.#ask("marketplace", "POST", launchPath, { body: order.slice(0, -3) });
      await this.#ask("marketplace", "POST", launchPath, { body: `${order}${order}` });
      await this.#ask("direct", "POST", "/instance/launch", { body: order });
      const key = { headers: { "idempotency-key": `reused-${randomBytes(8).toString("hex")}` } };
      await this.#ask("control", "POST", "/tokens", { ...key, body: { name: "reused", scopes: ["read"] } });
      await this.#ask("marketplace", "POST", launchPath, { ...key, body: { ...launch, env_vars: { A: value } } });
      await this.#ask("control", "PATCH", "/tokens/x", { body: { token: [value], secret: value } });
    }
    for (const token of secrets.filter((text) => /^[\x21-\x7e]+$/.test(text))) {
      await this.#ask("control", "GET", "/account", { token: `${token}x` });
      await this.#ask("control", "GET", "/account", { token: token.slice(1) });
      await this.#ask("control", "GET", "/account", {
        token: "",
        headers: { authorization: `Basic ${btoa(`${token}x:`)}` },
      });
    }
    await this.#goAstray(secrets);
    const pem = `-----BEGIN OPENSSH PRIVATE KEY-----\n${fresh}\n-----END OPENSSH PRIVATE KEY-----\n`;
    for (const public_key of [pem, `ssh-ed25519 ${btoa(fresh.replace("ü", ""))}`]) {
      await this.#ask("marketplace", "POST", "/ssh-keys", { body: { name: "private by mistake", public_key } });
      await this.#ask("reference", "POST", "/ssh-keys", { body: { name: "private by mistake", public_key } });
    }
    await this.#ask("reference", "POST", "/ssh-keys", { body: { name: "generated" } });
  }

  /** Sends secrets where ids belong. The answers say which id there is not, so they are not among the places. */
  async #goAstray(secrets: readonly string[]): Promise<void> {
    const { control, marketplace } = this.#bases;
    for (const secret of secrets) {
      const id = encodeURIComponent(secret);
      for (const path of ["tokens", "webhooks", "file-systems"]) {
        await call("DELETE", `${control}/${path}/${id}`, { token: this.#customer });
      }
      const body = { instance_uuids: [secret] };
      await call("POST", `${marketplace}/instance-operations/terminate`, { token: this.#customer, body });
      await call("POST", `${control}/encryption/retire`, { token: this.#operator, body: { key_id: secret } });
    }
  }

  /** What the account and the operator can read afterwards. */
  async readings(): Promise<CallResult[]> {
    return Promise.all([
      this.#ask("control", "GET", "/events?limit=1000"),
      this.#ask("control", "GET", "/audit-log", { token: this.#operator }),
      this.#ask("control", "GET", "/encryption", { token: this.#operator }),
      this.#ask("control", "GET", "/replicas", { token: this.#operator }),
      this.#ask("control", "GET", "/launches"),
      this.#ask("control", "GET", "/webhooks"),
      this.#ask("control", "GET", "/tokens"),
      this.#ask("reference", "GET", "/instances"),
    ]);
  }
}
