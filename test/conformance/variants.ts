// The public interfaces, each as data: where its operations are, how they take identifiers, what they answer with,
// which words they show. Written from the specification and the decisions, not from the code that they test.

import type { InstanceAction, State } from "../../src/rules/lifecycle.ts";
import { at, listAt } from "./client.ts";

export type VariantName = "marketplace" | "direct" | "reference" | "lambda";

export interface OperationOnIds {
  readonly path: string;
  /** The name of the list of identifiers in the body. */
  readonly ids: string;
  readonly status: number;
  /** The instances of the answer. */
  readonly answered: (body: unknown) => unknown[];
}

/** What every service takes; `reboot` is what an operator has to allow. */
export type PlainAction = Exclude<InstanceAction, "reboot">;

export interface VariantFacts {
  readonly name: VariantName;
  /** Statuses of errors: R's own column of the error table, its lambda edition's, or that of all others. */
  readonly column: "reference" | "lambda" | "otherwise";
  readonly launch: {
    readonly path: string;
    readonly status: number;
    readonly body: (order: Order) => object;
    readonly ids: (body: unknown) => unknown[];
  };
  readonly wishes: Partial<Record<PlainAction, OperationOnIds>>;
  readonly list: { readonly path: string; readonly entries: (body: unknown) => unknown[]; readonly idField: string };
  readonly read: { readonly path: (id: string) => string; readonly entry: (body: unknown) => unknown };
  /** What a list entry or a read shows of a state. */
  readonly shows: Readonly<Record<State, object>>;
  /** The word in the answers to operations. */
  readonly operationWords: Readonly<Record<State, string>>;
  /** Whether a list has instances in this state. */
  readonly lists: (state: State) => boolean;
  /** How an SSH key is added, and what its public half is called. */
  readonly addKey: { readonly publicKey: string; readonly id: (body: unknown) => unknown };
}

/** What a launch asks for, as far as all of them can. */
export interface Order {
  readonly type: string;
  readonly region?: string;
  readonly name?: string;
  readonly keys?: readonly string[];
}

const status = (word: string) => ({ status: word });

export const marketplace: VariantFacts = {
  name: "marketplace",
  column: "otherwise",
  launch: {
    path: "/instance-operations/launch",
    status: 200,
    body: ({ type, region = "any", name, keys = [] }) => ({
      instance_type_name: type,
      region_name: region,
      ssh_key_names: keys,
      quantity: 1,
      ...(name === undefined ? {} : { name }),
    }),
    ids: (body) => listAt(body, "data", "uuids"),
  },
  wishes: {
    stop: {
      path: "/instance-operations/stop",
      ids: "instance_uuids",
      status: 202,
      answered: (body) => listAt(body, "data", "stopped_instances"),
    },
    restart: {
      path: "/instance-operations/restart",
      ids: "instance_uuids",
      status: 202,
      answered: (body) => listAt(body, "data", "restarted_instances"),
    },
    terminate: {
      path: "/instance-operations/terminate",
      ids: "instance_ids",
      status: 202,
      answered: (body) => listAt(body, "data", "terminated_instances"),
    },
  },
  list: { path: "/instances", entries: (body) => listAt(body, "data"), idField: "id" },
  read: { path: (id) => `/instances/${id}`, entry: (body) => at(body, "data") },
  shows: {
    booting: status("booting"),
    active: status("active"),
    stopping: status("active"),
    stopped: status("stopped"),
    terminating: status("terminated"),
    terminated: status("terminated"),
  },
  operationWords: {
    booting: "booting",
    active: "active",
    stopping: "stopping",
    stopped: "stopping",
    terminating: "terminated",
    terminated: "terminated",
  },
  lists: () => true,
  addKey: { publicKey: "public_key", id: (body) => at(body, "data", "id") },
};

export const direct: VariantFacts = {
  name: "direct",
  column: "otherwise",
  launch: {
    path: "/instance/launch",
    status: 202,
    body: ({ type, region = "any", name, keys }) => ({
      productName: type,
      regionName: region,
      ...(name === undefined ? {} : { instanceName: name }),
      ...(keys === undefined ? {} : { sshKeys: keys }),
    }),
    ids: (body) => [at(body, "response")],
  },
  wishes: {
    restart: {
      path: "/instance/restart",
      ids: "instanceUuids",
      status: 202,
      answered: (body) => listAt(body, "response"),
    },
    terminate: {
      path: "/instance/terminate",
      ids: "instanceUuids",
      status: 202,
      answered: (body) => listAt(body, "response", "data", "terminated_instances"),
    },
  },
  list: { path: "/instance", entries: (body) => listAt(body, "runningInstances"), idField: "uuid" },
  read: { path: (id) => `/instance/${id}`, entry: (body) => at(body, "runningInstance") },
  shows: {
    booting: { status: "rented", active: 1, os_booted: 0 },
    active: { status: "rented", active: 1, os_booted: 1 },
    stopping: { status: "rented", active: 1, os_booted: 1 },
    stopped: { status: "rented", active: 0, os_booted: 0 },
    terminating: { status: "terminated", active: 0, os_booted: 0 },
    terminated: { status: "terminated", active: 0, os_booted: 0 },
  },
  // "Restart in variant D returns instances in the variant M shape."
  operationWords: marketplace.operationWords,
  lists: (state) => state !== "terminating" && state !== "terminated",
  addKey: { publicKey: "publicKey", id: (body) => at(body, "sshKey", "id") },
};

export const reference: VariantFacts = {
  name: "reference",
  column: "reference",
  launch: {
    path: "/instance-operations/launch",
    status: 200,
    body: ({ type, region = "any", name, keys = [] }) => ({
      instance_type_name: type,
      region_name: region,
      ssh_key_names: keys,
      ...(name === undefined ? {} : { name }),
    }),
    ids: (body) => listAt(body, "data", "instance_ids"),
  },
  wishes: {
    restart: {
      path: "/instance-operations/restart",
      ids: "instance_ids",
      status: 200,
      answered: (body) => listAt(body, "data", "restarted_instances"),
    },
    terminate: {
      path: "/instance-operations/terminate",
      ids: "instance_ids",
      status: 200,
      answered: (body) => listAt(body, "data", "terminated_instances"),
    },
  },
  list: { path: "/instances", entries: (body) => listAt(body, "data"), idField: "id" },
  read: { path: (id) => `/instances/${id}`, entry: (body) => at(body, "data") },
  shows: {
    booting: status("booting"),
    active: status("active"),
    stopping: status("stopping"),
    stopped: status("stopped"),
    terminating: status("terminated"),
    terminated: status("terminated"),
  },
  operationWords: {
    booting: "booting",
    active: "active",
    stopping: "stopping",
    stopped: "stopped",
    terminating: "terminated",
    terminated: "terminated",
  },
  lists: () => true,
  addKey: { publicKey: "public_key", id: (body) => at(body, "data", 0, "id") },
};

/** R's ecosystem edition: the same calls, in words of its own. */
export const lambda: VariantFacts = {
  ...reference,
  name: "lambda",
  column: "lambda",
  shows: {
    booting: status("booting"),
    active: status("active"),
    stopping: status("active"),
    stopped: status("unhealthy"),
    terminating: status("terminating"),
    terminated: status("terminated"),
  },
  operationWords: {
    booting: "booting",
    active: "active",
    stopping: "active",
    stopped: "unhealthy",
    terminating: "terminating",
    terminated: "terminated",
  },
  lists: (state) => state !== "terminating" && state !== "terminated",
  addKey: { publicKey: "public_key", id: (body) => at(body, "data", "id") },
};

export const variants: readonly VariantFacts[] = [marketplace, direct, reference, lambda];
