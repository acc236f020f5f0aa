// The summary of the order: its price per hour and month, its capacity, the coupon, the button, and the commands.

import { Alert, Button, TextInput } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { instancesOf, type Shape, waitingOf } from "../../../src/client/client.ts";
import { checkInstanceName } from "../../../src/rules/names.ts";
import { useSession } from "../api/session-context.tsx";
import { SpotBadge } from "../instances/spot.tsx";
import { ErrorNote } from "../shared/error-state.tsx";
import { dollars, priceOf } from "../shared/format-money.ts";
import { formatNumber } from "../shared/format-number.ts";
import { typeTitle } from "../shared/names.tsx";
import { useReturningWords } from "../shared/returning.tsx";
import { Commands } from "./commands-view.tsx";
import { checkEnvVars, isWrong } from "./env-vars.ts";
import { LaunchWhenAvailable } from "./launch-when-available.tsx";
import { type Bounds, checkOptions, costOfLifetime, firstWrong, hoursOf, lifetimeSeconds } from "./more-options.ts";
import { NotifyMe } from "./notify-me.tsx";
import { type LaunchRequest, launchBody, type Order } from "./order.ts";
import classes from "./summary.module.css";
import { useLaunch } from "./use-launch.ts";
import type { Quoting } from "./use-quote.ts";

type Quote = Shape<"Quote">;

interface SummaryProps {
  readonly order: Order;
  readonly bounds: Bounds;
  /** The chosen instance type; undefined: none yet. */
  readonly offer: Shape<"Offer"> | undefined;
  readonly quoting: Quoting;
  readonly onRegion: (region: string) => void;
  readonly onCoupon: (coupon: string) => void;
}

export function Summary({ order, bounds, offer, quoting, onRegion, onCoupon }: SummaryProps) {
  const { lack } = useSession();
  const [, navigate] = useLocation();
  const { quote, error, couponError, isChecking } = quoting;
  const launching = useLaunch();
  const body = offer && launchBody(order, offer.instance_type.name);
  const missing = lack("rent");
  const mistake = missing ?? obstacle(order, bounds, quoting);
  // A reservation has capacity and a price of its own.
  const isReserved = order.reservation !== undefined;
  const noRoom = isReserved ? undefined : noRoomNow(quoting);
  const wrong = mistake ?? noRoom;
  const launch = async (wait?: LaunchRequest["wait"]) => {
    if (body === undefined) return;
    const answer = await launching.launch(wait === undefined ? body : { ...body, wait });
    if (answer === undefined) return;
    const [first, ...others] = waitingOf(answer) === undefined ? instancesOf(answer) : [];
    navigate(first !== undefined && others.length === 0 ? `/instances/${first.id}` : "/instances");
  };
  const type = offer?.instance_type;
  return (
    <aside className={classes.summary} aria-label="Summary">
      <h2 className={classes.title}>
        {type === undefined ? (
          "Choose an instance type"
        ) : (
          <>
            {order.quantity > 1 && `${order.quantity} × `}
            {typeTitle(type)} <SpotBadge isSpot={order.spot} />
          </>
        )}
      </h2>
      <p className={classes.where}>{whereWords(order, quote)}</p>
      {isReserved ? (
        <p>Paid for by the reservation</p>
      ) : (
        <Price quote={quote} chosen={offer !== undefined} lifetime={lifetimeOf(order, bounds)} />
      )}
      <TextInput
        label="Coupon"
        placeholder="Code"
        value={order.coupon}
        onChange={(event) => onCoupon(event.currentTarget.value)}
        error={couponError?.fields.coupon?.message ?? couponError?.message}
        description={couponWords(order, quote, isChecking)}
        inputWrapperOrder={["label", "input", "description", "error"]}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="characters"
      />
      {quote !== undefined && !quote.fits && !isReserved && (
        <InsufficientCapacity
          quote={quote}
          offer={offer}
          isByLabels={order.hostSelector.trim() !== ""}
          onRegion={onRegion}
        />
      )}
      {launching.isLost ? (
        <InSight>
          <Alert color="amber" title="No response" role="alert">
            It's unknown whether the launch succeeded. Try again: no duplicates are created.
          </Alert>
        </InSight>
      ) : (
        <InSight key={String(launching.error ?? error)}>
          <ErrorNote error={launching.error ?? error} />
        </InSight>
      )}
      <Button
        size="md"
        fullWidth
        disabled={offer === undefined || wrong !== undefined}
        loading={launching.isPending}
        onClick={() => void launch()}
      >
        {launching.isLost ? "Try again" : order.quantity > 1 ? `Launch ${order.quantity} instances` : "Launch instance"}
      </Button>
      {offer !== undefined && mistake === undefined && noRoom !== undefined && (
        <LaunchWhenAvailable isPending={launching.isPending} onLaunch={(wait) => void launch(wait)} />
      )}
      {offer !== undefined && !isReserved && (
        <NotifyMe
          name={offer.instance_type.name}
          region={order.region}
          isFull={isFull(order, offer, noRoom !== undefined)}
        />
      )}
      {wrong !== undefined && (offer !== undefined || missing !== undefined) && (
        <p className={classes.wrong}>{wrong}</p>
      )}
      {body !== undefined && <Commands body={body} fileSystems={order.fileSystems} />}
    </aside>
  );
}

/** What the service would reject, whatever there is room for. */
function obstacle(order: Order, bounds: Bounds, quoting: Quoting): string | undefined {
  const { couponError } = quoting;
  if (order.name.trim() !== "" && checkInstanceName(order.name.trim(), order.quantity) !== undefined)
    return "Fix the name.";
  if (isWrong(checkEnvVars(order.envVars))) return "Fix the environment variables.";
  if (couponError !== null) return "Fix or remove the coupon.";
  const wrong = firstWrong(checkOptions(order, bounds));
  return wrong === undefined ? undefined : `Fix the ${wrong} under More options.`;
}

/** Undefined: it fits. Nothing about the order before its last change. */
function noRoomNow({ quote, isFormer }: Quoting): string | undefined {
  return quote === undefined || quote.fits || isFormer ? undefined : noRoomWords(quote);
}

/** Whether not even one instance fits. A quote is newer than offers, but can be for several, or for some hosts only. */
function isFull(
  { region, quantity, hostSelector }: Order,
  { available, regions }: Shape<"Offer">,
  isWithoutRoom: boolean,
): boolean {
  if (isWithoutRoom && quantity === 1 && hostSelector.trim() === "") return true;
  return (region === "any" ? available : regions.find(({ name }) => name === region)?.available) === 0;
}

function noRoomWords({ region, fits_in, quantity }: Quote): string {
  const them = quantity > 1 ? `${formatNumber(quantity)} instances don't fit` : "It doesn't fit";
  if (fits_in.length === 0) return `${them} in any region now. This page checks again every few seconds.`;
  return `${them} in ${region ?? "this region"} now. Choose another region.`;
}

/** Scrolls its children into view. */
function InSight({ children }: { readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current?.hasChildNodes()) place.current.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div ref={place} className={classes.inSight}>
      {children}
    </div>
  );
}

/** In seconds; undefined: unlimited or unknown. Without one a launch gets the account's limit. */
function lifetimeOf(order: Order, { mostSeconds }: Bounds): number | undefined {
  const typed = lifetimeSeconds(order.lifetime);
  return typed === null ? (mostSeconds ?? undefined) : typed;
}

function whereWords(order: Order, quote: Quote | undefined): string {
  if (order.region !== "any") return `In ${order.region}`;
  return quote?.region_chosen == null
    ? "In any region with capacity"
    : `In ${quote.region_chosen}, which has capacity now`;
}

function couponWords(order: Order, quote: Quote | undefined, isChecking: boolean): string | undefined {
  if (isChecking) return "Checking…";
  if (order.coupon.trim() === "" || quote?.coupon == null) return undefined;
  return `${quote.coupon.discount_percent} % off for the lifetime of the instance.`;
}

interface PriceProps {
  readonly quote: Quote | undefined;
  readonly chosen: boolean;
  /** In seconds; undefined: unlimited. */
  readonly lifetime: number | undefined;
}

/** Both prices if there is a discount. Of a fixed size, so that nothing jumps. */
function Price({ quote, chosen, lifetime }: PriceProps) {
  const rows = [
    { name: "Per hour", cost: quote?.hourly },
    { name: "Per month (730 hours)", cost: quote?.monthly },
  ];
  return (
    <dl className={classes.prices} aria-busy={chosen && quote === undefined}>
      {rows.map(({ name, cost }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {cost !== undefined && cost.before_discount.cost_cents !== cost.after.cost_cents && (
              <>
                <span className="hidden">instead of </span>
                <s className={classes.before}>{priceOf(cost.before_discount.cost_cents)}</s>{" "}
              </>
            )}
            {cost === undefined ? "–" : priceOf(cost.after.cost_cents)}
          </dd>
        </div>
      ))}
      {lifetime !== undefined && (
        <div>
          <dt>At most, for {hoursOf(lifetime)}</dt>
          <dd>{quote === undefined ? "–" : dollars(costOfLifetime(quote.hourly.after.cost_micro_cents, lifetime))}</dd>
        </div>
      )}
    </dl>
  );
}

interface NoRoomProps {
  readonly quote: Quote;
  readonly offer: Shape<"Offer"> | undefined;
  /** Only hosts with some labels are meant, which offers do not count. */
  readonly isByLabels: boolean;
  readonly onRegion: (region: string) => void;
}

function InsufficientCapacity({ quote, offer, isByLabels, onRegion }: NoRoomProps) {
  const region = quote.region === "any" ? null : quote.region;
  const isOffered = offer?.regions.find(({ name }) => name === region)?.offered ?? true;
  const parts = isByLabels
    ? []
    : (offer?.regions.filter(({ available }) => available > 0 && available < quote.quantity) ?? []);
  const here = parts.find(({ name }) => name === region);
  const back = useReturningWords(quote.returning);
  return (
    <Alert
      color="amber"
      title={noRoomTitle(region, isOffered, region === null ? parts.length > 0 : here !== undefined)}
    >
      {quote.fits_in.length === 0 ? (
        <>
          {parts.length > 0 && `Of ${formatNumber(quote.quantity)}, these fit now: ${partsWords(parts)}. `}
          {back !== undefined && `${back}. `}
          {isByLabels
            ? "No hosts with these labels have the capacity. Change the labels under More options, or try again later."
            : "Choose another instance type or a smaller quantity, or try again later."}
        </>
      ) : (
        <>
          {here !== undefined && `${formatNumber(here.available)} of ${formatNumber(quote.quantity)} fit there. `}
          {quote.quantity > 1 ? "All of them fit here:" : "It fits here:"}
          <span className={classes.fits}>
            {quote.fits_in.map(({ name, description }) => (
              <Button key={name} size="compact-sm" variant="default" onClick={() => onRegion(name)} title={description}>
                {name}
              </Button>
            ))}
          </span>
        </>
      )}
    </Alert>
  );
}

/** "us-east-1 (2), us-west-1 (2)", as the API suggests it. */
const partsWords = (parts: readonly { readonly name: string; readonly available: number }[]): string =>
  parts.map(({ name, available }) => `${name} (${formatNumber(available)})`).join(", ");

/** `fitsInPart`: some of them fit, but not all. */
function noRoomTitle(region: string | null, isOffered: boolean, fitsInPart: boolean): string {
  const title = fitsInPart ? "Not enough capacity" : "No capacity";
  if (region === null) return title;
  return isOffered ? `${title} in ${region}` : `Not offered in ${region}`;
}
