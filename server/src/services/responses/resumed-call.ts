import { AppError } from '../../shared/errors.js';
import { previousNotFound } from '../../gateway/route/affinity/call-origin.js';
import type { BodyAllowance } from '../../gateway/request.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import { parseAhead, parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { asFields, asList, someText, someTurn, type Fields } from '../../dialects/neutral/fields.js';
import { lastProof } from '../../dialects/languages/responses/encrypted-reasoning.js';
import { isMadeId } from '../../dialects/languages/responses/response-object.js';
import { sizeOf, toJsonBytes } from './json-pieces.js';
import type { ReasoningOrigin, ReasoningOrigins } from './reasoning-origins.js';
import { isCompaction, type SealedSummaries } from './sealed-summaries.js';
import type { StoredResponse, StoredResponses } from './stored-responses.js';

export interface ResumedRequest {
  readonly rawBody: Buffer;
  /** The id of the response that is continued. */
  readonly previousId: string | null;
  /** The account that created the encrypted reasoning of the request. Null when there is none, or it is not known. */
  readonly reasoning: ReasoningOrigin | null;
}

/** Maximum bytes of a body with the conversation that it continues. */
const maxResumedBytes = 64 * 1024 * 1024;
/**
 * Maximum number of responses that one call may look up for its references. A conversation that this server generated
 * needs one look-up.
 */
const maxLookups = 32;

/** Finds the responses and compactions that a call refers to. */
export interface Resumable {
  readonly responses: Pick<StoredResponses, 'enabled' | 'find' | 'findByItem'>;
  readonly reasoning: ReasoningOrigins;
  readonly summaries: SealedSummaries;
}

/**
 * Inserts the conversation that a call continues by an id, if it is stored here, and the summaries generated here.
 * @param allowance limits the bytes of the completed body, and counts them
 * @throws AppError PAYLOAD_TOO_LARGE, RATE_LIMITED, SERVICE_UNAVAILABLE; RelayError invalid_request when the call
 * refers to too many responses, previous_response_not_found for one that a guardrail has refused
 */
export async function resumeCall(
  rawBody: Buffer,
  { tokenId = 0, grant, maxBytes = maxResumedBytes }: BodyAllowance,
  { responses, summaries, reasoning: origins }: Resumable,
): Promise<ResumedRequest> {
  const body = parsed(rawBody);
  if (!body) return { rawBody, previousId: null, reasoning: null };
  const proof = origins.enabled ? lastProof(body['input']) : undefined;
  const reasoning = proof === undefined ? null : await origins.find(tokenId, proof);
  const previous = responses.enabled ? someText(body['previous_response_id']) : undefined;
  const stored = previous === undefined ? null : await responses.find(tokenId, previous, grant);
  if (previous !== undefined && stored?.refused) throw previousNotFound(previous, 'is not known');
  const previousId = previous ?? null;
  const given = itemsOf(body['input']);
  if (!stored?.own && !mayChange(given)) return { rawBody, previousId, reasoning };
  const find = (id: string): Promise<StoredResponse | null> => responses.findByItem(tokenId, id, grant);
  const found = responses.enabled ? await resolveItems(given, find) : given;
  const own = stored?.own ?? null;
  const { items, begin } = summaries.opened([...(own?.items ?? []), ...found], tokenId);
  const isChanged = own !== null || items.length !== given.length || items.some((item, index) => item !== given[index]);
  if (!isChanged) return { rawBody, previousId, reasoning };
  const { previous_response_id: _previous, ...rest } = body;
  // A summary in the input itself also replaces a response that the provider stores.
  const keepsId = own === null && begin < 0;
  // One item may be referred to many times, so its size is checked before the text is written.
  const added = sizeOfAdded(items, given);
  if (rawBody.length + added > maxBytes) {
    throw new AppError('PAYLOAD_TOO_LARGE', 'The request is too large together with what it continues');
  }
  grant?.grow(added);
  const completed = await toJsonBytes({ ...(keepsId ? body : rest), input: items });
  await parseAhead(completed);
  return {
    rawBody: completed,
    previousId,
    // Reasoning that a summary replaces is not sent.
    reasoning: lastProof(items) === undefined ? null : reasoning,
  };
}

/** Returns the characters of the items that the client did not send. */
function sizeOfAdded(items: readonly unknown[], given: readonly unknown[]): number {
  const own = new Set(given);
  const sizes = new Map<unknown, number>();
  let sum = 0;
  for (const item of items) {
    if (own.has(item)) continue;
    let size = sizes.get(item);
    if (size === undefined) sizes.set(item, (size = sizeOf(item)));
    sum += size;
  }
  return sum;
}

/** Returns `input` as a list of items. */
export const itemsOf = (input: unknown): readonly unknown[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : asList(input);

const referenceIn = (given: unknown): string | undefined => {
  const { type, id, result } = asFields(given) ?? {};
  // Clients refer to an image that they continue from without sending it again.
  const isReference = type === 'item_reference' || (type === 'image_generation_call' && !result);
  return isReference ? someText(id) : undefined;
};

/** Whether items refer to others, or may be a conversation that this server sealed. */
const mayChange = someTurn((item) => referenceIn(item) !== undefined || isCompaction(item));

/**
 * Replaces references by their items. The newest response is looked up first, because its conversation contains the
 * items before it.
 */
async function resolveItems(
  given: readonly unknown[],
  find: (id: string) => Promise<StoredResponse | null>,
): Promise<readonly unknown[]> {
  const known = new Map<string, unknown>();
  let lookups = 0;
  for (const item of given.toReversed()) {
    const id = referenceIn(item);
    if (id === undefined || known.has(id) || !isMadeId(id)) continue;
    if (++lookups > maxLookups) throw tooManyReferences();
    const stored = await find(id);
    for (const each of stored?.own?.items ?? []) {
      const own = someText(asFields(each)?.['id']);
      if (own !== undefined && !known.has(own)) known.set(own, each);
    }
    if (!known.has(id)) known.set(id, null);
  }
  if (lookups === 0) return given;
  return given.map((item) => known.get(referenceIn(item) ?? '') ?? item);
}

/**
 * Parses a body.
 * @returns null for an invalid body; the endpoint reports the error
 */
function parsed(rawBody: Buffer): Fields | null {
  try {
    return parseJsonBody(rawBody);
  } catch {
    return null;
  }
}

const tooManyReferences = (): RelayError =>
  new RelayError(
    'INVALID_INPUT',
    `Invalid request, input refers to items of more than ${maxLookups} responses`,
    'invalid_request',
  );

export const responseNotFound = (id: string): RelayError =>
  new RelayError('NOT_FOUND', `Response with id '${id.slice(0, 100)}' not found.`, 'response_not_found');
