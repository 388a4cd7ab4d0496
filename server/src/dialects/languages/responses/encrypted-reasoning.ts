import { always, asFields, asList, ofEachPart, someText } from '../../neutral/fields.js';
import { makerOfProof } from '../../neutral/thought-proof.js';

/** Returns the last encrypted reasoning of OpenAI's kind among the items of an input or an output. */
export function lastProof(items: unknown): string | undefined {
  const list = asList(items);
  return proofIn(list[lastProven(list).findLast((index) => index >= 0) ?? -1]);
}

/** The index of the last item that has a proof, or -1. */
const lastProven = ofEachPart((items, from): number => {
  const last = items.findLastIndex((item) => proofIn(item) !== undefined);
  return last < 0 ? -1 : from + last;
}, always);

function proofIn(given: unknown): string | undefined {
  const item = asFields(given);
  if (item?.['type'] !== 'reasoning') return undefined;
  const encrypted = someText(item['encrypted_content']);
  return encrypted !== undefined && makerOfProof(encrypted) === 'openai' ? encrypted : undefined;
}
