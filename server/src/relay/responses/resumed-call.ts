import { RelayError } from '../errors/relay-error.js';
import { asFields, asList, someText, type Fields } from '../neutral/fields.js';
import type { SealedSummaries } from './sealed-summaries.js';
import type { StoredResponse, StoredResponses } from './stored-responses.js';

export interface ResumedCall {
  readonly rawBody: Buffer;
  /** Who stores the response that is continued; null: any channel can serve the call. */
  readonly stored: StoredResponse | null;
  /** Of the response that is continued. */
  readonly previousId: string | null;
}

const mentions = (rawBody: Buffer): boolean =>
  rawBody.includes('"previous_response_id"') || rawBody.includes('"item_reference"') || rawBody.includes('"compaction');

/** Where responses and compactions that a call refers to are found. */
export interface Resumable {
  readonly responses: Pick<StoredResponses, 'enabled' | 'find' | 'findByItem'>;
  readonly summaries: SealedSummaries;
}

/** Puts in the conversation that a call continues by an id, where it is stored here, and the summaries made here. */
export async function resumeCall(
  rawBody: Buffer,
  tokenId: number,
  { responses, summaries }: Resumable,
): Promise<ResumedCall> {
  const unchanged = { rawBody, stored: null, previousId: null };
  if (!mentions(rawBody)) return unchanged;
  const body = parsed(rawBody);
  if (!body) return unchanged;
  const previous = responses.enabled ? someText(body['previous_response_id']) : undefined;
  const stored = previous === undefined ? null : await responses.find(tokenId, previous);
  const previousId = previous ?? null;
  const given = itemsOf(body['input']);
  const found = responses.enabled
    ? await Promise.all(given.map((item) => resolveItem(item, tokenId, responses)))
    : given;
  const input = found.map((item) => summaries.opened(item, tokenId));
  const isStoredThere = stored?.own === null;
  const isChanged = (stored !== null && !isStoredThere) || input.some((item, index) => item !== given[index]);
  if (!isChanged) return { ...unchanged, ...(isStoredThere ? { stored, previousId } : {}) };
  const { previous_response_id: _previous, ...rest } = body;
  const resumed = {
    ...(stored && !isStoredThere ? rest : body),
    input: [...(stored?.own?.items ?? []), ...input],
  };
  return { rawBody: Buffer.from(JSON.stringify(resumed)), stored: isStoredThere ? stored : null, previousId };
}

/** `input` as a list of items. */
export const itemsOf = (input: unknown): readonly unknown[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : asList(input);

async function resolveItem(
  given: unknown,
  tokenId: number,
  responses: Pick<StoredResponses, 'findByItem'>,
): Promise<unknown> {
  const item = asFields(given);
  const id = item?.['type'] === 'item_reference' ? someText(item['id']) : undefined;
  if (id === undefined) return given;
  const stored = await responses.findByItem(tokenId, id);
  const found = stored?.own?.items.find((each) => asFields(each)?.['id'] === id);
  return found ?? given;
}

/** @returns null for anything but a JSON object: the endpoint says what is wrong with it */
function parsed(rawBody: Buffer): Fields | null {
  try {
    return asFields(JSON.parse(rawBody.toString('utf8')));
  } catch {
    return null;
  }
}

export const responseNotFound = (id: string): RelayError =>
  new RelayError('NOT_FOUND', `Response with id '${id.slice(0, 100)}' not found.`, 'response_not_found');
