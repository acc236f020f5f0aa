// `lessor top`: what instances use now, as the agents in their guests report it. The columns come from
// rules/guest-metrics.ts.

import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import {
  acrossGpus,
  type GuestMetric,
  guestLines,
  guestMetricNames,
  guestUnits,
  traitsOf,
} from "../../rules/guest-metrics.ts";
import { isReady } from "../../rules/lifecycle.ts";
import { type Instance, instancesOf, newestFirst } from "../instances.ts";
import { type Column, tableLines } from "../output/table.ts";
import { ago } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

interface Options {
  readonly watch: boolean;
  readonly json: boolean;
}

/** One instance with its last values, and with faults of a longer time. */
interface Used {
  readonly instance: Instance;
  readonly metrics: Shape<"InstanceMetrics">;
}

/** Older values say nothing about now. */
const recentMs = 120_000;
/** The service notes a fault that goes on only every 15 minutes (rental/guest-metrics/gpu-faults.ts). */
const recentFaultMs = 20 * 60_000;
/** Requests at once. */
const atOnce = 8;

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("[instances...]", "names, ids, or the beginning of either (default: all that are active)")
    .option("-w, --watch", "show it again every 15 seconds, until Ctrl-C", false)
    .action((words: readonly string[], options: Options) => top(shell, words, options))
    .addHelpText(
      "after",
      `
Shows what the agent in the guest reports, for instances of images with an agent. Of several GPUs: the mean use, the
highest temperature, and all their memory and power. With --watch, --json prints an object per line.`,
    );
  examples(command, {
    "lessor top": "all active instances",
    "lessor top training --watch": "follow one",
    "lessor top --json": "for a program, with each GPU",
  });
}

async function top(shell: Shell, words: readonly string[], { watch, json }: Options): Promise<void> {
  for (;;) {
    const used = await read(shell, words);
    const told = used.map(({ instance, metrics }) => ({ id: instance.id, name: instance.name, ...metrics }));
    if (json && watch) shell.out.line(JSON.stringify(told));
    else if (json) printJson(shell, told);
    else show(shell, used, watch);
    if (!watch) return;
    await sleep(guestLines.everySeconds * 1000);
  }
}

function show({ out }: Shell, used: readonly Used[], isAgain: boolean): void {
  const lines =
    used.length === 0
      ? [out.paint("dim", "No active instance of an image with an agent.")]
      : tableLines(used, columns, out);
  // From the top of an empty screen, so that it stays in its place.
  if (isAgain && out.isTerminal) out.write("\u001b[H\u001b[2J");
  for (const line of lines) out.line(line);
}

async function read(shell: Shell, words: readonly string[]): Promise<Used[]> {
  const client = shell.client();
  const all =
    words.length > 0
      ? await instancesOf(client, words)
      : newestFirst((await client.ask((api) => api.GET("/instances", { params: { query: {} } }))).data);
  const some = all.filter(({ status, metrics }) => metrics && isReady[status]);
  const used: Used[] = [];
  const query = { from: new Date(Date.now() - recentFaultMs).toISOString(), step: guestLines.everySeconds };
  for (let at = 0; at < some.length; at += atOnce) {
    const part = some.slice(at, at + atOnce).map(async (instance) => {
      const params = { path: { id: instance.id }, query };
      const { data } = await client.ask((api) => api.GET("/instances/{id}/metrics", { params }));
      return { instance, metrics: recent(data) };
    });
    used.push(...(await Promise.all(part)));
  }
  return used;
}

/** Only the values of now. */
function recent(metrics: Used["metrics"]): Used["metrics"] {
  const { to, step_seconds: step, series } = metrics;
  const count = Math.ceil(recentMs / 1000 / step);
  const from = new Date(Date.parse(to) - count * step * 1000).toISOString();
  return { ...metrics, from, series: series.map((one) => ({ ...one, values: one.values.slice(-count) })) };
}

/** The last value of a metric; of several GPUs as one. */
function lastOf({ series }: Used["metrics"], metric: GuestMetric): number | undefined {
  const values = series
    .filter((one) => one.metric === metric)
    .flatMap((one) => one.values.findLast((value) => value !== null) ?? []);
  if (values.length === 0) return undefined;
  return traitsOf(metric).of === "gpu" ? acrossGpus(metric, values) : values[0];
}

function textOf(metrics: Used["metrics"], metric: GuestMetric): string | null {
  const { size, unit } = traitsOf(metric);
  const value = lastOf(metrics, metric);
  if (value === undefined) return null;
  const whole = guestMetricNames.find((name) => name === size);
  const most = whole === undefined ? undefined : lastOf(metrics, whole);
  if (most !== undefined && most > 0) return `${Math.round((100 * value) / most)} %`;
  return `${Math.round(value)} ${guestUnits[unit].symbol}`.trimEnd();
}

/** When the last value began. */
function seenAt({ from, step_seconds: step, series }: Used["metrics"]): string | null {
  const last = Math.max(-1, ...series.map(({ values }) => values.findLastIndex((value) => value !== null)));
  return last === -1 ? null : new Date(Date.parse(from) + last * step * 1000).toISOString();
}

const columns: readonly Column<Used>[] = [
  { title: "NAME", of: ({ instance }) => instance.name, colour: () => "bold" },
  ...guestMetricNames.flatMap((metric, at): Column<Used>[] => {
    const { column: title } = traitsOf(metric);
    const of = ({ metrics }: Used) => textOf(metrics, metric);
    return title === undefined ? [] : [{ title, of, align: "right", spare: at + 1 }];
  }),
  {
    title: "FAULTS",
    of: ({ metrics: { faults } }) => faults.map(({ gpu, xid }) => `XID ${xid} of GPU ${gpu}`).join(", ") || null,
    colour: () => "red",
  },
  {
    title: "SEEN",
    of: ({ metrics }) => {
      const at = seenAt(metrics);
      return at === null ? "never" : ago(at);
    },
    align: "right",
  },
];
