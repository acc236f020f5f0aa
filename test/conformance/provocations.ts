// How each error of src/http/errors/table.ts comes about over HTTP, in each interface where it can. Refusals of whole
// connections and failures of the service itself, which need more than a request, are in errors.test.ts.

import { forgive, injectFaults } from "../../src/engines/simulated/database.ts";
import type { ErrorKind } from "../../src/http/errors/api-error.ts";
import { codeOf } from "../../src/http/errors/response.ts";
import { errors } from "../../src/http/errors/table.ts";
import type { CallResult } from "../support/http.ts";
import { begin, untilKeyHolderWaits } from "../support/interleave.ts";
import { examplePublicKey } from "../support/world.ts";
import { type Ask, textAt } from "./client.ts";
import { type Customer, coupons, imageNumbers, images, regions, type Scene, types } from "./scene.ts";
import { instanceIn, requested } from "./states.ts";
import { direct, lambda, marketplace, reference, type VariantFacts, variants } from "./variants.ts";

export type Where = "marketplace" | "direct" | "reference" | "lambda" | "control";
type Provoke = () => Promise<CallResult>;
export type Provocations = Partial<Record<Where, Provoke>>;

/** Errors that a request alone does not bring about. */
export type Elsewhere = "request-timeout" | "headers-too-large" | "rate-limited" | "internal-error" | "unavailable";

export const wireCode = (kind: ErrorKind, name: string): string =>
  codeOf(errors[kind], name === "lambda" ? "lambda" : "otherwise");

export function provocations(scene: Scene): Record<Exclude<ErrorKind, Elsewhere>, Provocations> {
  const ask = (name: Where, method: string, path: string, customer: Customer, options: Ask = {}) =>
    scene.client.ask(name, method, path, { token: customer.token, ...options });
  const inEach = (provoke: (variant: VariantFacts, ada: Customer) => Promise<CallResult>): Provocations =>
    Object.fromEntries(variants.map((variant) => [variant.name, async () => provoke(variant, await scene.customer())]));
  const inControl = (provoke: (ada: Customer) => Promise<CallResult>): Provocations => ({
    control: async () => provoke(await scene.customer()),
  });
  const launch = (variant: VariantFacts, customer: Customer, more: object = {}, type: string = types.cpu) =>
    ask(variant.name, "POST", variant.launch.path, customer, { body: { ...variant.launch.body({ type }), ...more } });
  const addKey = (variant: VariantFacts, customer: Customer, name: string) =>
    ask(variant.name, "POST", "/ssh-keys", customer, { body: { name, [variant.addKey.publicKey]: examplePublicKey } });
  /** Whether a file system can belong to several instances at once. */
  const canShare = (multi_attach: boolean) => scene.db.updateTable("hosts").set({ multi_attach }).execute();
  const fileSystem = (customer: Customer, more: object = {}) =>
    ask("control", "POST", "/file-systems", customer, { body: { name: "data", region: "north", size_gb: 1, ...more } });
  const lists: Record<Where, string> = {
    marketplace: "/instances",
    direct: "/instance",
    reference: "/instances",
    lambda: "/instances",
    control: "/tokens",
  };
  const everywhere = (provoke: (name: Where) => Promise<CallResult>): Record<Where, Provoke> => ({
    marketplace: () => provoke("marketplace"),
    direct: () => provoke("direct"),
    reference: () => provoke("reference"),
    lambda: () => provoke("lambda"),
    control: () => provoke("control"),
  });
  const posts: Record<Where, string> = {
    marketplace: "/ssh-keys",
    direct: "/ssh-keys",
    reference: "/ssh-keys",
    lambda: "/ssh-keys",
    control: "/tokens",
  };
  const post = async (name: Where, body: unknown) => ask(name, "POST", posts[name], await scene.customer(), { body });
  const someId = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";

  /** The same key for one request and then another. */
  async function keyTwice(name: Where): Promise<CallResult> {
    const ada = await scene.customer();
    const bodies = ["one", "two"].map((word) =>
      name === "control"
        ? { name: word, scopes: ["read"] }
        : { name: word, public_key: examplePublicKey, publicKey: examplePublicKey },
    );
    const headers = { "idempotency-key": "same" };
    await ask(name, "POST", posts[name], ada, { headers, body: bodies[0] });
    return ask(name, "POST", posts[name], ada, { headers, body: bodies[1] });
  }

  /** The same request again, while the first waits for its account. */
  async function keyAtOnce(name: Where): Promise<CallResult> {
    const ada = await scene.customer();
    await using other = await begin(scene.db);
    await other.tx.selectFrom("accounts").select("id").where("id", "=", ada.accountId).forUpdate().execute();
    const send = () => {
      const headers = { "idempotency-key": "same" };
      if (name === "control") {
        return ask(name, "POST", "/file-systems", ada, {
          headers,
          body: { name: "data", region: "north", size_gb: 1 },
        });
      }
      const body = { name: "one", public_key: examplePublicKey, publicKey: examplePublicKey };
      return ask(name, "POST", "/ssh-keys", ada, { headers, body });
    };
    const first = send();
    await untilKeyHolderWaits(scene.db);
    const second = await send();
    await other.commit();
    if ((await first).status !== 200) throw new Error("the first request should have succeeded in the end");
    return second;
  }

  async function withDefaultImage(image: string, number: number, run: Provoke): Promise<CallResult> {
    const body = { number, unsupported_gpu_models: ["H100"], default: true };
    await scene.control("PUT", `/images/${image}`, body);
    const result = await run();
    await scene.control("PUT", `/images/${image}`, { ...body, default: false });
    await scene.control("PUT", `/images/${images.usual}`, { number: imageNumbers.usual, default: true });
    return result;
  }

  return {
    "invalid-parameters": everywhere((name) => post(name, { name: 5 })),
    "malformed-body": everywhere((name) => post(name, '{"name":')),
    "malformed-request": everywhere(async (name) => ask(name, "GET", `${lists[name]}?limit=%`, await scene.customer())),
    "unknown-name": {
      ...inEach((variant, ada) => launch(variant, ada, {}, "nothing")),
      ...inControl((ada) => fileSystem(ada, { region: "nowhere" })),
    },
    "coupon-refused": { direct: async () => launch(direct, await scene.customer(), { coupon: coupons.expired }) },
    "image-not-supported": {
      marketplace: async () => launch(marketplace, await scene.customer(), { os_image_name: images.noGpu }, types.h100),
      direct: async () => launch(direct, await scene.customer(), { imageId: imageNumbers.noGpu }, types.h100),
      ...Object.fromEntries(
        [reference, lambda].map((variant) => [
          variant.name,
          async () => {
            const ada = await scene.customer();
            return withDefaultImage(images.noGpu, imageNumbers.noGpu, () => launch(variant, ada, {}, types.h100));
          },
        ]),
      ),
    },
    "invalid-api-key": everywhere((name) => scene.client.ask(name, "GET", lists[name])),
    "account-inactive": everywhere(async (name) => {
      const ada = await scene.customer();
      await scene.control("PATCH", `/accounts/${ada.accountId}`, { status: "inactive" });
      return ask(name, "GET", lists[name], ada);
    }),
    forbidden: everywhere(async (name) => ask(name, "GET", lists[name], await scene.customer({ scopes: ["write"] }))),
    "role-forbids": everywhere(async (name) => {
      const viewer = await scene.person(await scene.customer(), "viewer");
      if (name === "control") return ask(name, "POST", "/file-systems", viewer, { body: {} });
      return ask(name, "POST", posts[name], viewer, { body: {} });
    }),
    "spend-limit-exceeded": inEach(async (variant) => launch(variant, await scene.customer({ spendLimitCents: 0 }))),
    "insufficient-balance": inEach(async (variant) => launch(variant, await scene.customer({ terms: "prepaid" }))),
    "quota-exceeded": {
      ...inEach(async (variant) => addKey(variant, await scene.customer({ quotas: { ssh_keys: 0 } }), "one")),
      // Its public document has no such code for SSH keys.
      lambda: async () => {
        const body = { name: "data", region: regions.north };
        return ask("lambda", "POST", "/filesystems", await scene.customer({ quotas: { file_systems: 0 } }), { body });
      },
      control: async () => fileSystem(await scene.customer({ quotas: { file_systems: 0 } })),
    },
    "unknown-object": {
      ...inEach((variant, ada) => ask(variant.name, "GET", variant.read.path(someId), ada)),
      ...inControl((ada) => ask("control", "GET", `/instances/${someId}`, ada)),
    },
    "unknown-ssh-key": {
      ...inEach((variant, ada) => ask(variant.name, "DELETE", `/ssh-keys/${someId}`, ada)),
      ...inControl((ada) => ask("control", "DELETE", `/ssh-keys/${someId}`, ada)),
    },
    "unknown-path": everywhere((name) => scene.client.stray(name, "GET", "/nothing/here")),
    "method-not-allowed": everywhere((name) => scene.client.stray(name, "PUT", lists[name])),
    "insufficient-capacity": inEach(async (variant, ada) => {
      const giant = { gpu_model: "H100", gpus: 64, vcpus: 1, memory_gib: 1, storage_gb: 1, price_cents_per_hour: 1 };
      await scene.control("PUT", "/instance-types/giant", giant);
      return launch(variant, ada, {}, "giant");
    }),
    "instance-not-stopped": inEach(async (variant, ada) =>
      requested(scene, ada, variant, "restart", [await instanceIn(scene, ada, "active")]),
    ),
    "instance-terminated": {
      marketplace: async () => {
        const ada = await scene.customer();
        return requested(scene, ada, marketplace, "stop", [await instanceIn(scene, ada, "terminated")]);
      },
    },
    "machine-unreachable": inControl(async (ada) => {
      const id = await instanceIn(scene, ada, "active");
      const silent = await injectFaults(scene.db, { kind: "unavailable", operation: "console-log", machine: id });
      const answer = await ask("control", "GET", `/instances/${id}/console-log`, ada, { failing: true });
      await forgive(scene.db, silent);
      return answer;
    }),
    duplicate: {
      ...inEach(async (variant, ada) => {
        await addKey(variant, ada, "same");
        return addKey(variant, ada, "same");
      }),
      // There a key's name that is taken is a wrong value.
      lambda: async () => {
        const ada = await scene.customer();
        const body = { name: "same", region: regions.north };
        await ask("lambda", "POST", "/file-systems", ada, { body });
        return ask("lambda", "POST", "/file-systems", ada, { body });
      },
      ...inControl(async (ada) => {
        await fileSystem(ada);
        return fileSystem(ada);
      }),
    },
    conflict: {
      ...Object.fromEntries(
        [marketplace, reference, lambda].map((variant) => [
          variant.name,
          async () => {
            const ada = await scene.customer();
            const name = textAt(await fileSystem(ada), "body", "data", "name");
            // The lambda edition shares a file system whose storage can.
            await canShare(false);
            await launch(variant, ada, { file_system_names: [name] });
            const refused = await launch(variant, ada, { file_system_names: [name] });
            await canShare(true);
            return refused;
          },
        ]),
      ),
      control: () => scene.client.ask("control", "DELETE", `/regions/${regions.north}`, { token: scene.operator }),
    },
    "file-system-in-wrong-region": {
      ...Object.fromEntries(
        [marketplace, reference, lambda].map((variant) => [
          variant.name,
          async () => {
            const ada = await scene.customer();
            const name = textAt(await fileSystem(ada, { region: regions.south }), "body", "data", "name");
            return launch(variant, ada, { file_system_names: [name], region_name: regions.north });
          },
        ]),
      ),
      ...inControl(async (ada) => {
        await fileSystem(ada, { region: regions.south });
        const body = { instance_type: types.cpu, region: regions.north, file_system_names: ["data"] };
        return ask("control", "POST", "/instances", ada, { body });
      }),
    },
    "file-system-in-use": Object.fromEntries(
      (["lambda", "control"] as const).map((name) => [
        name,
        async () => {
          const ada = await scene.customer();
          const id = textAt(await fileSystem(ada), "body", "data", "id");
          await launch(lambda, ada, { file_system_names: ["data"] });
          return ask(name, "DELETE", `/file-systems/${id}`, ada);
        },
      ]),
    ),
    "firewall-ruleset-in-use": {
      lambda: async () => {
        const ada = await scene.customer();
        const body = { name: "used", region: regions.north, rules: [] };
        const made = await ask("lambda", "POST", "/firewall-rulesets", ada, { body });
        const id = textAt(made, "body", "data", "id");
        await launch(lambda, ada, { firewall_rulesets: [{ id }] });
        return ask("lambda", "DELETE", `/firewall-rulesets/${id}`, ada);
      },
    },
    "idempotency-in-progress": everywhere(keyAtOnce),
    "idempotency-key-reused": everywhere(keyTwice),
    "payload-too-large": everywhere((name) => post(name, `"${"x".repeat(1024 * 1024)}"`)),
  };
}
