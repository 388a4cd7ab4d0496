import type { Status } from './status.js';

/** Returns the status in snake case. `checkin_enabled` is the name that clients of new-api read. */
export const toWire = (status: Status): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.entries(status).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  ),
  checkin_enabled: status.checkInEnabled,
});
