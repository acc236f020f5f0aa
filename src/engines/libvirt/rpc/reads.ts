// The commands of virsh that a host is asked all the time, answered over a connection with the text that virsh prints.
// Pure translation: anything else is left to virsh. Used by linked-virsh.ts.

import { type Connection, procedures } from "./connection.ts";
import { type XdrReader, XdrWriter } from "./xdr.ts";

type Answer = (connection: Connection, signal: AbortSignal) => Promise<string>;

const nothing = new XdrWriter();
const UUID_BYTES = 16;
const MOST_DEVICES = 16_384;
/** VIR_DOMAIN_STATS_STATE, VIR_CONNECT_GET_ALL_DOMAINS_STATS_NOWAIT. */
const stats = { state: 1, noWait: 0x2000_0000 } as const;

/** Undefined: only virsh can. */
export function answerOf(args: readonly string[]): Answer | undefined {
  const [command = "", name, ...more] = args;
  if (name === undefined || more.length > 0) return withoutName.get(args.join(" "));
  const found = withName.get(command);
  return found && !name.startsWith("-") ? (connection, signal) => found(connection, name, signal) : undefined;
}

/** By the whole command. */
const withoutName = new Map<string, Answer>([
  ["hostname", async (connection, signal) => line(await connection.call(procedures.hostname, nothing, signal))],
  ["capabilities", async (connection, signal) => line(await connection.call(procedures.capabilities, nothing, signal))],
  [
    "nodedev-list --cap pci",
    async (connection, signal) => {
      const asked = new XdrWriter().someText("pci").uint(MOST_DEVICES).uint(0);
      const body = await connection.call(procedures.deviceNames, asked, signal);
      // Sorted, as virsh does.
      return body
        .list(() => line(body))
        .sort()
        .join("");
    },
  ],
  [
    "domstats --raw --state --nowait",
    async (connection, signal) => {
      const asked = new XdrWriter().uint(0).uint(stats.state).uint(stats.noWait);
      const body = await connection.call(procedures.domainStats, asked, signal);
      return body.list(() => domainStats(body)).join("");
    },
  ],
]);

type AnswerOfName = (connection: Connection, name: string, signal: AbortSignal) => Promise<string>;

/** By the command; a command of the same name with more words is another one. */
const withName = new Map<string, AnswerOfName>([
  [
    "dumpxml",
    async (connection, name, signal) => {
      const found = await connection.call(procedures.domainByName, new XdrWriter().text(name), signal);
      const asked = new XdrWriter().text(found.text()).fixed(found.fixed(UUID_BYTES)).uint(found.uint()).uint(0);
      return line(await connection.call(procedures.domainXml, asked, signal));
    },
  ],
  [
    "pool-dumpxml",
    async (connection, name, signal) => {
      const found = await connection.call(procedures.poolByName, new XdrWriter().text(name), signal);
      const asked = new XdrWriter().text(found.text()).fixed(found.fixed(UUID_BYTES)).uint(0);
      return line(await connection.call(procedures.poolXml, asked, signal));
    },
  ],
  [
    "pool-refresh",
    async (connection, name, signal) => {
      const found = await connection.call(procedures.poolByName, new XdrWriter().text(name), signal);
      const asked = new XdrWriter().text(found.text()).fixed(found.fixed(UUID_BYTES)).uint(0);
      await connection.call(procedures.refreshPool, asked, signal);
      return "";
    },
  ],
  [
    "nodedev-dumpxml",
    async (connection, name, signal) =>
      line(await connection.call(procedures.deviceXml, new XdrWriter().text(name).uint(0), signal)),
  ],
]);

function domainStats(body: XdrReader): string {
  const name = body.text();
  body.skip(UUID_BYTES + 4);
  const values = body.list(() => `  ${body.text()}=${typedValue(body)}\n`);
  return `Domain: '${name}'\n${values.join("")}`;
}

/** virTypedParameter. */
function typedValue(body: XdrReader): string | number {
  const type = body.uint();
  if (type === 1 || type === 6) return body.int();
  if (type === 2) return body.uint();
  if (type === 7) return body.text();
  // Numbers of 64 bits: none of those that are asked for.
  body.skip(8);
  return "";
}

function line(body: XdrReader): string {
  return `${body.text()}\n`;
}
