// The idle rule in bodies and answers of the control interface. Used by launch.ts and view.ts.

import { Type } from "typebox";
import { idleActionNames, idleActions, idleMinutes } from "../../../rules/idle.ts";
import * as field from "../fields.ts";

const actionWords = idleActionNames.map((name) => `\`${name}\`: ${idleActions[name]}`).join(" ");

export const IdleRule = Type.Object(
  {
    minutes: field.whole(idleMinutes.least, idleMinutes.most, "So long none of its GPUs is used."),
    action: Type.Enum([...idleActionNames], { title: "IdleAction", description: actionWords }),
  },
  { title: "IdleRule" },
);
