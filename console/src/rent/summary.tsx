// The order at a glance: what it costs an hour and a month, whether it fits, the coupon, the button, and the same as commands.

import { Alert, Button, TextInput } from "@mantine/core";
import { useLocation } from "wouter";
import type { Shape } from "../../../src/client/index.ts";
import { useSession } from "../api/session-context.tsx";
import { ErrorNote, fieldError } from "../shared/error-state.tsx";
import { dollars, priceOf } from "../shared/format-money.ts";
import { Commands } from "./commands-view.tsx";
import { checkEnvVars, isWrong } from "./env-vars.ts";
import { type Bounds, checkOptions, costOfLifetime, firstWrong, hoursOf, lifetimeSeconds } from "./more-options.ts";
import { launchBody, type Order } from "./order.ts";
import classes from "./summary.module.css";
import { useLaunch } from "./use-launch.ts";
import { useQuote } from "./use-quote.ts";

type Quote = Shape<"Quote">;

interface SummaryProps {
  readonly order: Order;
  readonly bounds: Bounds;
  /** The chosen product; undefined: none yet. */
  readonly offer: Shape<"Offer"> | undefined;
  readonly onRegion: (region: string) => void;
  readonly onCoupon: (coupon: string) => void;
}

export function Summary({ order, bounds, offer, onRegion, onCoupon }: SummaryProps) {
  const { mayWrite } = useSession();
  const [, navigate] = useLocation();
  const { quote, error, couponError, isChecking } = useQuote(order);
  const launching = useLaunch();
  const body = offer && launchBody(order, offer.instance_type.name);
  const wrong = obstacle(order, bounds, couponError !== null, mayWrite);
  const launch = async () => {
    if (body === undefined) return;
    const machines = await launching.launch(body);
    if (machines === undefined) return;
    const [first] = machines;
    navigate(machines.length === 1 && first !== undefined ? `/machines/${first.id}` : "/machines");
  };
  const type = offer?.instance_type;
  return (
    <aside className={classes.summary} aria-label="Summary">
      <h2 className={classes.title}>
        {type === undefined ? (
          "Choose a machine"
        ) : (
          <>
            {order.quantity > 1 && `${order.quantity} × `}
            {type.description || type.name}
          </>
        )}
      </h2>
      <p className={classes.where}>{whereWords(order, quote)}</p>
      <Price quote={quote} chosen={offer !== undefined} lifetime={lifetimeOf(order, bounds)} />
      <TextInput
        label="Coupon"
        placeholder="Code"
        value={order.coupon}
        onChange={(event) => onCoupon(event.currentTarget.value)}
        error={fieldError(couponError, "coupon") ?? couponError?.message}
        description={couponWords(order, quote, isChecking)}
        inputWrapperOrder={["label", "input", "description", "error"]}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="characters"
      />
      {quote !== undefined && !quote.fits && <NoRoom quote={quote} onRegion={onRegion} />}
      {launching.isLost ? (
        <Alert color="amber" title="The answer was lost" role="alert">
          Whether it was launched is not known. Press the button again: a machine that was launched is found, and no
          second one is made.
        </Alert>
      ) : (
        <ErrorNote error={launching.error ?? error} />
      )}
      <Button
        size="md"
        fullWidth
        disabled={offer === undefined || wrong !== undefined}
        loading={launching.isPending}
        onClick={() => void launch()}
      >
        {launching.isLost ? "Try again" : order.quantity > 1 ? `Rent ${order.quantity} machines` : "Rent"}
      </Button>
      {wrong !== undefined && offer !== undefined && <p className={classes.wrong}>{wrong}</p>}
      {body !== undefined && <Commands body={body} fileSystems={order.fileSystems} />}
    </aside>
  );
}

/** What the service would refuse for certain. */
function obstacle(order: Order, bounds: Bounds, couponIsRefused: boolean, mayWrite: boolean): string | undefined {
  if (!mayWrite) return "This session's token may not rent: it lacks the scope write.";
  if (isWrong(checkEnvVars(order.envVars))) return "Mend the environment variables first.";
  if (couponIsRefused) return "Mend the coupon first, or leave it out.";
  const wrong = firstWrong(checkOptions(order, bounds));
  return wrong === undefined ? undefined : `Mend the ${wrong} first, under More options.`;
}

/** In seconds; undefined: without end, or not known. What the account allows is what a launch gets that says nothing. */
function lifetimeOf(order: Order, { mostSeconds }: Bounds): number | undefined {
  const typed = lifetimeSeconds(order.lifetime);
  return typed === null ? (mostSeconds ?? undefined) : typed;
}

function whereWords(order: Order, quote: Quote | undefined): string {
  if (order.region !== "any") return `In ${order.region}`;
  return quote?.region_chosen == null
    ? "In the best region with room"
    : `In ${quote.region_chosen}, which has room now`;
}

function couponWords(order: Order, quote: Quote | undefined, isChecking: boolean): string | undefined {
  if (isChecking) return "Looking it up…";
  if (order.coupon.trim() === "" || quote?.coupon == null) return undefined;
  return `${quote.coupon.discount_percent} % off, for as long as the machine lives.`;
}

interface PriceProps {
  readonly quote: Quote | undefined;
  readonly chosen: boolean;
  /** In seconds; undefined: without end. */
  readonly lifetime: number | undefined;
}

/** Both prices where there is a discount. Of one size, whether it is known or not, so that nothing jumps. */
function Price({ quote, chosen, lifetime }: PriceProps) {
  const rows = [
    { name: "An hour", cost: quote?.hourly },
    { name: "A month of 730 hours", cost: quote?.monthly },
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

function NoRoom({ quote, onRegion }: { readonly quote: Quote; readonly onRegion: (region: string) => void }) {
  return (
    <Alert
      color="amber"
      title={quote.region === null || quote.region === "any" ? "No room now" : `No room in ${quote.region} now`}
    >
      {quote.fits_in.length === 0 ? (
        "It fits in no region at the moment. Choose another machine, or fewer of them, or come back later."
      ) : (
        <>
          It would fit here:
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
