import type { FormPart } from '../../../dialects/contract.js';
import { textFields, textParts, withTextParts } from '../../../dialects/wire/forms/multipart.js';
import { bodyTexts, textsAtOnce, withTexts } from './body-texts.js';
import type { CallGuard } from './call-guard.js';

/** The body of a request. Its form, if it is one, may have several texts of one name. */
export interface GivenBody {
  readonly body: Readonly<Record<string, unknown>>;
  readonly form?: readonly FormPart[] | null | undefined;
}

/** Returns every text of a request for media, besides those of these fields, which have media and ids. */
export const textsOf = ({ body, form }: GivenBody, unsearched: ReadonlySet<string>): string[] =>
  textsAtOnce(form ? textParts(form) : body, unsearched);

/**
 * Applies the rules for input to every text of a request.
 * @param unsearched fields that are left out, besides the fields that every dialect leaves out
 * @returns the request after masking; the same object when nothing was masked
 * @throws like `CallGuard.apply`
 */
export async function guardedInput<Given extends GivenBody>(
  guard: CallGuard,
  given: Given,
  unsearched?: ReadonlySet<string>,
): Promise<Given> {
  const { body, form } = given;
  if (!form) {
    const masked = await guarded(guard, body, unsearched);
    return masked === body ? given : { ...given, body: masked };
  }
  const parts = textParts(form);
  const masked = await guarded(guard, parts, unsearched);
  if (masked === parts) return given;
  const written = withTextParts(form, masked);
  return { ...given, body: textFields(written), form: written };
}

async function guarded<Value>(guard: CallGuard, value: Value, unsearched?: ReadonlySet<string>): Promise<Value> {
  const texts = await bodyTexts(value, unsearched);
  const passed = await guard.apply(texts, 'input');
  return passed === texts ? value : withTexts(value, passed, unsearched);
}
