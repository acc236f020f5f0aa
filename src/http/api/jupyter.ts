// The Jupyter token and address of an instance: the token is the instance's own, the address comes from the operator's
// URL template (config `jupyterUrlTemplate`). Source: decisions, Launch. Used by the list of variant M.

import { type Instance, jupyterTokenContext } from "../../rental/instances/instance.ts";
import { seesNotebooks } from "../../rental/people/permits.ts";
import type { Principal } from "../../rental/service.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";

export interface Jupyter {
  readonly token: string;
  readonly url: string;
}

const none: Jupyter = { token: "", url: "" };

/** For an operation that needs only the right `see`: both empty for a principal without the right to use them. */
export function jupyterFor(principal: Principal, ...of: Parameters<typeof jupyterOf>): Jupyter {
  return seesNotebooks(principal) ? jupyterOf(...of) : none;
}

/** Both empty if the image has no Jupyter or there is no template; no URL until the instance has an address. */
export function jupyterOf(instance: Instance, template: string | undefined, keyRing: KeyRing): Jupyter {
  const { id, hostname, ip, jupyterTokenSealed } = instance;
  if (template === undefined || jupyterTokenSealed === null) return none;
  const token = keyRing.openText(jupyterTokenSealed, jupyterTokenContext(id));
  if (ip === null) return { token, url: "" };
  const values: Record<string, string> = { id, hostname, ip, token };
  return { token, url: template.replaceAll(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder) };
}
