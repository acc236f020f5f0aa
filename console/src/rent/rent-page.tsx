// Renting a machine: what, where, with which image and keys, what it costs, and the button. The order is the page's state;
// its parts are components of their own.

import { useState } from "react";
import { useSession } from "../api/session-context.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { Page } from "../shared/page.tsx";
import { EnvVarsEditor } from "./env-vars-editor.tsx";
import { FileSystemChoice } from "./file-system-choice.tsx";
import { ImageChoice } from "./image-choice.tsx";
import { KeyChoice } from "./key-choice.tsx";
import type { Bounds } from "./more-options.ts";
import { MoreOptionsStep } from "./more-options-view.tsx";
import { emptyOrder, type Order } from "./order.ts";
import { OrderOptions } from "./order-options.tsx";
import { ProductChoice, ProductsWaiting } from "./product-choice.tsx";
import { RegionChoice } from "./region-choice.tsx";
import classes from "./rent-page.module.css";
import { Step } from "./step.tsx";
import { Summary } from "./summary.tsx";
import { useOffers } from "./use-offers.ts";

export function RentPage() {
  const { account } = useSession();
  const { read, offers } = useOffers();
  const [order, setOrder] = useState<Order>(emptyOrder);
  const change = (part: Partial<Order>) => setOrder((former) => ({ ...former, ...part }));
  const chosen = offers?.find(({ instance_type }) => instance_type.name === order.instanceType);
  const bounds: Bounds = {
    mostSeconds: account.max_lifetime_seconds,
    priceCents: chosen?.instance_type.price_cents_per_hour,
  };

  if (offers === undefined && read.error !== null) {
    return (
      <Page title="Rent a machine">
        <ErrorState error={read.error} again={() => void read.refetch()} />
      </Page>
    );
  }
  if (offers?.length === 0) {
    return (
      <Page title="Rent a machine">
        <EmptyState icon="machine" title="Nothing is offered yet">
          Whoever runs this service has put no product into its catalogue.
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page title="Rent a machine" description="Billed by the second, from when it is up until you terminate it.">
      <div className={classes.columns}>
        <div className={classes.steps}>
          <Step title="Machine">
            {offers === undefined ? (
              <ProductsWaiting />
            ) : (
              <ProductChoice
                offers={offers}
                value={order.instanceType}
                onChange={(instanceType) => change({ instanceType })}
              />
            )}
          </Step>
          <Step title="Region">
            <RegionChoice
              regions={(chosen ?? offers?.[0])?.regions}
              known={chosen !== undefined}
              quantity={order.quantity}
              value={order.region}
              onChange={(region) => change({ region, fileSystems: [] })}
            />
          </Step>
          <Step title="Image">
            <ImageChoice
              gpuModel={chosen?.instance_type.gpu_model ?? null}
              architecture={chosen?.instance_type.architecture}
              value={order.image}
              onChange={(image) => change({ image })}
            />
          </Step>
          <Step title="SSH keys">
            <KeyChoice value={order.sshKeys} password={order.password} onChange={(sshKeys) => change({ sshKeys })} />
          </Step>
          <Step title="Name and number">
            <OrderOptions order={order} onChange={change} />
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
          onRegion={(region) => change({ region, fileSystems: [] })}
          onCoupon={(coupon) => change({ coupon })}
        />
      </div>
    </Page>
  );
}
