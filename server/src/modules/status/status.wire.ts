import type { Status } from './status.js';

/** The same fields in snake case. */
export const toWire = (status: Status): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(status).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
