// A machine of any account, as operators see it: whose it is, where it is, how the work on it stands, what happened to it.

import type { ReactNode } from "react";
import { Link, useParams } from "wouter";
import { useRead } from "../../api/queries.ts";
import { MachineState } from "../../machines/machine-state.tsx";
import { Copyable } from "../../shared/copyable.tsx";
import { ErrorState } from "../../shared/error-state.tsx";
import { HourlyPrice, Money } from "../../shared/money.tsx";
import { Page, PageSkeleton, Section } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";
import { AccountName } from "../account-name.tsx";
import classes from "./any-machine-page.module.css";
import type { Machine } from "./machine-columns.tsx";

export function AnyMachinePage() {
  const { id = "" } = useParams<{ id: string }>();
  const read = useRead(["instances", id], (client) => client.GET("/instances/{id}", { params: { path: { id } } }));
  if (read.data === undefined && read.error !== null)
    return <ErrorState error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <PageSkeleton title="Machine" />;
  return <MachineInFull machine={read.data.data} />;
}

function MachineInFull({ machine }: { readonly machine: Machine }) {
  const { id, name, instance_type: type, host = "" } = machine;
  return (
    <Page
      title={name}
      beside={<MachineState machine={machine} />}
      back={{ href: "/operator/machines", title: "All machines" }}
    >
      {machine.failure !== null && (
        <p className={classes.failure}>
          <strong>{machine.failure.code}</strong> {machine.failure.message}
        </p>
      )}
      <dl className={classes.facts}>
        <Fact title="Account">
          <AccountName id={machine.account_id} />
        </Fact>
        <Fact title="Id">
          <Copyable value={id} label="id" />
        </Fact>
        <Fact title="Host">
          <Link href={`/operator/fleet?host=${encodeURIComponent(host)}`}>{host}</Link>{" "}
          <span className="soft">engine {machine.engine}</span>
        </Fact>
        <Fact title="GPUs">{machine.gpu_addresses?.join(", ") || "none"}</Fact>
        <Fact title="Type">
          {type.name} <span className="soft">{type.description}</span>
        </Fact>
        <Fact title="Region">
          {machine.region.name} <span className="soft">{machine.region.description}</span>
        </Fact>
        <Fact title="Image">{machine.image.name}</Fact>
        <Fact title="Address">
          {machine.ip === null ? (
            <span className="soft">none yet</span>
          ) : (
            <Copyable value={machine.ip} label="address" />
          )}
        </Fact>
        <Fact title="Price">
          <HourlyPrice cents={type.price_cents_per_hour} />
          {machine.coupon !== null && (
            <span className="soft">
              {" "}
              with {machine.coupon.code} (−{machine.coupon.discount_percent} %)
            </span>
          )}
        </Fact>
        <Fact title="Cost so far">
          <Money cents={machine.cost_cents} />
        </Fact>
        <Fact title="Work">
          {machine.fulfilled_generation === machine.generation
            ? "Done: it is as it should be."
            : `Wish ${machine.generation} of it is worked on, try ${machine.attempts}.`}{" "}
          {machine.next_look_at !== null && machine.next_look_at !== undefined && (
            <span className="soft">
              Next look <Time at={machine.next_look_at} />.
            </span>
          )}
        </Fact>
        <Fact title="Launched">
          <Time at={machine.created_at} />
        </Fact>
        <Fact title="Active since">
          <Time at={machine.active_at} never="not yet" />
        </Fact>
        {machine.terminated_at !== null && (
          <Fact title="Terminated">
            <Time at={machine.terminated_at} />
          </Fact>
        )}
        {machine.ended_by !== null && <Fact title="Ended by">{machine.ended_by}</Fact>}
      </dl>
      <History id={id} />
    </Page>
  );
}

function Fact({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function History({ id }: { readonly id: string }) {
  const read = useRead(["events", "instance", id], (client) =>
    client.GET("/events", { params: { query: { instance_id: id, limit: 200 } } }),
  );
  const events = read.data?.data.toReversed() ?? [];
  return (
    <Section title="What happened">
      {read.error !== null && <ErrorState error={read.error} again={() => void read.refetch()} />}
      {read.data !== undefined && events.length === 0 && <p className="soft">Nothing is recorded.</p>}
      <ol className={classes.history}>
        {events.map((event) => (
          <li key={event.id}>
            <span>{event.type}</span>
            <span className="soft">
              <Time at={event.timestamp} />
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
