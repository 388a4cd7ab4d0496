import { z } from 'zod';
import { named, text } from '../../platform/http/openapi/operation.js';
import { definitionOf, isOptionKey } from '../../options/option-registry.js';
import type { OptionEntry } from '../../options/option-entry.js';

export const optionShape = named('Option', 'A setting of the site.', {
  key: text('Name'),
  value: text('Value as text: `true`, a number, a list or JSON'),
});

/** Older clients send booleans and numbers unquoted, and drop a field that was emptied. */
export const optionBody = z.object({
  key: z.string(),
  value: z.union([z.string(), z.number(), z.boolean()]).transform(String).nullish(),
});

/** Keys whose values the old list hides, matched by name. */
const hiddenName = /(token|secret|key)$/i;

const isHidden = (key: string): boolean => hiddenName.test(key) || (isOptionKey(key) && definitionOf(key).secret);

/**
 * Returns the value that a body of an older form means: an emptied field is an empty text, or zero for a number.
 * Undefined means no change: forms never had the value of a hidden setting, so they send it back without one.
 */
export function givenValue({ key, value }: z.infer<typeof optionBody>): string | undefined {
  if (value == null && isHidden(key)) return undefined;
  const text = value ?? '';
  const isNumber = isOptionKey(key) && ['integer', 'decimal'].includes(definitionOf(key).kind);
  return isNumber && text.trim() === '' ? '0' : text;
}

export const toWire = (entries: readonly OptionEntry[]): Array<z.output<typeof optionShape>> =>
  entries.filter(({ key }) => !isHidden(key)).map(({ key, value }) => ({ key, value }));
