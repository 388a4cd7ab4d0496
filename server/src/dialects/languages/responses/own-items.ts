import { asFields, asList, asText, replaceInParts, someText, type Fields } from '../../neutral/fields.js';
import { isForeignProof, makerOfProof } from '../../neutral/thought-proof.js';
import { isMadeId } from './response-object.js';
import { imageTypeOf } from './responses-read.js';

/**
 * Converts items that this server made from the response of another provider, so that a provider of Responses accepts
 * them: without their ids, which it does not know, without thoughts, whose proof it refuses, without searches, which it did
 * not run, and with drawn images as input.
 * @param input the input of a Responses body
 * @param isOpenAI whether the provider accepts only OpenAI's proof, and refuses the text of thoughts
 * @returns null if nothing has to change
 */
export function withoutForeignItems(input: unknown, isOpenAI = false): unknown[] | null {
  if (!Array.isArray(input)) return null;
  return (isOpenAI ? keptByOpenAI : keptByOthers)(input as unknown[]);
}

const keptByOpenAI = replaceInParts((item) => keptItem(item, true));
const keptByOthers = replaceInParts((item) => keptItem(item, false));

function keptItem(given: unknown, isOpenAI: boolean): unknown[] {
  const item = asFields(given);
  if (!item) return [given];
  const isMade = isMadeId(item['id']);
  if (item['type'] === 'reasoning') {
    if (isMade || isForeign(item, isOpenAI)) return [];
    return isOpenAI && asList(item['content']).length > 0 ? [withoutContent(item)] : [given];
  }
  if (!isMade || item['type'] === 'item_reference') return [given];
  if (item['type'] === 'web_search_call') return [];
  if (item['type'] === 'image_generation_call') return [shownImage(item) ?? given];
  const { id: _id, ...rest } = item;
  return [rest];
}

/**
 * A provider of Responses looks up an image that it drew by its id, and refuses one without an id, so the image becomes
 * input.
 */
function shownImage(item: Fields): Fields | null {
  const data = someText(item['result']);
  if (data === undefined) return null;
  const image = { type: 'input_image', image_url: `data:${imageTypeOf(item)};base64,${data}` };
  return { type: 'message', role: 'user', content: [image] };
}

function withoutContent(item: Fields): Fields {
  const { content: _content, ...rest } = item;
  return rest;
}

function isForeign(item: Fields, isOpenAI: boolean): boolean {
  const encrypted = someText(item['encrypted_content']);
  if (isOpenAI && encrypted !== undefined) return makerOfProof(encrypted) !== 'openai';
  return encrypted !== undefined && (encrypted.startsWith('redacted:') || isForeignProof(asText(encrypted), 'openai'));
}
