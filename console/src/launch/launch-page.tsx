// Launching an instance. The order is the page's state; its parts are separate components. `?again=` fills it in from an
// instance (launch-again.ts).

import { Alert } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useSearchParams } from "wouter";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { Page, PageSkeleton } from "../shared/page.tsx";
import { EnvVarsEditor } from "./env-vars-editor.tsx";
import { FileSystemChoice } from "./file-system-choice.tsx";
import { ImageChoice } from "./image-choice.tsx";
import { InstanceTypeChoice, InstanceTypesWaiting } from "./instance-type-choice.tsx";
import { KeyChoice } from "./key-choice.tsx";
import { launchAgainId } from "./launch-again.ts";
import classes from "./launch-page.module.css";
import { reservedLaunchId, reservedNote, reservedOrder } from "./launch-reserved.ts";
import type { Bounds } from "./more-options.ts";
import { MoreOptionsStep } from "./more-options-view.tsx";
import { emptyOrder, type Order } from "./order.ts";
import { OrderOptions } from "./order-options.tsx";
import { RegionChoice } from "./region-choice.tsx";
import { SpotChoice } from "./spot-choice.tsx";
import { Summary } from "./summary.tsx";
import { useImages } from "./use-images.ts";
import { useLaunchAgain } from "./use-launch-again.ts";
import { useOffers } from "./use-offers.ts";
import { useQuote } from "./use-quote.ts";

const title = "Launch instance";

export function LaunchPage() {
  const [search] = useSearchParams();
  const id = launchAgainId(search);
  const reserved = reservedLaunchId(search);
  if (reserved !== undefined) return <LaunchReserved key={reserved} id={reserved} />;
  return id === undefined ? <Launch key="new" former={emptyOrder} /> : <LaunchAgain key={id} id={id} />;
}

function LaunchAgain({ id }: { readonly id: string }) {
  const former = useLaunchAgain(id);
  if (former.error !== null) {
    return (
      <Page title={title}>
        <ErrorState error={former.error} again={former.again} />
      </Page>
    );
  }
  if (former.order === undefined) return <PageSkeleton title={title} />;
  return <Launch former={former.order} note={former.note} />;
}

function LaunchReserved({ id }: { readonly id: string }) {
  const read = useRead(["reservations", id], (client) =>
    client.GET("/reservations/{id}", { params: { path: { id } } }),
  );
  const reservation = read.data?.data;
  if (reservation !== undefined) return <Launch former={reservedOrder(reservation)} note={reservedNote(reservation)} />;
  if (read.error === null) return <PageSkeleton title={title} />;
  return (
    <Page title={title}>
      <ErrorState error={read.error} again={() => void read.refetch()} />
    </Page>
  );
}

interface LaunchProps {
  /** The initial order. */
  readonly former: Order;
  /** A notice about it. */
  readonly note?: string | undefined;
}

function Launch({ former, note }: LaunchProps) {
  const { account } = useSession();
  const { read, offers } = useOffers({ isWaiting: true });
  const [typed, setOrder] = useState<Order>(former);
  const change = (part: Partial<Order>) => setOrder((before) => ({ ...before, ...part }));
  // Objects of one region are not kept for another.
  const changeRegion = (region: string) => change({ region, fileSystems: [], firewallRulesets: [] });
  const chosen = offers?.find(({ instance_type }) => instance_type.name === typed.instanceType);
  const spotPrice = chosen?.instance_type.spot_price_cents_per_hour ?? null;
  // What a reservation pays for is never spot.
  const isReserved = typed.reservation !== undefined;
  // Kept for when a type is chosen that has a spot price.
  const order = { ...typed, spot: typed.spot && spotPrice !== null && !isReserved };
  const quoting = useQuote(order, chosen !== undefined, account.max_lifetime_seconds);
  const imageFit = {
    gpuModel: chosen?.instance_type.gpu_model ?? null,
    architecture: chosen?.instance_type.architecture,
  };
  const { chosen: image } = useImages(imageFit, order.image);
  const bounds: Bounds = {
    mostSeconds: account.max_lifetime_seconds,
    priceCents: order.spot ? (spotPrice ?? undefined) : chosen?.instance_type.price_cents_per_hour,
    gpus: chosen?.instance_type.gpus,
    hasMetrics: image?.metrics,
  };

  if (offers === undefined && read.error !== null) {
    return (
      <Page title={title}>
        <ErrorState error={read.error} again={() => void read.refetch()} />
      </Page>
    );
  }
  if (offers?.length === 0) {
    return (
      <Page title={title}>
        <EmptyState icon="instance" title="No instance types">
          Your provider has not added an instance type to the catalog yet.
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page title={title} description="Billed by the second, from when it is active until you terminate it.">
      {note !== undefined && (
        <Alert color="gray" mb="lg">
          {note}
        </Alert>
      )}
      <div className={classes.columns}>
        <div className={classes.steps}>
          <Step title="Instance type">
            {offers === undefined ? (
              <InstanceTypesWaiting />
            ) : (
              <InstanceTypeChoice
                offers={offers}
                value={order.instanceType}
                onChange={(instanceType) => change({ instanceType })}
              />
            )}
            {!isReserved && (
              <SpotChoice type={chosen?.instance_type} value={order.spot} onChange={(spot) => change({ spot })} />
            )}
          </Step>
          <Step title="Region">
            <RegionChoice
              regions={(chosen ?? offers?.[0])?.regions}
              known={chosen !== undefined}
              quantity={order.quantity}
              value={order.region}
              onChange={changeRegion}
            />
          </Step>
          <Step title="Image">
            <ImageChoice {...imageFit} value={order.image} onChange={(name) => change({ image: name })} />
          </Step>
          <Step title="SSH keys">
            <KeyChoice value={order.sshKeys} password={order.password} onChange={(sshKeys) => change({ sshKeys })} />
          </Step>
          <Step title="Name and quantity">
            <OrderOptions order={order} namesInUse={quoting.quote?.names_in_use ?? []} onChange={change} />
          </Step>
          <Step title="File systems" optional>
            <FileSystemChoice
              region={order.region}
              value={order.fileSystems}
              onChange={(fileSystems, region) => change({ fileSystems, ...(region === undefined ? {} : { region }) })}
            />
          </Step>
          <Step title="Environment variables" optional>
            <EnvVarsEditor value={order.envVars} onChange={(envVars) => change({ envVars })} />
          </Step>
          <MoreOptionsStep order={order} bounds={bounds} onChange={change} />
        </div>
        <Summary
          order={order}
          bounds={bounds}
          offer={chosen}
          quoting={quoting}
          onRegion={changeRegion}
          onCoupon={(coupon) => change({ coupon })}
        />
      </div>
    </Page>
  );
}

interface StepProps {
  readonly title: string;
  readonly optional?: boolean;
  readonly children: ReactNode;
}

function Step({ title, optional = false, children }: StepProps) {
  return (
    <section className={classes.step} aria-label={title}>
      <h2 className={classes.stepTitle}>
        {title}
        {optional && <span className="soft"> optional</span>}
      </h2>
      {children}
    </section>
  );
}
