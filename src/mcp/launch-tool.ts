// Launching, which spends a customer's money. A lost response must not cause a second instance, so every launch has an
// Idempotency-Key, which the agent may pass to retry one; and the agent passes the price it expects, so that an
// instance type whose price has changed is not launched by mistake.

import { randomUUID } from "node:crypto";
import { Type } from "typebox";
import { checked, InstanceRecords, WaitingLaunchAnswer } from "./records.ts";
import { ServiceError } from "./service-client.ts";
import { tool } from "./tool.ts";
import { counted, dollars, instanceLine } from "./view.ts";
import { launchLine } from "./waiting-tools.ts";

export const launchInstance = tool("makes", {
  name: "launch_instance",
  title: "Launch instances",
  description:
    "Launches one or more instances. Billing starts when an instance is active and ends when it is terminated. Rejected when the spend " +
    "limit of the account or the token is reached, or when the price is above max_price_cents_per_hour. Use " +
    "wait_for_instance next. To retry a launch whose response was lost, send the same arguments with the same idempotency_key.",
  input: Type.Object({
    instance_type: Type.String({ description: "The name of an instance type, as list_products shows it." }),
    region: Type.Optional(Type.String({ description: "The name of a region; `any`, the default, for any region." })),
    quantity: Type.Optional(
      Type.Integer({ minimum: 1, description: "Number of instances; all or none are launched. Default: 1." }),
    ),
    name: Type.Optional(Type.String({ description: "A name of 1 to 64 characters." })),
    ssh_key_names: Type.Optional(
      Type.Array(Type.String(), { description: "Names of SSH keys that can log in, as list_ssh_keys shows them." }),
    ),
    image: Type.Optional(Type.String({ description: "The name of an image. Default: the provider's default." })),
    command: Type.Optional(Type.String({ description: "Run once, at first boot, as root." })),
    max_lifetime_seconds: Type.Optional(
      Type.Integer({ minimum: 60, description: "Terminates it automatically after this time and ends its billing." }),
    ),
    max_price_cents_per_hour: Type.Integer({
      minimum: 0,
      description: "Maximum price per instance: nothing is launched if it costs more.",
    }),
    spot: Type.Optional(
      Type.Boolean({
        description:
          "Launches spot instances at the spot price of the type: they are terminated after a notice when others need what they hold. " +
          "Default: false.",
      }),
    ),
    wait_until: Type.Optional(
      Type.String({
        description:
          "If it cannot be launched now, it waits until this time (RFC 3339) for capacity, a quota, a spend limit or the price, " +
          "at no cost, and is launched in order of arrival. See list_waiting_launches.",
      }),
    ),
    reservation_id: Type.Optional(
      Type.String({
        description:
          "The ID of an active reservation, as list_reservations shows it: its capacity is used, and it pays for the instances, " +
          "which end with it.",
      }),
    ),
    idempotency_key: Type.Optional(
      Type.String({
        pattern: "^[\\x21-\\x7e]{1,255}$",
        description: "1 to 255 visible ASCII characters, unique to this launch.",
      }),
    ),
  }),
  async run({ input, service }) {
    const { idempotency_key: key = randomUUID(), wait_until: until, max_price_cents_per_hour: most, ...order } = input;
    const limit = { max_price_cents_per_hour: most };
    const request = {
      interface: "control",
      method: "POST",
      path: "/instances",
      body: { ...order, ...(until === undefined ? limit : { wait: { until, ...limit } }) },
      idempotencyKey: key,
    } as const;
    const answer = await service.call(request).catch((error: unknown) => {
      throw error instanceof ServiceError ? orRepeated(error, key) : error;
    });
    if (!Array.isArray(answer)) {
      const { launch } = checked(WaitingLaunchAnswer, answer);
      return { text: launchLine(launch), data: { launch, idempotency_key: key } };
    }
    const launched = checked(InstanceRecords, answer);
    const price = launched.reduce((sum, one) => sum + one.instance_type.price_cents_per_hour, 0);
    const text = [
      `Launched ${counted(launched.length, "instance")} for ${dollars(price)}/hour in total.`,
      ...launched.map(instanceLine),
    ].join("\n");
    return { text, data: { instances: launched, idempotency_key: key } };
  },
});

/** If the result is unknown, the agent must learn how to retry without a second launch. */
function orRepeated(error: ServiceError, key: string): ServiceError {
  const { message, code, suggestion } = error;
  const isRefused = code !== undefined && code !== "global/unavailable" && code !== "global/internal-error";
  if (isRefused) return error;
  const advice = `It might have been launched: retry the call with idempotency_key "${key}", which creates no duplicates.`;
  return new ServiceError(
    { message, code, suggestion: suggestion === undefined ? advice : `${suggestion} ${advice}` },
    error,
  );
}
