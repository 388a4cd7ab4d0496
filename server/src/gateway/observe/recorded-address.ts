import type { Caller } from '../admit/authentication.js';

/** Characters. A trusted proxy may forward any text. */
const maxLength = 64;

/** Returns the client's address for the log row of a call. Undefined unless the user has chosen to record it. */
export const recordedAddress = ({ user }: Caller, address: string): string | undefined =>
  user.recordsAddress ? address.replace(/^::ffff:/, '').slice(0, maxLength) : undefined;
