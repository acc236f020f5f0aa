// What is ordered on the rent page, and the launch that it becomes. Pure.

import { type EnvVar, envVarsOf } from "./env-vars.ts";

export interface Order {
  /** Undefined: none chosen yet. */
  readonly instanceType: string | undefined;
  /** `any`, or the name of a region. */
  readonly region: string;
  /** Undefined: the operator's default. */
  readonly image: string | undefined;
  readonly sshKeys: readonly string[];
  readonly quantity: number;
  readonly name: string;
  readonly coupon: string;
  readonly envVars: readonly EnvVar[];
  readonly fileSystems: readonly string[];
  readonly command: string;
}

export const emptyOrder: Order = {
  instanceType: undefined,
  region: "any",
  image: undefined,
  sshKeys: [],
  quantity: 1,
  name: "",
  coupon: "",
  envVars: [],
  fileSystems: [],
  command: "",
};

/** A launch as the control API takes it. */
export interface LaunchBody {
  instance_type: string;
  region?: string;
  quantity?: number;
  name?: string;
  image?: string;
  ssh_key_names?: string[];
  file_system_names?: string[];
  env_vars?: Record<string, string>;
  command?: string;
  coupon?: string;
}

/** The launch of an order whose type is chosen: with what was said, and nothing that the service would say itself. */
export function launchBody(order: Order, instanceType: string): LaunchBody {
  const envVars = envVarsOf(order.envVars);
  return {
    instance_type: instanceType,
    ...(order.region === "any" ? {} : { region: order.region }),
    ...(order.quantity === 1 ? {} : { quantity: order.quantity }),
    ...(order.name.trim() === "" ? {} : { name: order.name.trim() }),
    ...(order.image === undefined ? {} : { image: order.image }),
    ...(order.sshKeys.length === 0 ? {} : { ssh_key_names: [...order.sshKeys] }),
    ...(order.fileSystems.length === 0 ? {} : { file_system_names: [...order.fileSystems] }),
    ...(Object.keys(envVars).length === 0 ? {} : { env_vars: envVars }),
    ...(order.command.trim() === "" ? {} : { command: order.command }),
    ...(order.coupon.trim() === "" ? {} : { coupon: order.coupon.trim() }),
  };
}
