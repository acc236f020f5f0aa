// Makes one cluster of the members' daemons: a pool of directories, a bridge for the guests, a profile that has both.

import { join } from "node:path";
import { run } from "../../support/lab/run.ts";
import type { Layout, MemberLayout } from "./layout.ts";

export const pool = "default";
export const guestNetwork = "lxdbr0";
export const httpsPort = 8443;

/** Runs the lxc client against a member's socket; gives its standard output. Throws where it did not end with 0. */
export function lxc(layout: Layout, member: MemberLayout, args: readonly string[], input?: string): Promise<string> {
  const env = { LXD_DIR: member.lxdDir, LXD_CONF: join(layout.directory, "client") };
  return run("lxc", args, input === undefined ? { env } : { env, input });
}

/** `members` as in the layout: the first begins the cluster, the others join it one after the other. */
export async function formCluster(layout: Layout): Promise<void> {
  const [first, ...others] = layout.members;
  if (first === undefined) throw new Error("BUG: a lab without members");
  await preseed(first, {
    config: { "core.https_address": `${first.address}:${httpsPort}` },
    cluster: { server_name: first.name, enabled: true },
  });
  for (const member of others) {
    const said = await lxc(layout, first, ["cluster", "add", member.name, "--quiet"]);
    await preseed(member, {
      cluster: {
        enabled: true,
        server_name: member.name,
        server_address: `${member.address}:${httpsPort}`,
        // The token is on the last line.
        cluster_token: said.trim().split("\n").at(-1),
      },
    });
  }
  await makePoolAndNetwork(layout, first);
}

async function makePoolAndNetwork(layout: Layout, first: MemberLayout): Promise<void> {
  const on = (...args: string[]) => lxc(layout, first, args);
  // First what each member has of its own, then the whole.
  for (const { name } of layout.members) {
    await on("storage", "create", pool, "dir", "--target", name);
    await on("network", "create", guestNetwork, "--target", name);
  }
  await on("storage", "create", pool, "dir");
  await on(
    "network",
    "create",
    guestNetwork,
    `ipv4.address=${layout.guestGateway}`,
    "ipv4.nat=false",
    "ipv6.address=none",
  );
  await on("profile", "device", "add", "default", "root", "disk", "path=/", `pool=${pool}`);
  await on("profile", "device", "add", "default", "eth0", "nic", `network=${guestNetwork}`, "name=eth0");
}

async function preseed(member: MemberLayout, settings: object): Promise<void> {
  // JSON is YAML.
  await run("lxd", ["init", "--preseed"], { env: { LXD_DIR: member.lxdDir }, input: JSON.stringify(settings) });
}
