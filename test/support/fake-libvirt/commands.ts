// What each command of virsh does on a fake host, and what it prints with --quiet. Those that the engine uses; another
// one is a bug, never an answer.

import { inside } from "./complain.ts";
import type { FakeHost } from "./fake-host.ts";
import { Words } from "./words.ts";

type Command = (host: FakeHost, words: Words, input: Buffer) => string | Buffer;

const commands: Readonly<Record<string, Command>> = {
  hostname: ({ name }, words) => {
    words.only(0);
    return `${name}\n`;
  },
  capabilities: ({ hardware }, words) => {
    words.only(0);
    return hardware.capabilities();
  },
  freecell: ({ hardware }, words) => {
    words.only(0, "--all");
    return hardware.freeMemory();
  },
  freepages: ({ hardware }, words) => {
    words.only(0, "--all");
    return hardware.freePages();
  },
  "nodedev-list": ({ hardware }, words) => {
    words.only(1, "--cap");
    return hardware.deviceNames();
  },
  "nodedev-dumpxml": ({ hardware }, words) => {
    words.only(1);
    return hardware.deviceXml(words.at(0));
  },

  "pool-dumpxml": ({ storage }, words) => {
    words.only(1);
    return storage.poolXml(words.at(0));
  },
  "pool-create": ({ storage }, words, input) => {
    words.only(1, "--build");
    words.readsInput(0);
    inside("Failed to create pool from /dev/stdin", () => storage.createPool(input.toString(), words.has("--build")));
    return "";
  },
  "pool-destroy": ({ storage }, words) => {
    words.only(1);
    storage.removePool(words.at(0));
    return "";
  },
  "pool-refresh": ({ storage }, words) => {
    words.only(1);
    storage.refresh(words.at(0));
    return "";
  },
  "vol-list": ({ storage }, words) => {
    words.only(1);
    const { path } = storage.pool(words.at(0));
    const names = storage.names(words.at(0));
    const width = Math.max(...names.map((name) => name.length));
    return names.map((name) => ` ${name.padEnd(width)}   ${path}/${name}\n`).join("");
  },
  "vol-create": ({ storage }, words, input) => {
    words.only(2);
    words.readsInput(1);
    storage.pool(words.at(0));
    inside("Failed to create vol from /dev/stdin", () => storage.create(words.at(0), input.toString()));
    return "";
  },
  "vol-upload": ({ storage }, words, input) => {
    words.only(2, "--pool", "--offset", "--length");
    words.readsInput(1);
    const offset = words.number("--offset") ?? 0;
    storage.upload(words.option("--pool") ?? "", words.at(0), input.subarray(0, words.number("--length")), offset);
    return "";
  },
  "vol-download": ({ storage }, words) => {
    words.only(2, "--pool", "--offset", "--length");
    words.writesOutput(1);
    const offset = words.number("--offset") ?? 0;
    return storage.download(words.option("--pool") ?? "", words.at(0), offset, words.number("--length"));
  },
  "vol-dumpxml": ({ storage }, words) => {
    words.only(1, "--pool");
    return storage.volumeXml(words.option("--pool") ?? "", words.at(0));
  },
  "vol-delete": ({ storage }, words) => {
    words.only(1, "--pool");
    storage.delete(words.option("--pool") ?? "", words.at(0));
    return "";
  },

  define: ({ domains }, words, input) => {
    words.only(1);
    words.readsInput(0);
    inside("Failed to define domain from /dev/stdin", () => domains.define(input.toString()));
    return "";
  },
  create: ({ domains }, words, input) => {
    words.only(1);
    words.readsInput(0);
    inside("Failed to create domain from /dev/stdin", () => domains.create(input.toString()));
    return "";
  },
  undefine: ({ domains }, words) => {
    words.only(1, "--nvram", "--managed-save", "--snapshots-metadata", "--checkpoints-metadata");
    domains.undefine(words.at(0));
    return "";
  },
  start: ({ domains }, words) => {
    words.only(1);
    domains.start(words.at(0));
    return "";
  },
  shutdown: ({ domains }, words) => {
    words.only(1, "--mode");
    domains.shutdown(words.at(0));
    return "";
  },
  destroy: ({ domains }, words) => {
    words.only(1);
    domains.destroy(words.at(0));
    return "";
  },
  domstate: ({ domains }, words) => {
    words.only(1, "--reason");
    const state = domains.state(words.at(0));
    return `${words.has("--reason") ? state : state.replace(/ \(.*/, "")}\n`;
  },
  dumpxml: ({ domains }, words) => {
    words.only(1, "--inactive");
    return domains.xml(words.at(0), words.has("--inactive"));
  },
  domstats: ({ domains }, words) => {
    words.only(0, "--raw", "--state", "--nowait");
    return domains.states();
  },
  list: ({ domains }, words) => {
    words.only(0, "--all", "--name", "--uuid");
    if (!words.has("--all") || !words.has("--name"))
      throw new Error("BUG: the fake does not know this form of virsh list");
    return domains
      .all()
      .map(({ name, uuid }) => `${words.has("--uuid") ? `${uuid} ` : ""}${name}\n`)
      .join("");
  },

  "nwfilter-define": ({ filters }, words, input) => {
    words.only(1);
    words.readsInput(0);
    inside("Failed to define network filter from /dev/stdin", () => filters.define(input.toString()));
    return "";
  },
  "nwfilter-undefine": ({ filters, domains }, words) => {
    words.only(1);
    const cards = domains.all().flatMap(({ running }) => running?.description.cards ?? []);
    filters.undefine(
      words.at(0),
      cards.flatMap(({ filter }) => filter ?? []),
    );
    return "";
  },
  "nwfilter-dumpxml": ({ filters }, words) => {
    words.only(1);
    return filters.xml(words.at(0));
  },
  "nwfilter-list": ({ filters }, words) => {
    words.only(0);
    return filters.list();
  },

  "net-list": ({ networks }, words) => {
    words.only(0, "--name");
    return networks.names.map((name) => `${name}\n`).join("");
  },
  "net-dumpxml": ({ networks, domains }, words) => {
    words.only(1);
    return networks.xml(words.at(0), domains.connections(words.at(0)));
  },
  "net-dhcp-leases": ({ networks }, words) => {
    words.only(1);
    return networks.leases(words.at(0));
  },
  "net-update": ({ networks }, words) => {
    words.only(4, "--live", "--config");
    if (words.at(2) !== "ip-dhcp-host") throw new Error(`BUG: the fake does not know net-update ${words.at(2)}`);
    networks.update(words.at(0), words.at(1), words.at(3));
    return "";
  },
};

/** Runs one command to its end. Throws VirshError, and "BUG: …" for what the fake does not know. */
export function runCommand(host: FakeHost, args: readonly string[], input: string | Uint8Array): Buffer {
  const words = new Words(args);
  const command = Object.hasOwn(commands, words.command) ? commands[words.command] : undefined;
  if (command === undefined) throw new Error(`BUG: the fake does not know virsh ${words.command}`);
  return Buffer.from(command(host, words, Buffer.from(input)));
}
