import type { Target } from '../../adapter.js';

export const bearer = ({ key }: Target): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** For providers that may run without a key: an empty one is not sent. */
export const bearerIfGiven = (target: Target): Record<string, string> =>
  target.key.trim() === '' ? {} : bearer(target);
