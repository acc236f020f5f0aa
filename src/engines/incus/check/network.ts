// Whether machines get a network and are isolated on it: by a managed network, where the engine configures isolation,
// or by a profile, where the operator does.

import { type Finding, listed, ok, problem, warning } from "../../check/finding.ts";
import { NetworkDetailAnswer, ProfileAnswer } from "./answers.ts";
import { commandIn, lookUp, type Subject, serving } from "./subject.ts";

export async function* checkNetwork(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { nic } = subject.cluster.settings;
  if (nic.kind === "network") yield* checkManaged(subject, nic.network, signal);
  else yield* checkProfile(subject, nic.profile, signal);
}

async function* checkManaged(subject: Subject, network: string, signal: AbortSignal): AsyncGenerator<Finding> {
  const what = `network ${network}`;
  const path = `/1.0/networks/${encodeURIComponent(network)}`;
  const metadata = await lookUp(subject.cluster, path, signal);
  const create = commandIn(subject, `network create ${network}`);
  if (!NetworkDetailAnswer.Check(metadata)) {
    const each = subject.server.environment.server_clustered ? ", first with --target <member> for each member" : "";
    return yield problem(what, "does not exist", `${create}${each}; or correct network`);
  }
  const { type, managed, config, status, locations } = metadata;
  if (!managed) {
    return yield problem(
      what,
      "is not managed by the cluster, which therefore assigns no addresses and cannot filter",
      `create a managed one (${create}), or use a profile with a NIC on it`,
    );
  }
  if (status !== undefined && status !== "" && status !== "Created") {
    yield problem(what, `is ${status.toLowerCase()}`, commandIn(subject, `network show ${network}`));
  }
  if (subject.server.environment.server_clustered && locations) {
    const missing = serving(subject).filter(({ server_name }) => !locations.includes(server_name));
    if (missing.length > 0) {
      const names = listed(missing.map(({ server_name }) => server_name));
      yield problem(what, `is not created on ${names}`, `${create} --target <member>`);
    }
  }
  const set = (setting: string) => commandIn(subject, `network set ${network} ${setting}`);
  if (Object.keys(config).length === 0) {
    // A certificate that is restricted to a project sees no configuration; machines work all the same.
    return yield ok(what, `${type}; its configuration is hidden from this certificate; the test instance verifies it`);
  }
  if (type === "bridge" || type === "ovn") {
    const faults = addressFaults(type, config);
    for (const { detail, setting } of faults) yield problem(what, detail, set(setting));
    if (faults.length > 0) return;
  }
  if (type === "bridge") {
    const filters = isGiven(config["ipv6.address"]) ? "MAC, IPv4 and IPv6" : "MAC and IPv4";
    const nat = config["ipv4.nat"] === "true" ? "with NAT" : "without NAT";
    yield ok(what, `bridge, ${config["ipv4.address"]} ${nat}; port isolation, ${filters} filtering for each machine`);
  } else {
    yield warning(
      what,
      `is of type ${type}, for which the engine sets neither port isolation nor address filters`,
      "isolate machines with the network's own features (OVN: ACLs), and test it with two machines",
    );
  }
}

/** Problems that prevent machines from getting addresses, or from starting with their filters. */
function addressFaults(type: string, config: Readonly<Record<string, string>>): { detail: string; setting: string }[] {
  const found = [];
  if (!isGiven(config["ipv4.address"])) {
    found.push({ detail: "gives no IPv4 addresses", setting: "ipv4.address=auto" });
  } else if (type === "bridge" && config["ipv4.dhcp"] === "false") {
    found.push({
      detail: "has no DHCP, so IPv4 filtering prevents machines from starting",
      setting: "ipv4.dhcp=true",
    });
  }
  if (type === "bridge" && isGiven(config["ipv6.address"]) && config["ipv6.dhcp"] === "false") {
    found.push({
      detail: "has IPv6 without DHCP, so IPv6 filtering prevents machines from starting",
      setting: "ipv6.dhcp=true (or ipv6.address=none)",
    });
  }
  return found;
}

async function* checkProfile(subject: Subject, profile: string, signal: AbortSignal): AsyncGenerator<Finding> {
  const what = `profile ${profile}`;
  const metadata = await lookUp(subject.cluster, `/1.0/profiles/${encodeURIComponent(profile)}`, signal);
  const add = commandIn(subject, `profile device add ${profile} eth0 nic network=<network> name=eth0`);
  if (!ProfileAnswer.Check(metadata)) {
    return yield problem(
      what,
      "does not exist",
      `${commandIn(subject, `profile create ${profile}`)}, then ${add}; or correct profile`,
    );
  }
  const nics = Object.entries(metadata.devices).filter(([, { type }]) => type === "nic");
  if (nics.length === 0) return yield problem(what, "has no NIC, so machines would have no network", add);
  // The engine reads addresses of these interfaces only.
  const names = nics.map(([device, { name }]) => name ?? device);
  if (!names.some((name) => /^(eth|en)/.test(name))) {
    yield problem(
      what,
      `names its NIC ${listed(names)}, but addresses are read from eth* and en* only`,
      "name it eth0",
    );
  }
  yield ok(what, `has the NIC ${listed(nics.map(([device]) => device))}`);
  const keys = ["security.port_isolation", "security.mac_filtering", "security.ipv4_filtering"];
  for (const [device, config] of nics) {
    const missing = keys.filter((key) => config[key] !== "true");
    if (missing.length === 0) continue;
    yield warning(
      what,
      `its NIC ${device} lacks ${listed(missing)} for isolation; Lessor does not configure NICs of profiles`,
      `if it is on a bridge: ${commandIn(subject, `profile device set ${profile} ${device}`)} ${missing.map((key) => `${key}=true`).join(" ")}`,
    );
  }
}

function isGiven(address: string | undefined): boolean {
  return address !== undefined && address !== "" && address !== "none";
}
