import type { ChatRequest } from '../../contract.js';
import { splicedFields } from './spliced-fields.js';

const closingBrace = 0x7d;

/**
 * Returns the body of a call whose dialect the provider speaks: the client's bytes if nothing changes, the same bytes
 * with appended fields if fields are only added, and otherwise the same bytes around the changed fields.
 * @param changes fields to set; undefined removes one
 */
export function minimalChange(
  { body, rawBody }: Pick<ChatRequest, 'body' | 'rawBody'>,
  changes: Readonly<Record<string, unknown>>,
): Buffer {
  const names = Object.keys(changes).filter((name) => changes[name] !== undefined || name in body);
  if (names.length === 0) return rawBody;
  const onlyAdds = Object.keys(body).length > 0 && names.every((name) => !(name in body));
  if (!onlyAdds) return splicedFields(rawBody, changes);
  const added = JSON.stringify(Object.fromEntries(names.map((name) => [name, changes[name]]))).slice(1);
  return Buffer.concat([rawBody.subarray(0, rawBody.lastIndexOf(closingBrace)), Buffer.from(`,${added}`)]);
}
