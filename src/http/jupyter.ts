// The Jupyter address of an instance, made from the operator's URL template (config `jupyterUrlTemplate`).
// Source: decisions, Launch. Nothing sets a token in a guest yet, so `token` is empty, and a template that wants one
// gives no address. Used by the list of variant M.

import type { Instance } from "../rental/instances/index.ts";

export interface Jupyter {
  readonly token: string;
  readonly url: string;
}

const none: Jupyter = { token: "", url: "" };

/** Empty without a template, and until the instance has an address. */
export function jupyterOf(instance: Instance, template: string | undefined): Jupyter {
  if (template === undefined || template.includes("{token}") || instance.ip === null) return none;
  const { id, hostname, ip } = instance;
  return { token: "", url: template.replaceAll("{id}", id).replaceAll("{hostname}", hostname).replaceAll("{ip}", ip) };
}
