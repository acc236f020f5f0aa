// An instance of any account, as operators see it: whose it is, where it runs, how its reconciliation stands, what happened
// to it. Laid out as its customer sees it, so that both talk about the same page.

import { Alert } from "@mantine/core";
import { Link, useParams } from "wouter";
import { useRead } from "../../api/queries.ts";
import { Cost } from "../../machines/cost.tsx";
import { isBilled, pricePerHour } from "../../machines/live-cost.ts";
import { MachineHistory } from "../../machines/machine-history.tsx";
import { MachineState } from "../../machines/machine-state.tsx";
import { Copyable } from "../../shared/copyable.tsx";
import { ErrorState } from "../../shared/error-state.tsx";
import { type Fact, Facts, Figure, Figures } from "../../shared/facts.tsx";
import { exactPrice, priceOf } from "../../shared/format-money.ts";
import { formatNumber } from "../../shared/format-number.ts";
import { regionTitle, typeTitle } from "../../shared/names.tsx";
import { Page, PageSkeleton, Section } from "../../shared/page.tsx";
import { nameShown } from "../../shared/readable-name.ts";
import { Time } from "../../shared/time.tsx";
import { AccountName } from "../account-name.tsx";
import classes from "./any-machine-page.module.css";
import type { Machine } from "./machine-columns.tsx";
import { ActionButtons } from "./operator-actions.tsx";

export function AnyMachinePage() {
  const { id = "" } = useParams<{ id: string }>();
  const read = useRead(["instances", id], (client) => client.GET("/instances/{id}", { params: { path: { id } } }));
  if (read.data === undefined && read.error !== null)
    return <ErrorState error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <PageSkeleton title="Instance" />;
  return <MachineInFull machine={read.data.data} readAt={read.dataUpdatedAt} />;
}

function MachineInFull({ machine, readAt }: { readonly machine: Machine; readonly readAt: number }) {
  const { coupon, failure, instance_type: type } = machine;
  return (
    <Page
      title={nameShown(machine)}
      beside={<MachineState machine={machine} inLine />}
      back={{ href: "/operator/machines", title: "All instances" }}
      actions={<ActionButtons machine={machine} />}
    >
      <div className={classes.stack}>
        {failure !== null && (
          <Alert color="red" title="Instance failed">
            {failure.message} <code>{failure.code}</code>
          </Alert>
        )}
        <Figures>
          <Figure
            name="Cost so far"
            value={<Cost machine={machine} readAt={readAt} digits={4} />}
            beside={isBilled(machine) ? "Billed by the second" : "Not billed now"}
          />
          <Figure
            name="Per hour"
            value={exactPrice(pricePerHour(machine))}
            beside={
              coupon === null
                ? "List price"
                : `${coupon.discount_percent} % off ${priceOf(type.price_cents_per_hour)} with ${coupon.code}`
            }
          />
          <Figure name="Type" value={typeTitle(type)} beside={type.name} />
        </Figures>
        <Facts facts={factsOf(machine)} />
      </div>
      <Section title="History">
        <MachineHistory id={machine.id} />
      </Section>
    </Page>
  );
}

function factsOf(machine: Machine): readonly Fact[] {
  const { host = "", ip } = machine;
  return [
    { name: "Account", value: <AccountName id={machine.account_id} /> },
    {
      name: "Host",
      value: (
        <>
          <Link href={`/operator/fleet?host=${encodeURIComponent(host)}`}>{host}</Link>{" "}
          <span className="soft">engine {machine.engine}</span>
        </>
      ),
    },
    { name: "GPUs", value: machine.gpu_addresses?.join(", ") || <span className="soft">none</span> },
    { name: "Region", value: regionTitle(machine.region) },
    { name: "Image", value: machine.image.description || machine.image.name },
    {
      name: "Address",
      value: ip === null ? <span className="soft">none yet</span> : <Copyable value={ip} label="address" />,
    },
    { name: "Host name", value: <Copyable value={machine.hostname} label="host name" /> },
    { name: "Reconciliation", value: <Reconciliation machine={machine} /> },
    { name: "Launched", value: <Time at={machine.created_at} /> },
    { name: "Active since", value: <Time at={machine.active_at} never="not yet" /> },
    ...(machine.terminating_at === null ? [] : [{ name: "Ended", value: <Time at={machine.terminating_at} /> }]),
    ...(machine.ended_by === null ? [] : [{ name: "Ended by", value: machine.ended_by.replace("-", " ") }]),
    { name: "Id", value: <Copyable value={machine.id} label="id" /> },
  ];
}

/** How far the work on it is. */
function Reconciliation({ machine }: { readonly machine: Machine }) {
  const { generation, fulfilled_generation, attempts = 0, next_look_at = null } = machine;
  if (fulfilled_generation === generation) return "Up to date";
  return (
    <>
      Reconciling generation {generation}, attempt {formatNumber(attempts)}.
      {next_look_at !== null && (
        <span className="soft">
          {" "}
          Next check <Time at={next_look_at} />.
        </span>
      )}
    </>
  );
}
