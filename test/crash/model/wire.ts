// How each request is sent through each variant. Written from the specification and the decisions (sections 1, 3, 4, 8
// and 9); reading.ts has the other way.

import { examplePublicKey } from "../../support/world.ts";
import type { Order, Request, RequestOf, Via } from "./requests.ts";
import { type Customer, coupons, gpuModel, hosts, images, types } from "./scene.ts";

/** Where the interfaces are. */
export interface Bases {
  readonly marketplace: string;
  readonly direct: string;
  readonly reference: string;
  readonly control: string;
}

export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body?: object;
}

const prefixes = { M: "marketplace", D: "direct", R: "reference", control: "control" } as const;

/** What only the operator knows of accounts, and what a coupon's end is by the clock. */
export interface Known {
  readonly bases: Bases;
  readonly accounts: Readonly<Record<Customer, { readonly id: string; readonly spareTokenId: string }>>;
  readonly endOf: (coupon: string) => Date;
}

export function send(request: Request, { bases, accounts, endOf }: Known): Sent {
  const at = (via: Via, path: string) => `${bases[prefixes[via]]}${path}`;
  const get = (via: Via, path: string) => ({ method: "GET", url: at(via, path) });
  const post = (via: Via, path: string, body: object) => ({ method: "POST", url: at(via, path), body });
  const operate = (method: string, path: string, body?: object) => ({
    method,
    url: at("control", path),
    ...(body !== undefined && { body }),
  });
  switch (request.op) {
    case "launch":
      return post(request.via, launchPaths[request.via], launchBodies[request.via](request.order));
    case "change":
      return post(request.via, changePath(request), changeBody(request));
    case "add-key": {
      const publicKey = request.generate
        ? {}
        : { [request.via === "D" ? "publicKey" : "public_key"]: examplePublicKey };
      return post(request.via, "/ssh-keys", { name: request.name, ...publicKey });
    }
    case "delete-key":
      return { method: "DELETE", url: at(request.via, `/ssh-keys/${request.id}`) };
    case "create-file-system":
      return post("control", "/file-systems", { name: request.name, region: request.region, size_gb: 10 });
    case "delete-file-system":
      return operate("DELETE", `/file-systems/${request.id}`);
    case "read":
      return get(request.via, `${request.via === "D" ? "/instance" : "/instances"}/${request.id}`);
    case "list":
      return get(request.via, request.via === "D" ? "/instance" : "/instances");
    case "keys":
      return get(request.via, "/ssh-keys");
    case "offers":
      return get(request.via, request.via === "D" ? "/gpu-inventory" : "/instance-types");
    case "file-systems":
    case "usage":
    case "account":
      return operate("GET", `/${request.op}`);
    case "coupon": {
      const path = request.products ? "/coupon/accepted-products" : "/coupon/information";
      return post("D", path, request.code === undefined ? {} : { coupon: request.code });
    }
    case "decide": {
      const { host, action, drains } = request;
      return operate("POST", `/hosts/${host}/${action}`, drains === undefined ? undefined : { mode: drains });
    }
    case "move":
      return operate("POST", `/instances/${request.id}/move`, request.host === undefined ? {} : { host: request.host });
    case "price":
      return operate("PUT", `/instance-types/${request.type}`, typeBody(request.type, request.cents));
    case "put-coupon":
      return operate("PUT", `/coupons/${request.code}`, couponBody(request, endOf(request.code)));
    case "quota":
      return operate("PATCH", `/accounts/${accounts[request.account].id}`, {
        quotas: { [request.what]: request.value },
      });
    case "status": {
      const status = request.active ? "active" : "inactive";
      return operate("PATCH", `/accounts/${accounts[request.account].id}`, { status });
    }
    case "revoke": {
      const { id, spareTokenId } = accounts[request.account];
      return operate("DELETE", `/accounts/${id}/tokens/${spareTokenId}`);
    }
    case "all-instances":
      return operate("GET", "/instances");
    case "hosts":
      return operate("GET", "/hosts");
  }
}

const launchPaths: Record<Via, string> = {
  M: "/instance-operations/launch",
  D: "/instance/launch",
  R: "/instance-operations/launch",
  control: "/instances",
};

const envVars = { good: { MODEL: "llama", SECRET: "a b'c" }, bad: { PATH: "/bin", "1X": "y" } };

function common(order: Order) {
  return {
    ...(order.name !== undefined && { name: order.name }),
    ssh_key_names: order.keys,
    file_system_names: order.fileSystems,
    quantity: order.quantity,
  };
}

const launchBodies: Record<Via, (order: Order) => object> = {
  M: (order) => ({
    ...common(order),
    instance_type_name: order.type,
    region_name: order.region,
    ...(order.image !== undefined && { os_image_name: order.image }),
    ...(order.env !== undefined && { env_vars: envVars[order.env] }),
  }),
  D: (order) => ({
    productName: order.type,
    regionName: order.region,
    ...(order.name !== undefined && { instanceName: order.name }),
    ...(order.image !== undefined && { imageId: images[order.image]?.number ?? 99 }),
    ...(order.coupon !== undefined && { coupon: order.coupon }),
    ...(order.keys.length > 0 && { sshKeys: order.keys }),
    command: "true",
  }),
  R: (order) => ({ ...common(order), instance_type_name: order.type, region_name: order.region }),
  control: (order) => ({
    ...common(order),
    instance_type: order.type,
    region: order.region,
    ...(order.image !== undefined && { image: order.image }),
    ...(order.env !== undefined && { env_vars: envVars[order.env] }),
    ...(order.coupon !== undefined && { coupon: order.coupon }),
  }),
};

function changePath({ via, wish }: RequestOf<"change">): string {
  return `${via === "D" ? "/instance" : "/instance-operations"}/${wish}`;
}

function changeBody({ via, wish, ids }: RequestOf<"change">): object {
  if (via === "D") return { instanceUuids: ids };
  return via === "R" || wish === "terminate" ? { instance_ids: ids } : { instance_uuids: ids };
}

/** As an operator puts them: instance types, coupons, and the hosts of the scene. */
export function typeBody(name: string, cents: number): object {
  const type = types[name];
  if (type === undefined) throw new Error(`BUG: no type ${name}`);
  const { gpus, vcpus, memory: memory_gib, storage: storage_gb } = type;
  const gpu = gpus === 0 ? {} : { gpu_model: gpuModel, gpus };
  return { ...gpu, vcpus, memory_gib, storage_gb, price_cents_per_hour: cents };
}

export function couponBody({ code, percent, active }: Omit<RequestOf<"put-coupon">, "op">, end: Date): object {
  const instance_types = coupons[code]?.types ?? [];
  return { discount_percent: percent, active, instance_types, deactivation_date: end.toISOString() };
}

export function hostBody(name: string): object {
  const host = hosts[name];
  if (host === undefined) throw new Error(`BUG: no host ${name}`);
  const { region, gpus, vcpus, memory: memory_gib, storage: storage_gb } = host;
  const one = (index: number) => ({ address: `0000:0${index + 1}:00.0`, model: gpuModel, memory_gib: 80 });
  return {
    engine: "simulated",
    region,
    vcpus,
    memory_gib,
    storage_gb,
    gpus: Array.from({ length: gpus }, (_, i) => one(i)),
  };
}
