// The parts of the API that the check reads in addition to ../api.ts; other fields are ignored.

import { Type } from "typebox";
import { Compile } from "typebox/compile";

const Text = Type.String();
const Texts = Type.Record(Text, Text);
const maybe = Type.Optional;

/** Without `environment` if the server does not trust our certificate. */
export const AnyServerAnswer = Compile(
  Type.Object({
    type: Type.Literal("sync"),
    metadata: Type.Object({
      auth: Text,
      environment: maybe(Type.Object({ server: maybe(Text), server_name: maybe(Text), server_version: maybe(Text) })),
    }),
  }),
);

export const ProjectAnswer = Compile(Type.Object({ config: Texts }));

export const GroupsAnswer = Compile(
  Type.Array(Type.Object({ name: Text, members: maybe(Type.Union([Type.Null(), Type.Array(Text)])) })),
);

/** The members on which a pool or a network is created. */
const placed = { status: maybe(Text), locations: maybe(Type.Union([Type.Null(), Type.Array(Text)])) };
export const PoolDetailAnswer = Compile(Type.Object({ driver: Text, ...placed }));
export const NetworkDetailAnswer = Compile(
  Type.Object({ type: Text, managed: Type.Boolean(), config: Texts, ...placed }),
);

export const ProfileAnswer = Compile(Type.Object({ devices: Type.Record(Text, Texts) }));

export const AliasAnswer = Compile(Type.Object({ target: Text }));
export const AliasesAnswer = Compile(Type.Array(Type.Object({ name: Text, type: maybe(Text) })));

export const ImageAnswer = Compile(
  Type.Object({ fingerprint: Text, type: maybe(Text), architecture: maybe(Text), size: maybe(Type.Number()) }),
);

export const ArchitectureAnswer = Compile(Type.Array(Type.Object({ server_name: Text, architecture: maybe(Text) })));

/** What the daemons reported themselves. */
export const WarningsAnswer = Compile(
  Type.Array(Type.Object({ type: Text, location: maybe(Text), status: maybe(Text), last_message: maybe(Text) })),
);
