// Launch: rents `quantity` instances, all or none, in one transaction: rules, names, price, capacity, rows, event, quota.
// Source: specification, Endpoints (launch); decisions, Launch.

import { randomBytes } from "node:crypto";
import type { Insertable } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/schema.ts";
import { takeQuota } from "../accounts/account-store.ts";
import { refuseOverSpendLimit } from "../billing/spend-limit.ts";
import { hold, type Place } from "../capacity/placement.ts";
import { findImage, type Image } from "../catalog/image-store.ts";
import { findProduct } from "../catalog/product-store.ts";
import { anyRegion, listRegions, type Region } from "../catalog/region-store.ts";
import { type Coupon, redeem } from "../coupons/index.ts";
import { invalid, RentalError, unknownName } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { type Binding, commonPlace } from "../file-systems/common-place.ts";
import { attach, type FileSystem, fileSystemsByName, refuseAttached } from "../file-systems/index.ts";
import type { Service, Tenant } from "../service.ts";
import { keysByName, type SshKey } from "../ssh-keys/index.ts";
import {
  envVarsContext,
  fromRow,
  type Instance,
  jupyterTokenContext,
  type Product,
  passwordContext,
} from "./instance.ts";
import { instanceEvent } from "./instance-event.ts";
import { insertAll } from "./instance-store.ts";
import { checkOrder, type LaunchOrder } from "./launch-order.ts";
import { initialState } from "./lifecycle.ts";
import { newLoginPassword } from "./login-password.ts";
import { defaultInstanceName, hostnameFor } from "./names.ts";
import { wakeFulfilment } from "./wake.ts";

/**
 * Rents `order.quantity` instances of one product in one region. Throws RentalError invalid-parameters, unknown-name,
 * coupon-refused, image-not-supported, conflict (a file system attached elsewhere), insufficient-capacity,
 * quota-exceeded, spend-limit-exceeded; then nothing happened.
 */
export async function launch(
  tx: Transaction,
  service: Service,
  tenant: Tenant,
  order: LaunchOrder,
): Promise<Instance[]> {
  checkOrder(order, service.limits);
  const named = await lookUp(tx, tenant, order);
  await refuseOverSpendLimit(tx, tenant);
  const instanceIds = Array.from({ length: order.quantity }, () => uuidv7());
  const { product, region, bound } = named;
  const places = await hold(tx, { product, region, instanceIds, bound }).catch((refusal) => {
    if (refusal instanceof RentalError) service.noRoom?.note(product);
    throw refusal;
  });
  const rows = places.map((place) => rowFor(place, service, tenant, order, named));
  const launched = await insertAll(tx, rows);
  for (const place of places) await attach(tx, named.fileSystems, place);
  await recordEvents(
    tx,
    launched.map((row) => instanceEvent(row, initialState)),
  );
  await takeQuota(tx, tenant.accountId, {
    instances: order.quantity,
    gpus: order.quantity * named.product.gpus,
    vcpus: order.quantity * named.product.vcpus,
  });
  await wakeFulfilment(tx);
  return launched.map(fromRow);
}

/** Everything the order names, found. */
interface Named {
  readonly product: Product;
  readonly image: Image;
  readonly keys: readonly SshKey[];
  readonly fileSystems: readonly FileSystem[];
  readonly coupon: Coupon | undefined;
  readonly regions: readonly Region[];
  /** Undefined: the best region. */
  readonly region: string | undefined;
  /** Where its file systems are; undefined: wherever there is room. */
  readonly bound: Binding | undefined;
}

async function lookUp(tx: Transaction, tenant: Tenant, order: LaunchOrder): Promise<Named> {
  const { fields } = order;
  const product = await findProduct(tx, order.instanceType);
  if (product === undefined) throw unknownName(fields.instanceType, "instance type", order.instanceType);
  const regions = await listRegions(tx);
  if (order.region !== anyRegion && !regions.some((region) => region.name === order.region)) {
    throw unknownName(fields.region, "region", order.region);
  }
  const image = await imageFor(tx, order, product);
  const keys = await keysByName(tx, tenant, order.sshKeyNames, fields.sshKeys);
  const fileSystems = await fileSystemsByName(tx, tenant, order.fileSystemNames, fields.fileSystems);
  // Before room is looked for: where there is none, that would be the reason given.
  refuseAttached(fileSystems);
  const coupon = order.coupon === undefined ? undefined : await redeem(tx, order.coupon, product.name);
  const region = regionFor(order, fileSystems);
  const bound = commonPlace(fileSystems, fields.fileSystems);
  return { product, image, keys, fileSystems, coupon, regions, region, bound };
}

async function imageFor(tx: Transaction, order: LaunchOrder, product: Product): Promise<Image> {
  const image = await findImage(tx, order.image);
  if (image === undefined) {
    const asked =
      order.image === undefined ? "default" : "name" in order.image ? order.image.name : `${order.image.number}`;
    throw unknownName(order.fields.image, "image", asked);
  }
  if (product.gpuModel !== null && image.unsupportedGpuModels.includes(product.gpuModel)) {
    throw new RentalError("image-not-supported", { product: product.name, image: image.name });
  }
  return image;
}

/** A file system is in one region, so the instance has to be there; "any" then means that one. */
function regionFor(order: LaunchOrder, fileSystems: readonly FileSystem[]): string | undefined {
  const asked = order.region === anyRegion ? undefined : order.region;
  const region = asked ?? fileSystems[0]?.region;
  const elsewhere = fileSystems.find((one) => one.region !== region);
  if (elsewhere !== undefined) {
    throw invalid(order.fields.fileSystems, `File system ${elsewhere.name} is in region ${elsewhere.region}.`);
  }
  return region;
}

function rowFor(
  place: Place,
  service: Service,
  tenant: Tenant,
  order: LaunchOrder,
  named: Named,
): Insertable<InstancesTable> {
  const { product, image, keys, coupon } = named;
  const id = place.instanceId;
  const name = order.name ?? defaultInstanceName(product.name, id);
  const hasEnvVars = Object.keys(order.envVars).length > 0;
  const password = order.passwordWithoutKeys && keys.length === 0 ? newLoginPassword() : undefined;
  return {
    id,
    account_id: tenant.accountId,
    name,
    hostname: hostnameFor(name, id),
    state: initialState,
    progress: "being created",
    region: place.region,
    region_description: named.regions.find((region) => region.name === place.region)?.description ?? "",
    instance_type: product.name,
    type_description: product.description,
    gpu_model: product.gpuModel,
    gpu_description: product.gpuDescription,
    gpus: product.gpus,
    vcpus: product.vcpus,
    memory_gib: product.memoryGib,
    storage_gb: product.storageGb,
    price_cents_per_hour: product.priceCentsPerHour,
    coupon_code: coupon?.code ?? null,
    discount_basis_points: coupon?.discountBasisPoints ?? 0,
    image_name: image.name,
    image_number: image.number,
    image_description: image.description,
    login_user: image.loginUser,
    ssh_keys: JSON.stringify(keys.map((key) => ({ name: key.name, public_key: key.publicKey }))),
    file_system_names: named.fileSystems.map((one) => one.name),
    command: order.command ?? null,
    env_vars_sealed: hasEnvVars ? service.keyRing.seal(JSON.stringify(order.envVars), envVarsContext(id)) : null,
    password_sealed: password === undefined ? null : service.keyRing.seal(`${password}`, passwordContext(id)),
    jupyter_token_sealed: image.jupyter ? service.keyRing.seal(newJupyterToken(), jupyterTokenContext(id)) : null,
    engine: place.engine,
    host: place.host,
    gpu_addresses: [...place.gpuAddresses],
  };
}

/** 48 hex digits, as Jupyter makes them itself: they need no escaping in a URL. */
function newJupyterToken(): string {
  return randomBytes(24).toString("hex");
}
