// One machine: how to reach it, what it is and costs, its history, its console and a terminal on it.

import { Alert, Tabs } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useParams, useSearchParams } from "wouter";
import { LessorError, type Shape } from "../../../src/client/index.ts";
import { Copyable, CopyableBlock, NothingToCopy } from "../shared/copyable.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { type Fact, Facts, Figure, Figures } from "../shared/facts.tsx";
import { exactPrice, priceOf } from "../shared/format-money.ts";
import { counted, formatNumber } from "../shared/format-number.ts";
import { Page, PageSkeleton } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";
import { ConsoleLog } from "./console-log.tsx";
import { Cost } from "./cost.tsx";
import { isBilled, pricePerHour } from "./live-cost.ts";
import { MachineActions } from "./machine-actions.tsx";
import { MachineHistory } from "./machine-history.tsx";
import classes from "./machine-page.module.css";
import { MachineState } from "./machine-state.tsx";
import { sshLine } from "./ssh-line.ts";
import { useMachine } from "./use-machines.ts";

type Instance = Shape<"Instance">;

const Terminal = lazy(async () => ({ default: (await import("../terminal/terminal.tsx")).Terminal }));
const back = { href: "/machines", title: "Machines" };

export function MachinePage() {
  const { id = "" } = useParams<{ id: string }>();
  const read = useMachine(id);
  if (read.data === undefined) {
    if (read.error === null) return <PageSkeleton title="Machine" />;
    const gone = read.error instanceof LessorError && [400, 404].includes(read.error.status);
    return (
      <Page title={gone ? "No such machine" : "Machine"} back={back}>
        <ErrorState error={read.error} {...(gone ? {} : { again: () => void read.refetch() })} />
      </Page>
    );
  }
  return <Machine machine={read.data.data} readAt={read.dataUpdatedAt} key={id} />;
}

function Machine({ machine, readAt }: { readonly machine: Instance; readonly readAt: number }) {
  return (
    <Page
      title={machine.name}
      back={back}
      beside={<MachineState machine={machine} inLine />}
      actions={<MachineActions machine={machine} as="buttons" />}
    >
      <div className={classes.stack}>
        <Trouble machine={machine} />
        <Reach machine={machine} />
        <Figures>
          <Figure
            name="Cost so far"
            value={<Cost machine={machine} readAt={readAt} digits={4} />}
            beside={
              isBilled(machine)
                ? "Billed by the second"
                : machine.terminating_at === null
                  ? "Not billed yet"
                  : "Billing has ended"
            }
          />
          <Figure name="Per hour" value={exactPrice(pricePerHour(machine))} beside={couponWords(machine)} />
          <Figure
            name="Type"
            value={machine.instance_type.description || machine.instance_type.name}
            beside={shape(machine)}
          />
        </Figures>
        <Facts facts={factsOf(machine)} />
      </div>
      <Views machine={machine} />
    </Page>
  );
}

/** How to log in. There before it can be done, so that nothing moves when it can. */
function Reach({ machine }: { readonly machine: Instance }) {
  const line = sshLine(machine);
  switch (machine.status) {
    case "active":
      return line === undefined ? null : <CopyableBlock value={line} label="ssh line" />;
    case "booting":
      return <NothingToCopy>The ssh line is here as soon as the machine is active.</NothingToCopy>;
    case "stopping":
    case "stopped":
      return <NothingToCopy>Nobody can log in while it is stopped. It keeps its address.</NothingToCopy>;
    default:
      return null;
  }
}

/** What went wrong, or will end. */
function Trouble({ machine }: { readonly machine: Instance }) {
  const { failure, health, status, expires_at, ended_by } = machine;
  if (failure !== null) {
    return (
      <Alert color="red" title="It could not be kept running">
        {failure.message}
      </Alert>
    );
  }
  if (status === "active" && health === "unreachable") {
    return (
      <Alert color="amber" title="Unreachable">
        The machine runs, but does not answer. Look at its console; it may need to be stopped and restarted.
      </Alert>
    );
  }
  if (ended_by === "spend-limit" || ended_by === "lifetime") {
    return (
      <Alert color="gray" title="Ended by a limit">
        {ended_by === "lifetime"
          ? "Its lifetime was over."
          : "The spend limit of the account, or of the token that launched it, was reached."}
      </Alert>
    );
  }
  if (expires_at !== null && status !== "terminating" && status !== "terminated") {
    return (
      <Alert color="amber" title="It has a lifetime">
        It is terminated <Time at={expires_at} />.
      </Alert>
    );
  }
  return null;
}

function shape({ instance_type: type }: Instance): string {
  const gpus = type.gpus === 0 ? "" : `${counted(type.gpus, "GPU")}, `;
  return `${gpus}${counted(type.vcpus, "vCPU")}, ${formatNumber(type.memory_gib)} GiB, ${formatNumber(type.storage_gb)} GB`;
}

function couponWords({ coupon, instance_type }: Instance): string {
  if (coupon === null) return "List price";
  return `${coupon.discount_percent} % off ${priceOf(instance_type.price_cents_per_hour)} with ${coupon.code}`;
}

function factsOf(machine: Instance): readonly Fact[] {
  const list = (names: readonly string[]) =>
    names.length === 0 ? <span className="soft">none</span> : names.join(", ");
  const mounts = machine.file_system_names.map((name, index) => {
    const mount = machine.file_system_mounts[index]?.mount_point;
    return mount === undefined ? name : `${name} at ${mount}`;
  });
  return [
    {
      name: "Address",
      value:
        machine.ip === null ? <span className="soft">none yet</span> : <Copyable value={machine.ip} label="address" />,
    },
    { name: "Host name", value: <Copyable value={machine.hostname} label="host name" /> },
    { name: "Region", value: `${machine.region.description || machine.region.name} (${machine.region.name})` },
    { name: "Image", value: machine.image.description || machine.image.name },
    { name: "Login user", value: <code>{machine.login_user}</code> },
    { name: "SSH keys", value: list(machine.ssh_key_names) },
    { name: "File systems", value: list(mounts) },
    { name: "Instance type", value: <code>{machine.instance_type.name}</code> },
    { name: "Rented", value: <Time at={machine.created_at} /> },
    { name: "Active since", value: <Time at={machine.active_at} never="not yet" /> },
    ...(machine.terminating_at === null ? [] : [{ name: "Ended", value: <Time at={machine.terminating_at} /> }]),
    { name: "Id", value: <Copyable value={machine.id} label="id" /> },
  ];
}

const views = ["history", "console", "terminal"] as const;

function Views({ machine }: { readonly machine: Instance }) {
  const [search, setSearch] = useSearchParams();
  const chosen = views.find((view) => view === search.get("view")) ?? "history";
  return (
    <Tabs
      className={classes.views ?? ""}
      value={chosen}
      onChange={(view) => setSearch(view === null || view === "history" ? {} : { view }, { replace: true })}
      keepMounted={false}
    >
      <Tabs.List>
        <Tabs.Tab value="history">History</Tabs.Tab>
        <Tabs.Tab value="console">Console log</Tabs.Tab>
        <Tabs.Tab value="terminal">Terminal</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="history" pt="md">
        <MachineHistory id={machine.id} />
      </Tabs.Panel>
      <Tabs.Panel value="console" pt="md">
        <ConsoleLog id={machine.id} />
      </Tabs.Panel>
      <Tabs.Panel value="terminal" pt="md">
        <Suspense fallback={<div className={classes.terminalPlace} aria-busy="true" />}>
          <Terminal machine={machine} />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}
