// `workers`: two workers of the service against one (without workers, two replicas on one database), alternating, reads
// and launches. The machine's idle time is reported: with the generator beside them, two have less than two cores.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Bench, Stage } from "../bench.ts";
import { interleave } from "../interleave.ts";
import { watchIdle } from "../machine.ts";
import { shown } from "../output.ts";
import { Replica } from "../service/replica.ts";
import { program } from "../service/service.ts";
import { type Figure, median, ratioOf } from "../statistics.ts";
import type { Outcome } from "../verdict.ts";
import { get, marketplace } from "../worlds/customers.ts";
import { CONNECTIONS } from "./against-peers.ts";
import { launchRound, spreadOnMain } from "./launching.ts";
import { principalWith } from "./principal-with.ts";

interface Compared {
  readonly ratio: Figure;
  readonly note: string;
}

/** How to run one worker, and two. */
interface Modes {
  readonly how: string;
  /** Whether each is a new process, which must warm up first. */
  readonly isFresh: boolean;
  /** Both return the ports to send to. */
  one(): Promise<readonly number[]>;
  two(): Promise<readonly number[]>;
  /** Restores the previous state. */
  end(): Promise<void>;
}

export async function workers(bench: Bench): Promise<Outcome> {
  const stage = await bench.stage("main");
  const { customer } = await principalWith(bench, 20);
  const modes = (await knowsWorkers()) ? byOption(stage) : await byReplica(stage);
  const { generator, effort } = bench;
  const requests = [get(`${marketplace}/instances`, customer)];
  const orders = spreadOnMain(stage.customers);
  try {
    const reads = await compared(modes, effort.rounds, "reads", async (ports, counts) => {
      const seconds = counts ? effort.readSeconds : effort.warmUpSeconds;
      return (await generator.run({ ports, requests, connections: CONNECTIONS, seconds })).rate;
    });
    const launches = await compared(modes, effort.rounds, "launches", async (ports, counts) => {
      return (await launchRound(bench, stage, orders, counts, ports)).rate;
    });
    return {
      name: "workers",
      figures: { reads: reads.ratio, launches: launches.ratio },
      notes: [modes.how, reads.note, launches.note],
    };
  } finally {
    await modes.end();
  }
}

async function knowsWorkers(): Promise<boolean> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, "serve", "--help"]);
  return stdout.includes("--workers");
}

/** Each side starts the service. */
function byOption({ service }: Stage): Modes {
  const withWorkers = async (count: string) => {
    await service.restart(["--workers", count]);
    return [service.ports.main];
  };
  return {
    how: "lessor serve --workers 2 against --workers 1",
    isFresh: true,
    one: () => withWorkers("1"),
    two: () => withWorkers("2"),
    end: () => service.restart([]),
  };
}

async function byReplica({ service }: Stage): Promise<Modes> {
  const replica = await Replica.start(service);
  return {
    how: "two servers on one database against one: this lessor has no --workers",
    isFresh: false,
    one: async () => {
      replica.pause();
      return [service.ports.main];
    },
    two: async () => {
      await replica.resume();
      return [service.ports.main, replica.port];
    },
    end: () => replica[Symbol.asyncDispose](),
  };
}

async function compared(
  modes: Modes,
  rounds: number,
  what: string,
  round: (ports: readonly number[], counts: boolean) => Promise<number>,
): Promise<Compared> {
  const idle: Record<"one" | "two", number[]> = { one: [], two: [] };
  const side = (name: "one" | "two") => async (counts: boolean) => {
    const ports = await modes[name]();
    if (counts && modes.isFresh) await round(ports, false);
    const idleSince = watchIdle();
    const rate = await round(ports, counts);
    if (counts) idle[name].push(idleSince());
    return rate;
  };
  const rates = await interleave({ two: side("two"), one: side("one") }, rounds);
  const left = (name: "one" | "two") => `${Math.round(100 * median(idle[name]))} %`;
  return {
    ratio: ratioOf(rates.two, rates.one),
    note: `${what}: ${shown(median(rates.two))}/s of two against ${shown(median(rates.one))}/s of one; of the machine ${left("two")} and ${left("one")} were left`,
  };
}
