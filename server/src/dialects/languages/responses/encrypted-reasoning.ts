import { asFields, asList, ofEachPart, someText } from '../../neutral/fields.js';
import { makerOfProof } from '../../neutral/thought-proof.js';

/** Returns the last encrypted reasoning of OpenAI's kind among the items of an input or an output. */
export const lastProof = (items: unknown): string | undefined =>
  proofsIn(asList(items)).findLast((proof) => proof !== null) ?? undefined;

const proofsIn = ofEachPart((items): string | null => {
  for (const given of items.toReversed()) {
    const item = asFields(given);
    if (item?.['type'] !== 'reasoning') continue;
    const encrypted = someText(item['encrypted_content']);
    if (encrypted !== undefined && makerOfProof(encrypted) === 'openai') return encrypted;
  }
  return null;
});
