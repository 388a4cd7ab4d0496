import { asFields, asList, someText } from '../../neutral/fields.js';
import { makerOfProof } from '../../neutral/thought-proof.js';

/** Returns the last encrypted reasoning of OpenAI's kind among the items of an input or an output. */
export function lastProof(items: unknown): string | undefined {
  for (const given of asList(items).toReversed()) {
    const item = asFields(given);
    if (item?.['type'] !== 'reasoning') continue;
    const encrypted = someText(item['encrypted_content']);
    if (encrypted !== undefined && makerOfProof(encrypted) === 'openai') return encrypted;
  }
  return undefined;
}
