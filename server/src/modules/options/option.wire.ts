import { z } from 'zod';
import type { OptionEntry } from './option.service.js';

/** Older clients send switches and numbers bare. */
export const optionBody = z.object({
  key: z.string(),
  value: z.union([z.string(), z.number(), z.boolean()]).transform(String),
});

/** Keys by whose names the old list hides what it must not show. */
const hiddenName = /(token|secret|key)$/i;

export const toWire = (entries: readonly OptionEntry[]): Array<{ key: string; value: string }> =>
  entries.filter(({ key, secret }) => !secret && !hiddenName.test(key)).map(({ key, value }) => ({ key, value }));
