// Whether machines get a network: a network of libvirt that assigns addresses, also after a host restart, and from
// where machines can be reached on it.

import { type Finding, ok, problem, warning } from "../../check/finding.ts";
import { addressCount } from "../addresses.ts";
import { unless } from "../virsh/virsh-error.ts";
import { readOne, type XmlNode } from "../xml/read.ts";
import { commandAt, fieldIn, on, type Subject } from "./subject.ts";

/** Few addresses are soon used up: each machine keeps its own until it is removed. */
const FEW_ADDRESSES = 16;

export async function* checkNetwork({ place }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { virsh, settings } = place;
  const { network } = settings;
  const what = on(place, "network");
  const at = (...words: string[]) => commandAt(place, ...words);
  const info = await unless("noSuchNetwork", virsh.call(["net-info", network], { signal }));
  if (info === undefined) {
    return yield problem(
      what,
      `the network ${network} does not exist`,
      `describe it in a file, then ${at("net-define", "network.xml")} && ${at("net-start", network)} && ` +
        `${at("net-autostart", network)}; or correct network`,
    );
  }
  if (fieldIn(info, "Active") !== "yes")
    return yield problem(what, `${network} is not active`, at("net-start", network));
  if (fieldIn(info, "Persistent") === "no") {
    const define = `${at("net-dumpxml", network)} > network.xml && ${at("net-define", "network.xml")}`;
    yield warning(
      what,
      `${network} will not exist after the host restarts`,
      `${define}, and ${at("net-autostart", network)}`,
    );
  } else if (fieldIn(info, "Autostart") !== "yes") {
    yield warning(what, `${network} does not start with the host`, at("net-autostart", network));
  }
  const xml = readOne(await virsh.call(["net-dumpxml", network], { signal }));
  if (xml.one("virtualport") !== undefined) {
    return yield problem(
      what,
      `${network} is on a switch where libvirt neither filters nor isolates machines`,
      "use a network on a bridge of libvirt's own (forward mode route, open or nat)",
    );
  }
  yield* tellAddresses(what, network, xml, `${at("net-edit", network)}, then net-destroy and net-start`);
}

function* tellAddresses(what: string, network: string, xml: XmlNode, edit: string): Generator<Finding> {
  const mode = xml.one("forward")?.attribute("mode") ?? (xml.one("forward") === undefined ? "none" : "nat");
  const [all, taken] = [addressCount(xml), xml.all("ip", "dhcp", "host").length];
  if (all === 0) {
    const own = ["none", "nat", "route", "open"].includes(mode);
    yield problem(
      what,
      own
        ? `${network} assigns no IPv4 addresses by DHCP`
        : `${network} has the forward mode ${mode}, for which libvirt assigns no addresses`,
      own ? `add <dhcp> with a <range> to its <ip>: ${edit}` : "use a network with forward mode route, open or nat",
    );
    return;
  }
  const free = Math.max(all - taken, 0);
  const addresses = `${free} of ${all} addresses free`;
  if (free === 0) yield problem(what, `${network} has no free address`, `widen the <range> of its DHCP: ${edit}`);
  else if (free < FEW_ADDRESSES) yield warning(what, `${network} has only ${addresses}`, `widen the <range>: ${edit}`);
  const subnet = subnetOf(xml);
  if (mode === "none") {
    yield problem(
      what,
      `${network} is isolated: machines reach only their host, and only it reaches them; ${addresses}`,
      `give it <forward mode='route'/> (or open, nat): ${edit}`,
    );
  } else if (mode === "nat") {
    yield warning(
      what,
      `${network} uses NAT: machines have outbound connections, but can be reached only from their host; ${addresses}`,
      `for customers, use <forward mode='route'/> with addresses that your routers send to this host: ${edit}; ` +
        "if ports are forwarded to it in another way, keep it, with an ssh_probe command through the host",
    );
  } else {
    const rules = mode === "open" ? ", libvirt setting no firewall rules" : "";
    yield ok(what, `${network}, ${mode}: reachable where ${subnet} is routed to this host${rules}; ${addresses}`);
  }
}

function subnetOf(xml: XmlNode): string {
  const ip = xml.all("ip").find((one) => one.one("dhcp") !== undefined);
  const size = ip?.attribute("prefix") ?? ip?.attribute("netmask");
  return [ip?.attribute("address") ?? "its subnet", ...(size === undefined ? [] : [size])].join("/");
}
