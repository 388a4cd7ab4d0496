import type { TFunction } from 'i18next';
import { integer } from '../../lib/format.js';

/**
 * Notes of a field with a largest length: beside its label the length when it comes near, and below why typing has no
 * effect once it is reached. Browsers cut what is pasted without a message.
 */
export function lengthNotes(
  text: string,
  maxLength: number | undefined,
  t: TFunction,
): { readonly aside?: string; readonly hint?: string } {
  if (maxLength === undefined || text.length < maxLength * 0.8) return {};
  const max = integer(maxLength);
  const aside = t('form.length', { length: integer(text.length), max });
  return text.length < maxLength ? { aside } : { aside, hint: t('form.maxLength', { max }) };
}
