import type { Status } from './status.js';

/** `systemName` is `system_name` there; the rest is the same. */
export const toWire = (status: Status): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(status).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
