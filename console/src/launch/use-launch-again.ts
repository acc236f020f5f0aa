// Reads what "launch again" needs: the instance, and which of the things it was launched with still exist.

import { useRead } from "../api/queries.ts";
import { useInstance } from "../instances/use-instances.ts";
import { useKeys } from "../keys/use-keys.ts";
import { notShown, orderFrom } from "./launch-again.ts";
import type { Order } from "./order.ts";
import { useOffers } from "./use-offers.ts";

export interface LaunchAgain {
  /** Undefined: loading, or an error. */
  readonly order: Order | undefined;
  /** What the order lacks, in a sentence or two; undefined: nothing. */
  readonly note: string | undefined;
  readonly error: Error | null;
  readonly again: () => void;
}

export function useLaunchAgain(id: string): LaunchAgain {
  const instance = useInstance(id);
  const keys = useKeys();
  const fileSystems = useRead(["file-systems"], (client) => client.GET("/file-systems"));
  const images = useRead(["images"], (client) => client.GET("/images"));
  const { read: offers } = useOffers();
  const reads = [instance, keys, fileSystems, images, offers];
  const error = reads.find((read) => read.data === undefined && read.error !== null)?.error ?? null;
  const again = () => reads.forEach((read) => void read.refetch());
  if (!instance.data || !keys.data || !fileSystems.data || !images.data || !offers.data)
    return { order: undefined, note: undefined, error, again };
  const former = instance.data.data;
  const order = orderFrom(former, {
    keys: keys.data.data,
    fileSystems: fileSystems.data.data,
    images: images.data.data,
  });
  return { order, note: noteOn(former, offers.data.data), error: null, again };
}

type Instance = Parameters<typeof notShown>[0];

function noteOn(instance: Instance, offers: readonly { readonly instance_type: { readonly name: string } }[]) {
  const { name } = instance.instance_type;
  const lacks = notShown(instance);
  const sentences = [
    ...(offers.some(({ instance_type }) => instance_type.name === name)
      ? []
      : [`The instance type ${name} is no longer offered: choose another one.`]),
    ...(lacks.length === 0 ? [] : [`Enter its ${lacks.join(" and ")} again. They aren't shown after a launch.`]),
  ];
  return sentences.length === 0 ? undefined : sentences.join(" ");
}
