import { asFields, asText, someText, type Fields } from '../../neutral/fields.js';
import { isForeignProof } from '../../neutral/thought-proof.js';
import { isMadeId } from './response-object.js';
import { imageTypeOf } from './responses-read.js';

/**
 * Items that this server made from the response of another provider, as a provider of Responses takes them: without their ids,
 * which it does not know, without thoughts, whose proof it refuses, and with drawn images as input.
 * @param input of a Responses body
 * @returns null when nothing has to change
 */
export function withoutForeignItems(input: unknown): unknown[] | null {
  if (!Array.isArray(input)) return null;
  const kept = (input as unknown[]).flatMap((item) => keptItem(item));
  return kept.length === input.length && kept.every((item, index) => item === input[index]) ? null : kept;
}

function keptItem(given: unknown): unknown[] {
  const item = asFields(given);
  if (!item) return [given];
  const isMade = isMadeId(item['id']);
  if (item['type'] === 'reasoning' && (isMade || isForeign(item))) return [];
  if (!isMade || item['type'] === 'item_reference') return [given];
  if (item['type'] === 'image_generation_call') return [shownImage(item) ?? given];
  const { id: _id, ...rest } = item;
  return [rest];
}

/** A provider of Responses looks up an image that it drew by its id, and refuses one without: here it is input. */
function shownImage(item: Fields): Fields | null {
  const data = someText(item['result']);
  if (data === undefined) return null;
  const image = { type: 'input_image', image_url: `data:${imageTypeOf(item)};base64,${data}` };
  return { type: 'message', role: 'user', content: [image] };
}

function isForeign(item: Fields): boolean {
  const encrypted = someText(item['encrypted_content']);
  return encrypted !== undefined && (encrypted.startsWith('redacted:') || isForeignProof(asText(encrypted), 'openai'));
}
