// One instance: how to log in, its properties and cost, its history, its console and a terminal.

import { Alert, Tabs } from "@mantine/core";
import { Suspense } from "react";
import { useParams, useSearchParams } from "wouter";
import { LessorError, type Shape } from "../../../src/client/client.ts";
import { isBooting, isReady } from "../../../src/rules/lifecycle.ts";
import { useSession } from "../api/session-context.tsx";
import { ReservationName } from "../reservations/reservation-name.tsx";
import { Concealed } from "../shared/concealed.tsx";
import { Copyable, CopyableBlock, NothingToCopy } from "../shared/copyable.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { type Fact, Facts, Figure, Figures } from "../shared/facts.tsx";
import { dollars, exactPrice, priceOf } from "../shared/format-money.ts";
import { counted, formatNumber } from "../shared/format-number.ts";
import { span } from "../shared/format-time.ts";
import { lazyPart } from "../shared/lazy-part.ts";
import { regionTitle, typeTitle } from "../shared/names.tsx";
import { Page, PageSkeleton } from "../shared/page.tsx";
import { nameShown } from "../shared/readable-name.ts";
import { Time } from "../shared/time.tsx";
import { ConsoleLog } from "./console-log.tsx";
import { Cost } from "./cost.tsx";
import { idleRuleWords } from "./idle-rule-inputs.tsx";
import { InstanceActions } from "./instance-actions.tsx";
import { InstanceHistory } from "./instance-history.tsx";
import classes from "./instance-page.module.css";
import { InstanceState, isUnreachable } from "./instance-state.tsx";
import { hasEnded, isBilled, pricePerHour } from "./live-cost.ts";
import { MaintenanceNotes } from "./maintenance-notes.tsx";
import { MetricsView } from "./metrics/metrics-view.tsx";
import { EvictionNote, SpotBadge } from "./spot.tsx";
import { sshLine } from "./ssh-line.ts";
import { TagList } from "./tag-list.tsx";
import { useInstance } from "./use-instances.ts";

type Instance = Shape<"Instance">;

const Terminal = lazyPart(async () => (await import("../terminal/terminal.tsx")).Terminal);
const back = { href: "/instances", title: "Instances" };

export function InstancePage() {
  const { id = "" } = useParams<{ id: string }>();
  const read = useInstance(id);
  if (read.data === undefined) {
    if (read.error === null) return <PageSkeleton title="Instance" />;
    const gone = read.error instanceof LessorError && [400, 404].includes(read.error.status);
    return (
      <Page title={gone ? "Instance not found" : "Instance"} back={back}>
        <ErrorState error={read.error} {...(gone ? {} : { again: () => void read.refetch() })} />
      </Page>
    );
  }
  return <Instance instance={read.data.data} readAt={read.dataUpdatedAt} key={id} />;
}

function Instance({ instance, readAt }: { readonly instance: Instance; readonly readAt: number }) {
  return (
    <Page
      title={nameShown(instance)}
      back={back}
      beside={
        <>
          <InstanceState instance={instance} inLine /> <SpotBadge isSpot={instance.spot} />
        </>
      }
      actions={<InstanceActions instance={instance} as="buttons" />}
    >
      <div className={classes.stack}>
        <Trouble instance={instance} />
        <EvictionNote instance={instance} />
        <MaintenanceNotes instances={[instance]} />
        <Reach instance={instance} />
        <Figures>
          <Figure
            name="Cost so far"
            value={<Cost instance={instance} readAt={readAt} digits={4} />}
            beside={
              isBilled(instance)
                ? "Billed by the second"
                : instance.terminating_at === null
                  ? "Not billed yet"
                  : "Billing has ended"
            }
          />
          <Figure name="Per hour" value={exactPrice(pricePerHour(instance))} beside={couponWords(instance)} />
          <Figure name="Type" value={typeTitle(instance.instance_type)} beside={shape(instance)} />
        </Figures>
        <Facts facts={factsOf(instance)} />
      </div>
      <Views instance={instance} />
    </Page>
  );
}

/** How to log in. Shown before it is possible, so that nothing moves later. */
function Reach({ instance }: { readonly instance: Instance }) {
  const line = sshLine(instance);
  if (hasEnded(instance)) return null;
  if (instance.simulated)
    return <NothingToCopy>Simulated: its address does not respond, so there is no SSH login.</NothingToCopy>;
  if (instance.login === "none")
    return <NothingToCopy>No SSH login: it has no SSH key and no password. Use the terminal below.</NothingToCopy>;
  if (isReady[instance.status]) return line === undefined ? null : <CopyableBlock value={line} label="ssh line" />;
  if (isBooting[instance.status])
    return <NothingToCopy>The ssh line appears when the instance is active.</NothingToCopy>;
  return <NothingToCopy>You can't log in while it is stopped. It keeps its address.</NothingToCopy>;
}

/** Shown to those who may log in. */
function Password({ instance: { password } }: { readonly instance: Instance }) {
  const { lack } = useSession();
  if (password === undefined) return <span className="soft">{lack("rent") ?? "not shown"}</span>;
  return password === null ? <span className="soft">none</span> : <Concealed value={password} label="password" />;
}

/** A failure, or a lifetime that ends. */
function Trouble({ instance }: { readonly instance: Instance }) {
  const { failure, expires_at, ended_by } = instance;
  if (failure !== null) {
    return (
      <Alert color="red" title="Instance failed">
        {failure.message}
      </Alert>
    );
  }
  if (isUnreachable(instance)) {
    return (
      <Alert color="amber" title="Unreachable">
        Its host does not respond. It is usable again as soon as its host is; you don't need to do anything. Time that
        is not billed appears as downtime.
      </Alert>
    );
  }
  if (ended_by === "idle") {
    return (
      <Alert color="gray" title="Ended by its idle rule">
        Its GPUs were not used.
      </Alert>
    );
  }
  if (ended_by === "spend-limit" || ended_by === "lifetime") {
    return (
      <Alert color="gray" title="Ended by a limit">
        {ended_by === "lifetime"
          ? instance.reservation_id === null
            ? "Its lifetime ended."
            : "Its lifetime, or the reservation that paid for it, ended."
          : "The spend limit of the account, or of the token that launched it, was reached."}
      </Alert>
    );
  }
  if (expires_at !== null && !hasEnded(instance)) {
    return (
      <Alert color="amber" title="Limited lifetime">
        It will be terminated <Time at={expires_at} />.
      </Alert>
    );
  }
  return null;
}

function shape({ instance_type: type }: Instance): string {
  const gpus = type.gpus === 0 ? "" : `${counted(type.gpus, "GPU")}, `;
  return `${gpus}${counted(type.vcpus, "vCPU")}, ${formatNumber(type.memory_gib)} GiB, ${formatNumber(type.storage_gb)} GB`;
}

function couponWords({ coupon, instance_type, spot }: Instance): string {
  if (coupon === null) return spot ? "Spot price" : "List price";
  return `${coupon.discount_percent} % off ${priceOf(instance_type.price_cents_per_hour)} with ${coupon.code}`;
}

function downtimeWords(instance: Instance): string {
  const { downtime_seconds: seconds, credit_micro_cents: credit, availability_percent: percent } = instance;
  const bill = credit === "0" ? "not billed" : `credited ${dollars(BigInt(credit))}`;
  const availability = percent === null ? "" : `; availability ${formatNumber(percent, 3)} %`;
  return `${span(seconds)}, because its host was unreachable or in maintenance; ${bill}${availability}`;
}

function factsOf(instance: Instance): readonly Fact[] {
  const list = (names: readonly string[]) =>
    names.length === 0 ? <span className="soft">none</span> : names.join(", ");
  const mounts = instance.file_system_names.map((name, index) => {
    const mount = instance.file_system_mounts[index]?.mount_point;
    return mount === undefined ? name : `${name} at ${mount}`;
  });
  return [
    {
      name: "Address",
      value:
        instance.ip === null ? (
          <span className="soft">none yet</span>
        ) : (
          <Copyable value={instance.ip} label="address" />
        ),
    },
    { name: "Host name", value: <Copyable value={instance.hostname} label="host name" /> },
    { name: "Region", value: regionTitle(instance.region) },
    { name: "Image", value: instance.image.description || instance.image.name },
    { name: "Login user", value: <code>{instance.login_user}</code> },
    ...((instance.login === "password" || instance.password != null) && !hasEnded(instance)
      ? [{ name: "Password", value: <Password instance={instance} /> }]
      : []),
    ...(instance.downtime_seconds === 0 ? [] : [{ name: "Downtime", value: downtimeWords(instance) }]),
    ...(instance.downtime_seconds === 0 && instance.credit_micro_cents !== "0"
      ? [{ name: "Credit", value: dollars(BigInt(instance.credit_micro_cents)) }]
      : []),
    { name: "SSH keys", value: list(instance.ssh_key_names) },
    { name: "File systems", value: list(mounts) },
    { name: "Tags", value: instance.tags.length === 0 ? list([]) : <TagList tags={instance.tags} /> },
    ...(instance.idle_rule === null ? [] : [{ name: "Idle rule", value: idleRuleWords(instance.idle_rule) }]),
    ...(instance.reservation_id === null
      ? []
      : [{ name: "Reservation", value: <ReservationName id={instance.reservation_id} /> }]),
    { name: "Instance type", value: <code>{instance.instance_type.name}</code> },
    { name: "Launched", value: <Time at={instance.created_at} /> },
    { name: "Active since", value: <Time at={instance.active_at} never="not yet" /> },
    ...(instance.terminating_at === null ? [] : [{ name: "Ended", value: <Time at={instance.terminating_at} /> }]),
    { name: "Id", value: <Copyable value={instance.id} label="id" /> },
  ];
}

const views = ["history", "metrics", "console", "terminal"] as const;

function Views({ instance }: { readonly instance: Instance }) {
  const [search, setSearch] = useSearchParams();
  const asked = views.find((view) => view === search.get("view")) ?? "history";
  const chosen = asked === "metrics" && !instance.metrics ? "history" : asked;
  return (
    <Tabs
      className={classes.views ?? ""}
      value={chosen}
      onChange={(view) => setSearch(view === null || view === "history" ? {} : { view }, { replace: true })}
      keepMounted={false}
    >
      <Tabs.List>
        <Tabs.Tab value="history">History</Tabs.Tab>
        {instance.metrics && <Tabs.Tab value="metrics">Metrics</Tabs.Tab>}
        <Tabs.Tab value="console">Console log</Tabs.Tab>
        <Tabs.Tab value="terminal">Terminal</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="history" pt="md">
        <InstanceHistory id={instance.id} />
      </Tabs.Panel>
      {instance.metrics && (
        <Tabs.Panel value="metrics" pt="md">
          <MetricsView id={instance.id} />
        </Tabs.Panel>
      )}
      <Tabs.Panel value="console" pt="md">
        <ConsoleLog id={instance.id} />
      </Tabs.Panel>
      <Tabs.Panel value="terminal" pt="md">
        <Suspense fallback={<div className={classes.terminalPlace} aria-busy="true" />}>
          <Terminal instance={instance} />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}
