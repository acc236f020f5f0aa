// The key ring of tests: the same in every process, so that several servers share it. Used by world.ts and by what composes
// a service.

import { KeyRing } from "../../src/secrets/key-ring.ts";

export const testKeyRing = (): KeyRing => new KeyRing([Buffer.alloc(32, 7)]);
