// The instance types as cards: GPU, CPU, memory, storage, price and capacity.

import { NativeSelect, Skeleton, TextInput } from "@mantine/core";
import { useId, useState } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { priceOf } from "../shared/format-money.ts";
import { counted, formatNumber } from "../shared/format-number.ts";
import { Icon } from "../shared/icon.tsx";
import { ReturningNote } from "../shared/returning.tsx";
import classes from "./instance-type-choice.module.css";
import { gpuMemoryGb, type OfferOrder, offerOrders, offerOrderTitles, sortOffers } from "./sort-offers.ts";

type Offer = Shape<"Offer">;

interface InstanceTypeChoiceProps {
  readonly offers: readonly Offer[];
  readonly value: string | undefined;
  readonly onChange: (instanceType: string) => void;
}

/** Few enough to see without a filter. */
const fewTypes = 6;

export function InstanceTypeChoice({ offers, value, onChange }: InstanceTypeChoiceProps) {
  const [wanted, setWanted] = useState("");
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const [order, setOrder] = useState<OfferOrder>("cheapest");
  const fitting = offers.filter(({ instance_type: type }) => {
    const text = `${type.name} ${type.description} ${type.gpu_description} ${type.gpu_model ?? "cpu"}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const shown = sortOffers(fitting, order);
  return (
    <>
      {offers.length > fewTypes && (
        <div className={classes.tools}>
          <TextInput
            className={classes.filter ?? ""}
            aria-label="Filter instance types"
            placeholder="Filter, such as h100 or 8x"
            value={wanted}
            onChange={(event) => setWanted(event.currentTarget.value)}
            leftSection={<Icon name="search" size={14} />}
            type="search"
          />
          <NativeSelect
            aria-label="Sort instance types"
            value={order}
            onChange={({ currentTarget: { value: chosen } }) =>
              setOrder(offerOrders.find((one) => one === chosen) ?? "cheapest")
            }
            data={offerOrders.map((one) => ({ value: one, label: offerOrderTitles[one] }))}
          />
        </div>
      )}
      <div className={classes.cards} role="radiogroup" aria-label="Instance type">
        {shown.map((offer) => (
          <Card
            key={offer.instance_type.name}
            offer={offer}
            chosen={offer.instance_type.name === value}
            onChoose={() => onChange(offer.instance_type.name)}
          />
        ))}
      </div>
      {shown.length === 0 && <p className="soft">No results for “{wanted}”.</p>}
    </>
  );
}

interface CardProps {
  readonly offer: Offer;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

function Card({ offer, chosen, onChoose }: CardProps) {
  const type = offer.instance_type;
  const id = useId();
  const gpuMemory = gpuMemoryGb(type);
  const places = offer.regions.filter(({ available }) => available > 0);
  return (
    <label className={classes.card} data-chosen={chosen} data-full={offer.available === 0}>
      <input
        className="hidden"
        type="radio"
        name="instance-type"
        value={type.name}
        checked={chosen}
        onChange={onChoose}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-price ${id}-shape ${id}-room`}
      />
      <span className={classes.head}>
        <span className={classes.name} id={`${id}-name`}>
          {type.gpus > 0 && <span className={classes.count}>{type.gpus}×</span>}
          {typeName(type)}
        </span>
        <span className={classes.price} id={`${id}-price`}>
          {priceOf(type.price_cents_per_hour)}
          <span className="soft"> /h</span>
          {type.spot_price_cents_per_hour !== null && (
            <span className={classes.spot}>spot {priceOf(type.spot_price_cents_per_hour)}</span>
          )}
        </span>
      </span>
      <span className={classes.shape} id={`${id}-shape`}>
        {gpuMemory !== undefined && <span>{formatNumber(gpuMemory)} GB GPU memory</span>}
        <span>{counted(type.vcpus, "vCPU")}</span>
        <span>{formatNumber(type.memory_gib)} GiB memory</span>
        <span>{formatNumber(type.storage_gb)} GB storage</span>
        {type.architecture === "arm64" && <span>Arm</span>}
      </span>
      <span className={classes.room} id={`${id}-room`}>
        {places.length === 0 ? (
          <>
            <span className={classes.none}>
              {offer.regions.some(({ offered }) => offered) ? "No capacity now" : "Not offered in any region"}
            </span>
            <ReturningNote returning={offer.regions.flatMap(({ returning }) => returning)} />
          </>
        ) : (
          places.map((place) => (
            <span key={place.name} className={classes.place} title={place.description}>
              {place.name} <b>{formatNumber(place.available)}</b>
            </span>
          ))
        )}
      </span>
    </label>
  );
}

const waiting = [0, 1, 2, 3, 4, 5, 6, 7];

export function InstanceTypesWaiting() {
  return (
    <div className={classes.cards} aria-busy="true">
      {waiting.map((card) => (
        <Skeleton key={card} height={112} radius="md" />
      ))}
    </div>
  );
}

type Named = Pick<Shape<"InstanceType">, "name" | "description" | "gpus" | "gpu_description">;

/** The name where the number of GPUs stands beside it: its GPU, or its description without GPUs. */
export function typeName({ name, description, gpus, gpu_description }: Named): string {
  return (gpus === 0 ? description : gpu_description) || description || name;
}
