// The lab's network: a bridge on the machine, and for each member a network namespace that a veth pair joins to it.

import type { Grounds, MemberGrounds } from "./grounds.ts";
import { attempt, run } from "./run.ts";

/** Whether anything on the machine stands where this lab's network would be. */
export async function networkIsFree({ bridge, subnet, members }: Grounds): Promise<boolean> {
  const links = await run("ip", ["-o", "link"]);
  const subnets = [subnet, ...members.flatMap(({ guestSubnet }) => guestSubnet ?? [])];
  const routes = await Promise.all(subnets.map((one) => run("ip", ["-4", "route", "show", "root", one])));
  const namespaces = (await run("ip", ["netns", "list"])).split("\n").map((line) => line.split(" ")[0]);
  return (
    routes.join("").trim() === "" &&
    !new RegExp(`\\b${bridge}\\b`).test(links) &&
    !members.some(({ namespace }) => namespaces.includes(namespace))
  );
}

export async function makeNetwork({ bridge, gateway, members }: Grounds): Promise<void> {
  const lines = members.flatMap(({ namespace, veth, address, guestSubnet }) => [
    `netns add ${namespace}`,
    `link add ${veth} type veth peer name eth0 netns ${namespace}`,
    `link set ${veth} master ${bridge} up`,
    ...(guestSubnet === undefined ? [] : [`route add ${guestSubnet} via ${address} dev ${bridge}`]),
  ]);
  await batch([
    `link add ${bridge} type bridge`,
    `address add ${gateway}/24 dev ${bridge}`,
    `link set ${bridge} up`,
    ...lines,
  ]);
  for (const { namespace, address } of members) {
    await batch(
      ["link set lo up", `address add ${address}/24 dev eth0`, "link set eth0 up", `route add default via ${gateway}`],
      ["-n", namespace],
    );
  }
}

/** Removes what there is of it. With its namespaces go the cables, and what the daemons made in them. */
export async function removeNetwork({ bridge, members }: Grounds): Promise<void> {
  for (const { namespace, veth } of members) {
    await attempt("ip", ["netns", "delete", namespace]);
    // The namespace lives on for a moment where a process of it has just ended.
    await attempt("ip", ["link", "delete", veth]);
  }
  await attempt("ip", ["link", "delete", bridge]);
}

/** Cuts a member's cable, or mends it: it runs on, and nobody reaches it or its guests, nor they anybody outside. */
export async function setCable({ veth }: MemberGrounds, state: "up" | "down"): Promise<void> {
  await run("ip", ["link", "set", veth, state]);
}

/** One process for many commands. */
async function batch(lines: readonly string[], options: readonly string[] = []): Promise<void> {
  await run("ip", [...options, "-batch", "-"], { input: `${lines.join("\n")}\n` });
}
