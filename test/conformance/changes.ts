// Every operation that changes something, as a request that succeeds and one that the rental refuses: for what has to
// hold for all of them (idempotency.test.ts, audit.test.ts). An operation that is missing here fails those tests.

import type { InterfaceName } from "../../src/config/interfaces.ts";
import { loadConfig } from "../../src/config.ts";
import type { EmailSettings } from "../../src/rules/emails.ts";
import { examplePublicKey } from "../support/world.ts";
import { textAt } from "./client.ts";
import { invoiceChanges } from "./invoice-changes.ts";
import { ledgerChanges } from "./ledger-changes.ts";
import { peopleChanges } from "./people-changes.ts";
import { type Customer, coupons, hosts, lastDay, regions, type Scene, types } from "./scene.ts";
import { instanceIn } from "./states.ts";

export interface Attempt {
  readonly path: string;
  readonly body?: unknown;
  /** An id or a name that the request is about. */
  readonly about?: string;
}

export interface Change {
  /**
   * A request that succeeds, once: another call is about something new. What it needs is made before. Absent where that
   * takes more than requests.
   */
  readonly good?: ((who: Customer) => Promise<Attempt>) | undefined;
  /** One that gets past gate and validation and is refused; absent where nothing is. */
  readonly refused?: (who: Customer) => Promise<Attempt>;
}

/** Whoever makes these requests may do everything, for an account of their own. */
export const everyScope = ["read", "write", "operator"] as const;

export const interfaces: readonly InterfaceName[] = ["marketplace", "direct", "reference", "lambda", "control"];

const { webhooks } = loadConfig({ env: {}, cwd: import.meta.dirname });
/** Where no program answers. */
const email: EmailSettings = {
  ...{ host: "127.0.0.1", port: 1, tls: "none", ca: undefined, login: undefined, consoleUrl: undefined },
  from: { name: "", address: "noreply@acme.example" },
  disabledKinds: [],
};
/** For a scene where these requests succeed: webhooks may lead to this machine, where no program answers them. */
export const sceneOptions = { config: { webhooks: { ...webhooks, allowPrivateTargets: true }, email } };

/** By interface and operation, such as `POST /ssh-keys`. */
export function changes(scene: Scene): Record<InterfaceName, Record<string, Change>> {
  const unknownId = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";

  /** An operation with something new in its body, and one thing wrong with it. */
  const making = (path: string, order: () => object, wrong: object): Change => ({
    good: async () => ({ path, body: order() }),
    refused: async () => ({ path, body: { ...order(), ...wrong } }),
  });
  /** An operation on instances that are in this state. */
  const onInstances = (path: string, field: string, state: "active" | "stopped"): Change => ({
    good: async (who) => {
      const id = await instanceIn(scene, who, state);
      return { path, body: { [field]: [id] }, about: id };
    },
    refused: async () => ({ path, body: { [field]: [unknownId] }, about: unknownId }),
  });
  /** An operation on one thing that is made before, and named in the path. */
  const onOne = (path: (id: string) => string, make: (who: Customer) => Promise<string>, body?: object): Change => ({
    good: async (who) => {
      const id = await make(who);
      return { path: path(id), body, about: id };
    },
    refused: async () => ({ path: path(unknownId), body, about: unknownId }),
  });
  /** A PUT by name, and what makes it refused. */
  const putting = (path: string, body: () => object, wrong: object): Change => {
    const named = async (more: object) => {
      const name = scene.fresh("named");
      return { path: `${path}/${name}`, body: { ...body(), ...more }, about: name };
    };
    return { good: () => named({}), refused: () => named(wrong) };
  };
  const put = async (path: string, body: object) => {
    const name = scene.fresh("named");
    await scene.control("PUT", `${path}/${name}`, body);
    return name;
  };

  const activeOf = (who: Customer) => instanceIn(scene, who, "active");
  const key = (field: string) => () => ({ name: scene.fresh("key"), [field]: examplePublicKey });
  const sshKey = async (who: Customer) =>
    textAt(
      await scene.client.need("marketplace", "POST", "/ssh-keys", { token: who.token, body: key("public_key")() }),
      "data",
      "id",
    );
  const fileSystem = () => ({ name: scene.fresh("data"), region: regions.north, size_gb: 1 });
  const rule = { protocol: "tcp", port_range: [22, 22], source_network: "192.0.2.0/24", description: "SSH" };
  const wrongRule = { ...rule, port_range: [22, 1] };
  const ruleset = () => ({ name: scene.fresh("rules"), region: regions.north, rules: [rule] });
  const rulesetOf = async (who: Customer) =>
    textAt(
      await scene.client.need("lambda", "POST", "/firewall-rulesets", { token: who.token, body: ruleset() }),
      "data",
      "id",
    );
  const own = async (who: Customer, path: string, body: object) =>
    textAt(await scene.control("POST", path, body, { token: who.token }), "id");
  const ownFileSystem = (who: Customer) => own(who, "/file-systems", fileSystem());
  const tokenOf = (who: Customer) => own(who, "/tokens", token());
  const token = () => ({ name: scene.fresh("token"), scopes: ["read"] });
  const webhook = () => ({ url: "https://127.0.0.1:1/unanswered", active: false });
  const webhookOf = (who: Customer) => own(who, "/webhooks", webhook());
  const onTokenOfAnother = (body?: object): Change => ({
    good: async () => {
      const { accountId, tokenId } = await scene.customer();
      return { path: `/accounts/${accountId}/tokens/${tokenId}`, body, about: tokenId };
    },
    refused: async (who) => ({ path: `/accounts/${who.accountId}/tokens/${unknownId}`, body, about: unknownId }),
  });
  const account = () =>
    own({ accountId: "", tokenId: "", token: scene.operator }, "/accounts", { name: scene.fresh("account") });
  const fault = { scope: "host", target: "no-such-host", kind: "hangs" };
  const host = { engine: "simulated", region: regions.south, vcpus: 1, memory_gib: 1, storage_gb: 1, gpus: [] };
  const gpu = { address: "0000:17:00.0", model: "handed_over", memory_gib: 80 };
  const hostWithGpu = { ...host, gpus: [gpu] };
  const gpuPath = (name: string, action: string) => `/hosts/${name}/gpus/${gpu.address}/${action}`;
  const gpuAttempt = (name: string, action: string, body?: object): Attempt => ({
    path: gpuPath(name, action),
    about: name,
    ...(body !== undefined && { body }),
  });
  const quarantined = async () => {
    const name = await put("/hosts", hostWithGpu);
    await scene.control("POST", gpuPath(name, "quarantine"), { reason: "XID 79" });
    return name;
  };
  /** Each later than the last, because some are for the same host. */
  let hours = 24;
  const maintenance = (name: string) => {
    hours += 3;
    const inHours = (more: number) => new Date(Date.now() + (hours + more) * 3_600_000).toISOString();
    return {
      host: name,
      from: inHours(0),
      to: inHours(1),
      deferrable_until: inHours(1.5),
      reason: "Disk",
      mode: "nothing",
    };
  };
  const windowOf = async (name: string) =>
    textAt(await scene.control("POST", "/maintenance-windows", maintenance(name)), 0, "id");
  const hostOf = async (id: string) => textAt(await scene.control("GET", `/instances/${id}`), "host");
  const type = { gpus: 0, vcpus: 1, memory_gib: 1, storage_gb: 1, price_cents_per_hour: 1 };
  const imageNumber = () => 1000 + Number(scene.fresh("x").slice(2));
  const coupon = { discount_percent: 10, deactivation_date: lastDay };
  const expired = { expires_at: "2020-01-01T00:00:00.000Z" };

  const launchInR = () => ({ instance_type_name: types.cpu, region_name: "any", name: scene.fresh("box") });
  const launchInM = () => ({ ...launchInR(), ssh_key_names: [], quantity: 1 });
  const launchInD = () => ({ productName: types.cpu, regionName: "any", instanceName: scene.fresh("box") });
  const unknownType = { instance_type_name: "nothing" };

  return {
    marketplace: {
      "POST /instance-operations/launch": making("/instance-operations/launch", launchInM, unknownType),
      "POST /instance-operations/terminate": onInstances("/instance-operations/terminate", "instance_ids", "active"),
      "POST /instance-operations/restart": onInstances("/instance-operations/restart", "instance_uuids", "stopped"),
      "POST /instance-operations/stop": onInstances("/instance-operations/stop", "instance_uuids", "active"),
      "POST /ssh-keys": making("/ssh-keys", key("public_key"), { name: "not/allowed" }),
      "DELETE /ssh-keys/{uuid}": onOne((id) => `/ssh-keys/${id}`, sshKey),
    },
    direct: {
      "POST /instance/launch": making("/instance/launch", launchInD, { productName: "nothing" }),
      "POST /instance/restart": onInstances("/instance/restart", "instanceUuids", "stopped"),
      "POST /instance/terminate": onInstances("/instance/terminate", "instanceUuids", "active"),
      "POST /coupon/information": making("/coupon/information", () => ({ coupon: coupons.ten }), { coupon: "NONE" }),
      "POST /coupon/accepted-products": making("/coupon/accepted-products", () => ({ coupon: coupons.ten }), {
        coupon: "NONE",
      }),
      "POST /ssh-keys": making("/ssh-keys", key("publicKey"), { name: "not/allowed" }),
      "DELETE /ssh-keys/{id}": onOne((id) => `/ssh-keys/${id}`, sshKey),
      "POST /account/token/validation": { good: async () => ({ path: "/account/token/validation" }) },
    },
    reference: {
      "POST /instance-operations/launch": making("/instance-operations/launch", launchInR, unknownType),
      "POST /instance-operations/terminate": onInstances("/instance-operations/terminate", "instance_ids", "active"),
      "POST /instance-operations/restart": onInstances("/instance-operations/restart", "instance_ids", "stopped"),
      "POST /ssh-keys": making("/ssh-keys", () => ({ name: scene.fresh("key") }), { name: "not/allowed" }),
      "DELETE /ssh-keys/{id}": onOne((id) => `/ssh-keys/${id}`, sshKey),
    },
    lambda: {
      "POST /instances/{id}": onOne(
        (id) => `/instances/${id}`,
        (who) => scene.launched(who),
        { name: "renamed", tags: [{ key: "team", value: "vision" }] },
      ),
      "POST /instance-operations/launch": making("/instance-operations/launch", launchInR, unknownType),
      "POST /instance-operations/terminate": onInstances("/instance-operations/terminate", "instance_ids", "active"),
      "POST /instance-operations/restart": onInstances("/instance-operations/restart", "instance_ids", "stopped"),
      "POST /instance-operations/power-cycle": onInstances(
        "/instance-operations/power-cycle",
        "instance_ids",
        "stopped",
      ),
      "POST /ssh-keys": making("/ssh-keys", () => ({ name: scene.fresh("key") }), { name: "not/allowed" }),
      "DELETE /ssh-keys/{id}": onOne((id) => `/ssh-keys/${id}`, sshKey),
      "POST /file-systems": making("/file-systems", fileSystem, { region: "nowhere" }),
      "POST /filesystems": making("/filesystems", fileSystem, { region: "nowhere" }),
      "DELETE /file-systems/{id}": onOne((id) => `/file-systems/${id}`, ownFileSystem),
      "DELETE /filesystems/{id}": onOne((id) => `/filesystems/${id}`, ownFileSystem),
      "PUT /firewall-rules": making("/firewall-rules", () => ({ data: [rule] }), { data: [wrongRule] }),
      "PATCH /firewall-rulesets/global": making("/firewall-rulesets/global", () => ({ rules: [rule] }), {
        rules: [wrongRule],
      }),
      "POST /firewall-rulesets": making("/firewall-rulesets", ruleset, { region: "nowhere" }),
      "PATCH /firewall-rulesets/{id}": onOne((id) => `/firewall-rulesets/${id}`, rulesetOf, { name: "other" }),
      "DELETE /firewall-rulesets/{id}": onOne((id) => `/firewall-rulesets/${id}`, rulesetOf),
    },
    control: {
      ...peopleChanges(scene, account),
      "POST /tokens": making("/tokens", token, expired),
      "DELETE /tokens/{id}": onOne((id) => `/tokens/${id}`, tokenOf),
      "PATCH /tokens/{id}": onOne((id) => `/tokens/${id}`, tokenOf, { spend_limit_cents: 100 }),
      "POST /ssh-keys": making("/ssh-keys", () => ({ name: scene.fresh("key") }), { name: "not/allowed" }),
      "DELETE /ssh-keys/{id}": onOne((id) => `/ssh-keys/${id}`, sshKey),
      "POST /file-systems": making("/file-systems", fileSystem, { region: "nowhere" }),
      "DELETE /file-systems/{id}": onOne((id) => `/file-systems/${id}`, ownFileSystem),
      "POST /accounts": making("/accounts", () => ({ name: scene.fresh("account") }), { name: "operator" }),
      "PATCH /account": { good: async () => ({ path: "/account", body: { contact_email: "ops@acme.example" } }) },
      // Refused without an address: the account has none.
      "POST /emails/test": making("/emails/test", () => ({ to: "ops@acme.example" }), { to: undefined }),
      "PATCH /accounts/{id}": onOne((id) => `/accounts/${id}`, account, { quotas: { gpus: 1 } }),
      "POST /accounts/{id}/tokens": onOne((id) => `/accounts/${id}/tokens`, account, token()),
      "PATCH /accounts/{id}/tokens/{token_id}": onTokenOfAnother({ spend_limit_cents: 100 }),
      "DELETE /accounts/{id}/tokens/{token_id}": onTokenOfAnother(),
      "POST /instances": making("/instances", () => ({ instance_type: types.cpu, name: scene.fresh("box") }), {
        instance_type: "nothing",
      }),
      "PATCH /instances/{id}": onOne(
        (id) => `/instances/${id}`,
        (who) => scene.launched(who),
        { name: "renamed", tags: [{ key: "team", value: "vision" }], max_lifetime_seconds: 86_400 },
      ),
      "POST /instances/{id}/stop": onOne((id) => `/instances/${id}/stop`, activeOf),
      "POST /instances/{id}/restart": onOne(
        (id) => `/instances/${id}/restart`,
        (who) => instanceIn(scene, who, "stopped"),
      ),
      "POST /instances/{id}/reboot": onOne((id) => `/instances/${id}/reboot`, activeOf),
      // Instances of this suite have no GPUs.
      "POST /instances/{id}/report-fault": {
        refused: async (who) => {
          const id = await activeOf(who);
          return { path: `/instances/${id}/report-fault`, body: { text: "Falls off the bus" }, about: id };
        },
      },
      "POST /reservations": making("/reservations", () => scene.reservation(), { instance_type: "nothing" }),
      "POST /reservations/{id}/cancel": onOne(
        (id) => `/reservations/${id}/cancel`,
        (who) => scene.reserved(who),
      ),
      "POST /launches/{id}/cancel": onOne(
        (id) => `/launches/${id}/cancel`,
        (who) => scene.waiting(who),
      ),
      "POST /capacity-notices": {
        good: async () => ({ path: "/capacity-notices", body: { instance_type: await put("/instance-types", type) } }),
        refused: async () => ({ path: "/capacity-notices", body: { region: "nowhere" } }),
      },
      "DELETE /capacity-notices/{id}": onOne(
        (id) => `/capacity-notices/${id}`,
        async (who) => own(who, "/capacity-notices", { instance_type: await put("/instance-types", type) }),
      ),
      // Succeeds only where another host of the region has capacity, which none of this suite has.
      "POST /instances/{id}/move": {
        refused: async () => ({ path: `/instances/${unknownId}/move`, body: { host: "nowhere" }, about: unknownId }),
      },
      "POST /instances/{id}/terminate": onOne((id) => `/instances/${id}/terminate`, activeOf),
      "PUT /firewall-rules": making("/firewall-rules", () => ({ rules: [rule] }), { rules: [wrongRule] }),
      "POST /firewall-rulesets": making("/firewall-rulesets", ruleset, { region: "nowhere" }),
      "PATCH /firewall-rulesets/{id}": onOne((id) => `/firewall-rulesets/${id}`, rulesetOf, { name: "other" }),
      "DELETE /firewall-rulesets/{id}": onOne((id) => `/firewall-rulesets/${id}`, rulesetOf),
      "POST /webhooks": making("/webhooks", webhook, { url: "https://user@127.0.0.1:1/unanswered" }),
      "PATCH /webhooks/{id}": onOne((id) => `/webhooks/${id}`, webhookOf, { description: "Changed" }),
      "DELETE /webhooks/{id}": onOne((id) => `/webhooks/${id}`, webhookOf),
      "POST /webhooks/{id}/rotate-secret": onOne((id) => `/webhooks/${id}/rotate-secret`, webhookOf, {}),
      "POST /webhooks/{id}/test": onOne((id) => `/webhooks/${id}/test`, webhookOf),
      "POST /webhooks/{id}/deliveries/{delivery_id}/resend": {
        good: async (who) => {
          const id = await webhookOf(who);
          const delivery = await own(who, `/webhooks/${id}/test`, {});
          return { path: `/webhooks/${id}/deliveries/${delivery}/resend`, about: delivery };
        },
        refused: async (who) => {
          const id = await webhookOf(who);
          return { path: `/webhooks/${id}/deliveries/${unknownId}/resend`, about: unknownId };
        },
      },
      ...ledgerChanges(scene, account),
      ...invoiceChanges(account),
      "POST /encryption/rotate": { good: async () => ({ path: "/encryption/rotate", body: {} }) },
      // Succeeds only where the server has a key file with an old key in it, which no server of this suite has.
      "POST /encryption/retire": {
        refused: async () => ({ path: "/encryption/retire", body: { key_id: "41d0aa7e" }, about: "41d0aa7e" }),
      },
      // A name of 64 letters is allowed; nothing of a region is refused past validation but a region in use.
      "PUT /regions/{name}": { good: putting("/regions", () => ({}), {}).good },
      "DELETE /regions/{name}": onOne(
        (name) => `/regions/${name}`,
        () => put("/regions", {}),
      ),
      "PUT /hosts/{name}": putting("/hosts", () => host, { region: "nowhere" }),
      "DELETE /hosts/{name}": onOne(
        (name) => `/hosts/${name}`,
        () => put("/hosts", host),
      ),
      "POST /hosts/{name}/cordon": onOne(
        (name) => `/hosts/${name}/cordon`,
        () => put("/hosts", host),
      ),
      "POST /hosts/{name}/uncordon": onOne(
        (name) => `/hosts/${name}/uncordon`,
        async () => hosts.south,
      ),
      "POST /hosts/{name}/drain": onOne(
        (name) => `/hosts/${name}/drain`,
        () => put("/hosts", host),
      ),
      // Succeeds only for a host that its engine has not reached for a while.
      "POST /hosts/{name}/declare-lost": {
        refused: async () => ({
          path: "/hosts/nowhere/declare-lost",
          body: { reason: "Burnt power supply" },
          about: "nowhere",
        }),
      },
      // Succeeds only with a command in lessor.yaml, which turns the host off.
      "POST /hosts/{name}/fence": {
        refused: async () => ({ path: "/hosts/nowhere/fence", body: { reason: "No answer" }, about: "nowhere" }),
      },
      "POST /hosts/{name}/gpus/{address}/quarantine": {
        good: async () => gpuAttempt(await put("/hosts", hostWithGpu), "quarantine", { reason: "XID 79" }),
        refused: async () => gpuAttempt("nowhere", "quarantine", { reason: "XID 79" }),
      },
      "POST /hosts/{name}/gpus/{address}/retest": {
        good: async () => gpuAttempt(await quarantined(), "retest"),
        refused: async () => gpuAttempt(await put("/hosts", hostWithGpu), "retest"),
      },
      "POST /hosts/{name}/gpus/{address}/validate": {
        good: async () => {
          const name = await put("/hosts", hostWithGpu);
          const body = { handover: "none", validation: { image: "gpu-validation" } };
          await scene.control("PUT", `/gpu-policies/${gpu.model}`, body);
          return gpuAttempt(name, "validate");
        },
        refused: async () => gpuAttempt("nowhere", "validate"),
      },
      "POST /hosts/{name}/gpus/{address}/release": {
        good: async () => {
          const name = await quarantined();
          const { confirmation } = (await scene.control("POST", gpuPath(name, "release"), {})) as {
            confirmation: string; // documented so
          };
          return gpuAttempt(name, "release", { confirmation });
        },
        refused: async () => gpuAttempt(await put("/hosts", hostWithGpu), "release"),
      },
      "PUT /gpu-policies/{model}": {
        good: async () => {
          await put("/hosts", hostWithGpu);
          return { path: `/gpu-policies/${gpu.model}`, body: { handover: "none" }, about: gpu.model };
        },
        refused: async () => ({ path: "/gpu-policies/none", body: { handover: "none" }, about: "none" }),
      },
      "DELETE /gpu-policies/{model}": {
        good: async () => {
          await put("/hosts", hostWithGpu);
          await scene.control("PUT", `/gpu-policies/${gpu.model}`, { handover: "none" });
          return { path: `/gpu-policies/${gpu.model}`, about: gpu.model };
        },
        refused: async () => ({ path: "/gpu-policies/none", about: "none" }),
      },
      "PATCH /hosts/{name}": onOne(
        (name) => `/hosts/${name}`,
        () => put("/hosts", host),
        { labels: { rack: "r12" } },
      ),
      "POST /maintenance-windows": {
        good: async () => ({ path: "/maintenance-windows", body: maintenance(await put("/hosts", host)) }),
        refused: async () => ({ path: "/maintenance-windows", body: maintenance("nowhere") }),
      },
      "PATCH /maintenance-windows/{id}": onOne(
        (id) => `/maintenance-windows/${id}`,
        async () => windowOf(await put("/hosts", host)),
        { reason: "Another disk" },
      ),
      "DELETE /maintenance-windows/{id}": onOne(
        (id) => `/maintenance-windows/${id}`,
        async () => windowOf(await put("/hosts", host)),
      ),
      "POST /maintenance-windows/{id}/defer": onOne(
        (id) => `/maintenance-windows/${id}/defer`,
        async (who) => windowOf(await hostOf(await activeOf(who))),
        {},
      ),
      // For a host that no test has.
      "POST /simulator/faults": making("/simulator/faults", () => fault, {
        kind: "loses-reports",
        operation: "create",
      }),
      // Nothing of it can be refused.
      "DELETE /simulator/faults": { good: async () => ({ path: "/simulator/faults" }) },
      "DELETE /simulator/faults/{id}": {
        good: async () => {
          const { id } = (await scene.control("POST", "/simulator/faults", fault)) as { id: number }; // documented so
          return { path: `/simulator/faults/${id}` };
        },
        refused: async () => ({ path: "/simulator/faults/4711" }),
      },
      "POST /simulator/hosts/{name}/fail": onOne(
        (name) => `/simulator/hosts/${name}/fail`,
        () => put("/hosts", host),
      ),
      "POST /simulator/hosts/{name}/revive": onOne(
        (name) => `/simulator/hosts/${name}/revive`,
        () => put("/hosts", host),
      ),
      "PUT /instance-types/{name}": putting("/instance-types", () => type, { gpus: 1, gpu_model: null }),
      "DELETE /instance-types/{name}": onOne(
        (name) => `/instance-types/${name}`,
        () => put("/instance-types", type),
      ),
      "PUT /images/{name}": putting("/images", () => ({ number: imageNumber() }), { number: 1 }),
      "DELETE /images/{name}": onOne(
        (name) => `/images/${name}`,
        () => put("/images", { number: imageNumber() }),
      ),
      "PUT /coupons/{code}": putting("/coupons", () => coupon, { instance_types: ["nothing"] }),
      "DELETE /coupons/{code}": onOne(
        (code) => `/coupons/${code}`,
        () => put("/coupons", coupon),
      ),
    },
  };
}
