// An instance of any account, for operators: its account, its host, its reconciliation and its history. Laid out as its
// customer sees it, so that both talk about the same page.

import { Alert } from "@mantine/core";
import { Link, useParams } from "wouter";
import { useRead } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { Cost } from "../../instances/cost.tsx";
import { InstanceHistory } from "../../instances/instance-history.tsx";
import { InstanceState } from "../../instances/instance-state.tsx";
import { isBilled, pricePerHour } from "../../instances/live-cost.ts";
import { SpotBadge } from "../../instances/spot.tsx";
import { Copyable } from "../../shared/copyable.tsx";
import { ErrorState } from "../../shared/error-state.tsx";
import { type Fact, Facts, Figure, Figures } from "../../shared/facts.tsx";
import { exactPrice, priceOf } from "../../shared/format-money.ts";
import { formatNumber } from "../../shared/format-number.ts";
import { regionTitle, typeTitle } from "../../shared/names.tsx";
import { Page, PageSkeleton, Section } from "../../shared/page.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { nameShown } from "../../shared/readable-name.ts";
import { Time } from "../../shared/time.tsx";
import { AccountName } from "../account-name.tsx";
import classes from "./any-instance-page.module.css";
import type { Instance } from "./instance-columns.tsx";
import { MoveButton, MoveState, moveAgain } from "./move-state.tsx";
import { ActionButtons } from "./operator-actions.tsx";

export function AnyInstancePage() {
  const { id = "" } = useParams<{ id: string }>();
  const read = useRead(["instances", id], (client) => client.GET("/instances/{id}", { params: { path: { id } } }), {
    again: (found) => moveAgain(found?.data),
  });
  if (read.data === undefined && read.error !== null)
    return <ErrorState error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <PageSkeleton title="Instance" />;
  return <InstanceInFull instance={read.data.data} readAt={read.dataUpdatedAt} />;
}

function InstanceInFull({ instance, readAt }: { readonly instance: Instance; readonly readAt: number }) {
  const missing = useSession().lack("rent", "operator");
  const { coupon, failure, instance_type: type } = instance;
  return (
    <Page
      title={nameShown(instance)}
      beside={
        <>
          <InstanceState instance={instance} inLine /> <SpotBadge isSpot={instance.spot} />
        </>
      }
      back={{ href: "/operator/instances", title: "All instances" }}
      actions={
        <>
          <MoveButton instance={instance} />
          <Permitted to="act on instances" missing={missing}>
            <ActionButtons instance={instance} />
          </Permitted>
        </>
      }
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
            value={<Cost instance={instance} readAt={readAt} digits={4} />}
            beside={isBilled(instance) ? "Billed by the second" : "Not billed now"}
          />
          <Figure
            name="Per hour"
            value={exactPrice(pricePerHour(instance))}
            beside={
              coupon === null
                ? instance.spot
                  ? "Spot price"
                  : "List price"
                : `${coupon.discount_percent} % off ${priceOf(type.price_cents_per_hour)} with ${coupon.code}`
            }
          />
          <Figure name="Type" value={typeTitle(type)} beside={type.name} />
        </Figures>
        <Facts facts={factsOf(instance)} />
      </div>
      <Section title="History">
        <InstanceHistory id={instance.id} />
      </Section>
    </Page>
  );
}

function factsOf(instance: Instance): readonly Fact[] {
  const { host = "", ip } = instance;
  return [
    { name: "Account", value: <AccountName id={instance.account_id} /> },
    {
      name: "Host",
      value: (
        <>
          <Link href={`/operator/fleet?host=${encodeURIComponent(host)}`}>{host}</Link>{" "}
          <span className="soft">engine {instance.engine}</span>
        </>
      ),
    },
    ...(instance.move ? [{ name: "Move", value: <MoveState move={instance.move} /> }] : []),
    { name: "GPUs", value: instance.gpu_addresses?.join(", ") || <span className="soft">none</span> },
    { name: "Region", value: regionTitle(instance.region) },
    { name: "Image", value: instance.image.description || instance.image.name },
    {
      name: "Address",
      value: ip === null ? <span className="soft">none yet</span> : <Copyable value={ip} label="address" />,
    },
    { name: "Host name", value: <Copyable value={instance.hostname} label="host name" /> },
    { name: "Reconciliation", value: <Reconciliation instance={instance} /> },
    { name: "Launched", value: <Time at={instance.created_at} /> },
    { name: "Active since", value: <Time at={instance.active_at} never="not yet" /> },
    ...(instance.terminating_at === null ? [] : [{ name: "Ended", value: <Time at={instance.terminating_at} /> }]),
    ...(instance.ended_by === null ? [] : [{ name: "Ended by", value: instance.ended_by.replace("-", " ") }]),
    { name: "Id", value: <Copyable value={instance.id} label="id" /> },
  ];
}

/** The state of its reconciliation. */
function Reconciliation({ instance }: { readonly instance: Instance }) {
  const { generation, fulfilled_generation, attempts = 0, next_look_at = null } = instance;
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
