// Whether the networks of the settings exist and give guests what they need.

import { type Finding, listed, ok, problem, warning } from "../../check/finding.ts";
import { usableOf } from "../network.ts";
import { keepsRules } from "../security-groups.ts";
import { NamedItem, NetworkItem, SubnetItem } from "./answers.ts";
import { called, type Subject } from "./subject.ts";

/** Of a long list, the first ones show whether it is the right project. */
const MOST_NAMED = 10;

export async function* checkNetwork(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { network, floatingNetwork } = subject.region.settings;
  yield* checkGuests(subject, network, signal);
  if (floatingNetwork !== undefined) yield* checkFloating(subject, floatingNetwork, signal);
}

async function* checkGuests(subject: Subject, name: string, signal: AbortSignal): AsyncGenerator<Finding> {
  const what = called(subject, `network ${name}`);
  const [network, other] = await find(subject, name, signal);
  if (network === undefined) return yield await missing(subject, what, signal);
  if (other !== undefined) return yield ambiguous(what);
  const { client } = subject.cloud;
  const { network: place } = subject.region.place;
  const subnets = await client.readAll(place, "/subnets", "subnets", SubnetItem, signal, { network_id: network.id });
  if (subnets.length === 0) {
    return yield problem(
      what,
      "has no subnet",
      `openstack subnet create --network ${name} --subnet-range <cidr> <name>`,
    );
  }
  if (!network.admin_state_up || network.status !== "ACTIVE") {
    yield problem(what, `is ${network.admin_state_up ? network.status.toLowerCase() : "disabled"}`, "enable it");
  }
  if (network.port_security_enabled === false) {
    yield problem(
      what,
      "has no port security: guests can take each other's addresses, and firewall rules do nothing",
      `openstack network set --enable-port-security ${name}`,
    );
  }
  if (!keepsRules(subject.cloud.settings)) {
    yield warning(
      what,
      "is shared by all tenants, whose guests reach each other",
      "set management_networks to the networks from which Lessor reaches guests",
    );
  }
  const [first] = subnets;
  if (first !== undefined && !subnets.some(({ enable_dhcp }) => enable_dhcp)) {
    yield warning(
      what,
      "has no DHCP: guests get their addresses from the config drive, if the image reads it",
      "openstack subnet set --dhcp <subnet>",
    );
  }
  if (!subnets.some(({ gateway_ip }) => (gateway_ip ?? "") !== "")) {
    yield warning(
      what,
      "has no gateway: guests reach nothing outside, and the metadata service only through the DHCP agent",
      "openstack subnet set --gateway <address> <subnet>, or set enable_isolated_metadata for the DHCP agent",
    );
  }
  yield ok(what, `${listed(subnets.map(({ cidr }) => cidr))}; the test instance verifies the metadata service`);
}

async function* checkFloating(subject: Subject, name: string, signal: AbortSignal): AsyncGenerator<Finding> {
  const what = called(subject, `floating network ${name}`);
  const [network, other] = await find(subject, name, signal);
  if (network === undefined) return yield await missing(subject, what, signal);
  if (other !== undefined) return yield ambiguous(what);
  if (network["router:external"] === true) return yield ok(what, "is external");
  yield problem(what, "is not external, so it has no floating addresses", "name an external network, or none");
}

/** As the engine finds it. */
async function find({ cloud: { client }, region }: Subject, name: string, signal: AbortSignal) {
  const read = (query: Readonly<Record<string, string>>) =>
    client.readAll(region.place.network, "/networks", "networks", NetworkItem, signal, query);
  const named = usableOf(await read({ name }), (await client.project(signal)).id);
  return named.length > 0 ? named : await read({ id: name });
}

function ambiguous(what: string): Finding {
  return problem(what, "is the name of several networks, perhaps of other projects", "set the id in regions");
}

async function missing({ cloud: { client }, region }: Subject, what: string, signal: AbortSignal): Promise<Finding> {
  const all = await client.readAll(region.place.network, "/networks", "networks", NetworkItem, signal);
  const names = all.map(({ name }) => name).slice(0, MOST_NAMED);
  return problem(
    what,
    `does not exist, or is not shared with the project, which sees ${listed(names) || "none"}`,
    "correct it in regions, or share it",
  );
}

/** The type of volumes of file systems. */
export async function* checkVolumeType(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { cloud, region } = subject;
  const { volumeType } = region.settings;
  if (volumeType === undefined) return;
  const what = called(subject, `volume type ${volumeType}`);
  const types = await cloud.client.readAll(region.place.volume, "/types", "volume_types", NamedItem, signal);
  if (types.some(({ id, name }) => name === volumeType || id === volumeType)) return yield ok(what, "exists");
  const names = listed(types.map(({ name }) => name));
  yield problem(what, `does not exist; there are ${names || "none"}`, "correct volume_type of the region");
}
