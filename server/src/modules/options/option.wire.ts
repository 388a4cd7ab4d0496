import { z } from 'zod';
import type { OptionEntry } from './option.service.js';

/** Older clients send booleans and numbers unquoted. */
export const optionBody = z.object({
  key: z.string(),
  value: z.union([z.string(), z.number(), z.boolean()]).transform(String),
});

/** Keys whose values the old list hides, matched by name. */
const hiddenName = /(token|secret|key)$/i;

export const toWire = (entries: readonly OptionEntry[]): Array<{ key: string; value: string }> =>
  entries.filter(({ key, secret }) => !secret && !hiddenName.test(key)).map(({ key, value }) => ({ key, value }));
