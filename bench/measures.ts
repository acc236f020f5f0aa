// All measures and their targets in one table. The command line's `--only`, the printed lines, the lines of `--json`
// and RESULTS.md are made from it.
//
// A measure has one or more parts, each with its own target; the one furthest from its target determines the verdict
// (verdict.ts). A ratio is a median of pairs that were measured side by side, never of two different runs.

/** Whether larger or smaller figures are better. */
export type Direction = "at least" | "at most";

export type Unit = "ratio" | "ms" | "s" | "% of a core" | "queries/s" | "requests" | "requests/min" | "MB" | "%";

export interface Part {
  readonly unit: Unit;
  readonly direction: Direction;
  readonly reach: number;
}

export interface Measure {
  /** What is measured, and against what. */
  readonly what: string;
  /** Whether it needs the large dataset (10,000 hosts); `bench:scale` runs these. */
  readonly large: boolean;
  /** By name; the only part of a measure is named "". */
  readonly parts: Readonly<Record<string, Part>>;
}

const atLeast = (reach: number, unit: Unit = "ratio"): Part => ({ unit, direction: "at least", reach });
const atMost = (reach: number, unit: Unit): Part => ({ unit, direction: "at most", reach });

export const measures = {
  list: {
    what: "GET /instances of M (20 instances), 50 connections, against bare node:http with the same bytes, and against the usual service: Fastify and pg, written in a day",
    large: false,
    parts: { bare: atLeast(0.65), usual: atLeast(10) },
  },
  types: {
    what: "the listing of instance types of each variant, 10,000 hosts, against bare node:http with the same bytes; that of M against the usual service too",
    large: true,
    parts: { M: atLeast(0.65), D: atLeast(0.65), R: atLeast(0.65), usual: atLeast(10) },
  },
  read: {
    what: "GET /instances/{uuid} of M against bare node:http with the same bytes, and against the usual service",
    large: false,
    parts: { bare: atLeast(0.7), usual: atLeast(10) },
  },
  launch: {
    what: "launches with an Idempotency-Key, 50 connections, with an engine that is a process of its own and answers at once, against the bare launch floor (node:http and one SQL statement); the reconciler runs beside it",
    large: false,
    parts: { floor: atLeast(0.45), p99: atMost(40, "ms") },
  },
  "launch-placement": {
    what: "the same launches against reservations of OpenStack Placement on the same PostgreSQL",
    large: false,
    parts: { "": atLeast(30) },
  },
  "launch-all": {
    what: "launches with the simulated engine, whose machines are rows of the same database, against the bare launch floor; it was 0.21 at d617123",
    large: false,
    parts: { "": atLeast(0.42) },
  },
  storm: {
    what: "1,000 launches sent at once until all instances are active, with an engine that boots in no time; the waits of other requests meanwhile",
    large: false,
    parts: { "all active": atMost(1, "s"), "others, p99": atMost(100, "ms") },
  },
  hot: {
    what: "launches all for one product in one region against launches spread over products and regions",
    large: false,
    parts: { "": atLeast(0.5) },
  },
  scale: {
    what: "time of a launch with 10,000 hosts and 100,000 instances against 100 hosts and 1,000 instances",
    large: true,
    parts: { p50: atMost(1.3, "ratio"), p99: atMost(1.3, "ratio") },
  },
  dispatch: {
    what: "from the commit of a launch to the call of the engine",
    large: false,
    parts: { p50: atMost(5, "ms"), p99: atMost(25, "ms") },
  },
  handover: {
    what: "a GPU between two tenants, with a reset and a validation that take no time: from the end of the instance until it is offered again",
    large: false,
    parts: { p50: atMost(50, "ms"), p99: atMost(250, "ms") },
  },
  waiting: {
    what: "10,000 launches that wait: from the commit that frees a GPU to the commit that places the head of its line; and what they cost at rest, the CPU of the server and of PostgreSQL beyond that of the same service without them",
    large: true,
    parts: { p50: atMost(20, "ms"), p99: atMost(100, "ms"), "at rest": atMost(1, "% of a core") },
  },
  event: {
    what: "from the commit of an event to a stream's reader, to a webhook's target and to the console's screen, with 1,000 open streams",
    large: false,
    parts: { "stream, p99": atMost(30, "ms"), "webhook, p99": atMost(100, "ms"), "screen, p99": atMost(150, "ms") },
  },
  rest: {
    what: "an idle server, clean, and with 100,000 instances and a year of work behind it: its CPU, its resident memory, its queries",
    large: true,
    parts: {
      "clean, CPU": atMost(0.5, "% of a core"),
      "clean, memory": atMost(150, "MB"),
      CPU: atMost(0.5, "% of a core"),
      memory: atMost(150, "MB"),
      queries: atMost(5, "queries/s"),
    },
  },
  hosts: {
    what: "1,000 libvirt hosts at rest, each over a connection of its own, all watched and resynced: the CPU and memory of the server and its helper processes",
    large: true,
    parts: { CPU: atMost(20, "% of a core"), memory: atMost(1000, "MB") },
  },
  flapping: {
    what: "1,000 libvirt hosts, 50 of which lose their connection and get it again all the time: the CPU and memory of the server and its helper processes, and the longest time until a change is seen",
    large: true,
    parts: { CPU: atMost(20, "% of a core"), memory: atMost(1000, "MB"), seen: atMost(5, "s") },
  },
  openstack: {
    what: "2,000 instances on 250 hosts in a cloud of OpenStack, with the default settings: a full resync, the longest the event loop was blocked by it, and its requests; the server at rest: its CPU, its resident memory, and all requests to the cloud",
    large: true,
    parts: {
      resync: atMost(15, "s"),
      blocked: atMost(50, "ms"),
      "requests of a resync": atMost(15, "requests"),
      CPU: atMost(3, "% of a core"),
      memory: atMost(300, "MB"),
      "API calls": atMost(60, "requests/min"),
    },
  },
  sweep: {
    what: "a full sweep of an engine with 100,000 instances, and the longest the event loop was blocked by it",
    large: true,
    parts: { duration: atMost(2, "s"), blocked: atMost(50, "ms") },
  },
  metrics: {
    what: "metrics of 10,000 instances with a GPU each, a sample each 15 s: the CPU of the server and of PostgreSQL for it, an hour of samples with what makes older ones coarser; and their room on disk when all levels are full",
    large: true,
    parts: {
      server: atMost(5, "% of a core"),
      database: atMost(10, "% of a core"),
      // The budget of an instance (docs/reference/guest-metrics.md), ten thousand times.
      disk: atMost(2620, "MB"),
    },
  },
  start: {
    what: "npm start to the first answered request: on existing data, and the first start ever",
    large: false,
    parts: { existing: atMost(1.5, "s"), first: atMost(3, "s") },
  },
  packing: {
    what: "placement in memory: sold of what instances that can be moved would sell (100 hosts × 8 GPUs, load 0.9), launches of 8 GPUs refused, launches of 2 and 4 GPUs split over NUMA nodes; what is sold more if launches that do not fit wait, and if spot instances use the rest; openb trace against an upper bound of the offline optimum",
    large: false,
    parts: {
      sold: atLeast(98.5, "%"),
      "refused, 8 GPUs": atMost(6.5, "%"),
      "split over NUMA nodes": atMost(3, "%"),
      "by waiting": atLeast(1.5, "%"),
      "by waiting and spot": atLeast(8, "%"),
      openb: atLeast(98.5, "%"),
    },
  },
  size: {
    what: "space on disk, as du counts it: node_modules after npm ci, and an installation of the package that npm pack makes",
    large: false,
    parts: { "npm ci": atMost(520, "MB"), packed: atMost(100, "MB") },
  },
  million: {
    what: "1,000,000 instances on 100,000 hosts against 1,000 on 100: times of a launch, of the list of an account with 20 instances, and of a page of the fleet; start on existing data, full resync and resident memory of the million",
    large: true,
    parts: {
      launch: atMost(1.3, "ratio"),
      list: atMost(1.3, "ratio"),
      "fleet page": atMost(1.3, "ratio"),
      start: atMost(3, "s"),
      // Ten times the instances of `sweep`, ten times its target.
      resync: atMost(20, "s"),
      memory: atMost(600, "MB"),
    },
  },
  console: {
    what: "10,000 instances of an account and 10,000 hosts of the fleet in a browser at 4 × CPU throttling: until the page can be used, a click on a column's head, the last key of a filter, a change from its commit until it is seen; the worse of the two pages",
    large: true,
    parts: {
      interactive: atMost(1, "s"),
      sort: atMost(100, "ms"),
      filter: atMost(100, "ms"),
      "live change": atMost(150, "ms"),
    },
  },
  workers: {
    what: "two workers against one",
    large: false,
    parts: { reads: atLeast(1.5), launches: atLeast(1.5) },
  },
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof measures;

export const measureNames = Object.keys(measures) as MeasureName[];

/** The table's row, without the literal types of its own parts. */
export function measureOf(name: MeasureName): Measure {
  return measures[name];
}

export function isMeasureName(text: string): text is MeasureName {
  return Object.hasOwn(measures, text);
}
