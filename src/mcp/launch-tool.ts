// Launching: what an agent does with somebody's money. A lost answer must not become a second machine, so every launch has
// an Idempotency-Key, which the agent may give to repeat one; and the agent says the price it counts on, so that a product
// whose price has changed is not rented by mistake.

import { randomUUID } from "node:crypto";
import { Type } from "typebox";
import { checked, InstanceRecords } from "./records.ts";
import { ServiceError } from "./service-client.ts";
import { tool } from "./tool.ts";
import { counted, dollars, instanceLine } from "./view.ts";

export const launchInstance = tool("makes", {
  name: "launch_instance",
  title: "Launch instances",
  description:
    "Rents one or more machines. Billing begins when one is active and ends when it is terminated. Refused when the spend " +
    "limit of the account or the token is reached, and when the price is above max_price_cents_per_hour. Use " +
    "wait_for_instance next. To repeat a launch whose answer was lost, send the same arguments with the same idempotency_key.",
  input: Type.Object({
    instance_type: Type.String({ description: "The name of a product, as list_products shows it." }),
    region: Type.Optional(Type.String({ description: "The name of a region; `any`, the default, for the best one." })),
    quantity: Type.Optional(Type.Integer({ minimum: 1, description: "All of them, or none. 1 unless told." })),
    name: Type.Optional(Type.String({ description: "A name for people, 1 to 64 characters." })),
    ssh_key_names: Type.Optional(
      Type.Array(Type.String(), { description: "Whose keys may log in, as list_ssh_keys shows them." }),
    ),
    image: Type.Optional(Type.String({ description: "The name of an image; the provider's default unless told." })),
    command: Type.Optional(Type.String({ description: "Run once, at first boot, as root." })),
    max_lifetime_seconds: Type.Optional(
      Type.Integer({ minimum: 60, description: "After so long it is terminated by itself, and costs no more." }),
    ),
    max_price_cents_per_hour: Type.Integer({
      minimum: 0,
      description: "For one of them: nothing is launched when it costs more than that.",
    }),
    idempotency_key: Type.Optional(
      Type.String({
        pattern: "^[\\x21-\\x7e]{1,255}$",
        description: "1 to 255 visible ASCII characters that no other launch of yours had.",
      }),
    ),
  }),
  async run({ input, service }) {
    const { idempotency_key: key = randomUUID(), ...order } = input;
    const request = {
      interface: "control",
      method: "POST",
      path: "/instances",
      body: order,
      idempotencyKey: key,
    } as const;
    const answer = await service.call(request).catch((error: unknown) => {
      throw error instanceof ServiceError ? orRepeated(error, key) : error;
    });
    const launched = checked(InstanceRecords, answer);
    const price = launched.reduce((sum, one) => sum + one.instance_type.price_cents_per_hour, 0);
    const text = [
      `Launched ${counted(launched.length, "instance")} for ${dollars(price)}/hour together.`,
      ...launched.map(instanceLine),
    ].join("\n");
    return { text, data: { instances: launched, idempotency_key: key } };
  },
});

/** Where it is not known whether the launch was done, the agent has to be told how to ask again without a second one. */
function orRepeated(error: ServiceError, key: string): ServiceError {
  const { message, code, suggestion } = error;
  const isRefused = code !== undefined && code !== "global/unavailable" && code !== "global/internal-error";
  if (isRefused) return error;
  const advice = `It may have been launched: repeat the call with idempotency_key "${key}", which launches it once.`;
  return new ServiceError(
    { message, code, suggestion: suggestion === undefined ? advice : `${suggestion} ${advice}` },
    error,
  );
}
