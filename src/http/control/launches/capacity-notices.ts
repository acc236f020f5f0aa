// Control interface: capacity notices. An account asks to be told, by event and webhook, when there is capacity for an
// instance type in a region, instead of asking again and again.

import { Type } from "typebox";
import {
  createNotice,
  deleteNotice,
  listNotices,
  type CapacityNotice as StoredNotice,
} from "../../../rental/capacity-notices/notice-store.ts";
import { seenCapacity } from "../../../rental/capacity-notices/seen-capacity.ts";
import { announcedAfterSeconds, noticesPerAccount } from "../../../rules/capacity-notices.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import * as field from "../fields.ts";

const { available, unavailable } = announcedAfterSeconds;

const CapacityNotice = Type.Object(
  {
    id: field.uuid(),
    instance_type: field.orNull(Type.String(), "Null: every one."),
    region: field.orNull(Type.String(), "Null: every one."),
    available: Type.Array(
      Type.Object(
        {
          instance_type: Type.String(),
          region: Type.String(),
          since: Type.String({ format: "date-time", description: "When it was announced." }),
        },
        { title: "AnnouncedCapacity" },
      ),
      {
        description:
          "Where there is capacity for at least one instance, of what it is about. No event comes of these before " +
          "their capacity was gone.",
      },
    ),
    created_at: field.timestamp(),
  },
  { title: "CapacityNotice" },
);

const CreateCapacityNotice = Type.Object(
  {
    instance_type: Type.Optional(
      Type.String({ ...limit.name, description: "Its name. Default: every one.", examples: ["gpu_8x_h100_sxm5"] }),
    ),
    region: Type.Optional(
      Type.String({ ...limit.name, description: "Its name, or `any`, the default, for every one.", examples: ["any"] }),
    ),
  },
  { title: "CreateCapacityNotice" },
);

const tag = "Capacity notices";
const example = view({
  id: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b70",
  instanceType: "gpu_8x_h100_sxm5",
  region: null,
  available: [],
  createdAt: new Date("2026-03-01T12:00:00.000Z"),
});
const since = "2026-03-01T11:00:00.000Z";
const examples = {
  made: example,
  listed: {
    ...example,
    available: [{ instance_type: "gpu_8x_h100_sxm5", region: "us-east-1", since }],
  },
};

export function capacityNoticeRoutes(api: Api): void {
  api.get(
    "/capacity-notices",
    {
      id: "listCapacityNotices",
      tag,
      summary: "List capacity notices",
      description: "The notices of your account, oldest first, with where there is capacity now.",
      query: Type.Object(pageQuery),
      answer: field.many(CapacityNotice),
      example: { answer: { data: [examples.listed] } },
    },
    async ({ db, principal, page }) => ({
      data: (await page(byId, (window) => listNotices(db, principal, window))).map(view),
    }),
  );

  api.post(
    "/capacity-notices",
    {
      id: "createCapacityNotice",
      tag,
      summary: "Create a capacity notice",
      description:
        "Your account gets the event `capacity.available` each time there is capacity for at least one instance of the " +
        `type in a region where there was none: when it has lasted for ${available} seconds, and after there was none ` +
        `for ${unavailable} seconds. What is kept for launches that wait does not count. It reserves nothing. At most ` +
        `${noticesPerAccount} for each account. Safe to repeat: the same notice is returned.`,
      body: CreateCapacityNotice,
      answer: field.one(CapacityNotice),
      example: { request: { instance_type: "gpu_8x_h100_sxm5" }, answer: { data: examples.made } },
      errors: ["unknown-name", "quota-exceeded"],
      // What the first notice of all begins with.
      before: () => seenCapacity(api.context.db, api.context.service.capacity),
    },
    async ({ tx, principal, body }, seen) => {
      const order = { instanceType: body.instance_type, region: body.region };
      return { data: view(await createNotice(tx, principal, order, seen)) };
    },
  );

  api.delete(
    "/capacity-notices/:id",
    {
      id: "deleteCapacityNotice",
      tag,
      summary: "Delete a capacity notice",
      description: "No more events come of it.",
      params: field.IdParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, principal, params }) => {
      await deleteNotice(tx, principal, params.id);
      return { data: {} };
    },
  );
}

function view(notice: StoredNotice) {
  return {
    id: notice.id,
    instance_type: notice.instanceType,
    region: notice.region,
    available: notice.available.map((one) => ({
      instance_type: one.instanceType,
      region: one.region,
      since: one.since.toISOString(),
    })),
    created_at: notice.createdAt.toISOString(),
  };
}
