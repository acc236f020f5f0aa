// The lab's services: what each runs, and how it shows that it is ready.

import { join } from "node:path";
import { volumeType } from "./configuration/cinder.ts";
import { settingsFiles } from "./configuration/write.ts";
import { startDatabase } from "./databases.ts";
import { type Beating, beatsFromNow } from "./heartbeats.ts";
import { type Bus, controlHost, hosts, type Layout, ports, urlOf } from "./layout.ts";
import {
  answers,
  endProcess,
  type Program,
  processOf,
  python,
  pythonDirectory,
  ready,
  startProcess,
} from "./processes.ts";
import { rabbit } from "./rabbit.ts";

export interface Service {
  readonly name: string;
  start(): void | Promise<void>;
  /** Default: none, it is of use when another says so. */
  readonly ready?: () => boolean | Promise<boolean>;
}

/** All models are there before the first request: two of them at once would see some of them only half configured. */
const neutronMain = [
  "from neutron.cmd.eventlet.server import main",
  "from neutron.db.migration.models import head",
  "from sqlalchemy.orm import configure_mappers",
  "configure_mappers()",
  "main()",
].join("\n");

/** All of them in the order in which they start; what is on another's bus comes after it. */
export function servicesOf(layout: Layout, bus: Bus): readonly Service[] {
  const files = settingsFiles(layout);
  const service = (name: string, program: Program, check?: () => boolean | Promise<boolean>): Service => ({
    name,
    start: () => startProcess(layout, name, program),
    ...(check === undefined ? {} : { ready: check }),
  });
  const http = (name: string, kind: keyof typeof ports, args: readonly string[], env: Record<string, string> = {}) =>
    service(name, { program: python, args, env }, () => answers(`${urlOf(layout, kind)}/`));
  const ours = (file: string) => join(pythonDirectory, file);
  const main = (module: string) => ["-c", `from ${module} import main; main()`];
  const wsgi = (name: "keystone" | "placement", port: number) => [ours("lab_wsgi.py"), name, layout.address, `${port}`];
  const novaSettings = ["--config-file", files.nova];
  const env = { LESSOR_LAB_PCI_HOSTS: hosts.flatMap(({ name, gpus }) => (gpus === "pci" ? [name] : [])).join(",") };
  const beating = (name: string, args: readonly string[], who: readonly Beating[], url?: string): Service => {
    let beats = async () => false;
    return {
      name,
      start: async () => {
        beats = await beatsFromNow(layout, who);
        startProcess(layout, name, { program: python, args, env });
      },
      ready: async () => (url === undefined || (await answers(url))) && (await beats()),
    };
  };
  const novaAlone = (name: string, host: string) => {
    return [ours("lab_nova.py"), name, ...novaSettings, "--config-file", files.host(host)];
  };
  const everyone: Beating[] = [
    `nova-conductor ${controlHost}`,
    `nova-scheduler ${controlHost}`,
    ...hosts.map(({ name }): Beating => `nova-compute ${name}`),
  ];
  const all = [ours("lab_nova_all.py"), controlHost, hosts.map(({ name }) => name).join(","), ...novaSettings];
  const nova =
    bus === "memory"
      ? [beating("nova", all, everyone, `${urlOf(layout, "compute")}/`)]
      : [
          http("nova-api", "compute", novaAlone("api", controlHost)),
          ...(["conductor", "scheduler"] as const).map((name) =>
            beating(`nova-${name}`, novaAlone(name, controlHost), [`nova-${name} ${controlHost}`]),
          ),
          ...hosts.map(({ name }) =>
            beating(`nova-compute-${name}`, novaAlone("compute", name), [`nova-compute ${name}`]),
          ),
        ];
  return [
    { name: "mariadb", start: () => startDatabase(layout) },
    ...(bus === "rabbit" ? [rabbit(layout)] : []),
    http("keystone", "identity", wsgi("keystone", ports.identity)),
    http("placement", "placement", wsgi("placement", ports.placement)),
    http("neutron", "network", ["-c", neutronMain, "--config-file", files.neutron]),
    ...nova,
    http("cinder", "volume", [ours("lab_cinder.py"), volumeType, "--config-file", files.cinder]),
    http("glance", "image", [...main("glance.cmd.api"), "--config-file", files.glance]),
  ];
}

/** Starts all and returns when all are ready. */
export async function startServices(layout: Layout, bus: Bus): Promise<void> {
  const services = servicesOf(layout, bus);
  const called = (...names: string[]) => services.filter(({ name }) => names.includes(name));
  const readyOf = (some: readonly Service[]) => Promise.all(some.map((service) => waitFor(layout, service)));
  // In order, since the others give up on what is not there yet, or wait long before they try again.
  for (const { name } of called("mariadb", "rabbitmq")) await startService(layout, bus, name);
  const early = called("keystone", "placement", "neutron", "glance", "cinder");
  for (const { start } of early) await start();
  await readyOf(called("keystone", "placement"));
  const nova = services.filter(({ name }) => name.startsWith("nova"));
  for (const { start } of nova) await start();
  await readyOf([...early, ...nova]);
}

/** Starts one, unless it runs, and returns when it is ready. */
export async function startService(layout: Layout, bus: Bus, name: string): Promise<void> {
  const service = find(layout, bus, name);
  if (processOf(layout, name) !== undefined) return;
  await service.start();
  await waitFor(layout, service);
}

/** Returns when it is gone. Nothing to do where it does not run. */
export async function endService(layout: Layout, bus: Bus, name: string, signal: "SIGTERM" | "SIGKILL") {
  await endProcess(layout, find(layout, bus, name).name, signal);
}

async function waitFor(layout: Layout, { name, ready: check }: Service): Promise<void> {
  if (check !== undefined) await ready(layout, name, check);
}

function find(layout: Layout, bus: Bus, name: string): Service {
  const services = servicesOf(layout, bus);
  const found = services.find((one) => one.name === name);
  if (found === undefined) {
    throw new Error(`The lab has no service "${name}", but ${services.map((one) => one.name).join(", ")}`);
  }
  return found;
}
