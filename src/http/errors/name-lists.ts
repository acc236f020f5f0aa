// Where clients of each interface find valid names: the one source of suggestions about unknown names. The lambda
// edition, which has no stop, also has its own suggestions for restarts. Used by the error table.

import type { InterfaceName } from "../../config/interfaces.ts";
import { isBooting, isLive, isReady, type State } from "../../rules/lifecycle.ts";

/** A whole suggestion for each kind of object, by its usual name. Other kinds have no list. */
type Lists = Readonly<Partial<Record<string, string>>>;

const listed = (list: string) => `Use one of those that ${list} lists.`;
const control = (list: string) => `${list} of the control interface`;

/** Each lists the regions with its types. */
const offers = (list: string) => ({
  "instance type": listed(list),
  region: `Use one of the regions with capacity, which ${list} lists.`,
});
const keys = { "SSH key": listed("GET /ssh-keys") };
const coupon = { coupon: "Check the coupon code or remove it." };
const otherFileSystems = { "file system": listed(control("GET /file-systems")) };

const lists: Readonly<Record<InterfaceName, Lists>> = {
  marketplace: {
    ...offers("GET /instance-types"),
    ...keys,
    ...otherFileSystems,
    image: `Omit it for the default image, or use one of those that ${control("GET /images")} lists.`,
  },
  direct: { ...offers("GET /gpu-inventory"), ...keys, ...coupon, image: listed("GET /images") },
  reference: { ...offers("GET /instance-types"), ...keys, ...otherFileSystems },
  lambda: {
    region: listed("GET /regions"),
    "instance type": listed("GET /instance-types"),
    ...keys,
    "file system": listed("GET /file-systems"),
    image: listed("GET /images"),
    "image family": listed("GET /images"),
    "firewall ruleset": listed("GET /firewall-rulesets"),
    instance: listed("GET /instances"),
  },
  control: {
    // GET /regions needs the scope operator; GET /offers has the same regions once there are instance types.
    region: listed("GET /offers or, for operators, GET /regions"),
    "instance type": listed("GET /offers"),
    ...keys,
    ...coupon,
    "file system": listed("GET /file-systems"),
    image: listed("GET /images"),
    "firewall ruleset": listed("GET /firewall-rulesets"),
  },
};

/** The suggestion for an unknown name of this kind. Undefined `of`: no interface. */
export function listSuggestion(what: string, of: InterfaceName | undefined): string {
  return (of === undefined ? undefined : lists[of][what]) ?? "Check the name.";
}

/** The suggestion for an instance that cannot be restarted in this state. The lambda edition has no stop. */
export function restartSuggestion(state: State): string {
  if (isReady[state])
    return "Shut it down from inside, then restart it when GET /instances/{id} shows it as unhealthy.";
  if (isBooting[state]) return "It is already starting. Wait until GET /instances/{id} shows it as active.";
  if (isLive[state]) return "Restart it when GET /instances/{id} shows it as unhealthy.";
  return "Launch another instance with POST /instance-operations/launch.";
}
