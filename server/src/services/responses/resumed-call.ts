import { AppError } from '../../shared/errors.js';
import { previousNotFound } from '../../gateway/route/affinity/call-origin.js';
import type { BodyAllowance } from '../../gateway/request.js';
import { RelayError } from '../../dialects/errors/relay-error.js';
import { parseAhead, parseJsonBody } from '../../dialects/wire/forms/json-body.js';
import { asFields, asList, someText, type Fields } from '../../dialects/neutral/fields.js';
import { lastProof } from '../../dialects/languages/responses/encrypted-reasoning.js';
import { isMadeId } from '../../dialects/languages/responses/response-object.js';
import { sizeOf, toJsonBytes } from './json-pieces.js';
import type { ReasoningOrigin, ReasoningOrigins } from './reasoning-origins.js';
import type { SealedSummaries } from './sealed-summaries.js';
import type { StoredResponse, StoredResponses } from './stored-responses.js';

export interface ResumedRequest {
  readonly rawBody: Buffer;
  /** Of the response that is continued. */
  readonly previousId: string | null;
  /** Who made the encrypted reasoning of the request; null: there is none, or it is not known. */
  readonly reasoning: ReasoningOrigin | null;
}

/** Bytes of a body with what it continues. */
const maxResumedBytes = 64 * 1024 * 1024;
/** Responses that one call may look up for its references: one for a conversation of this server's own making. */
const maxLookups = 32;

const names = ['"previous_response_id"', '"item_reference"', '"image_generation_call"', '"compaction'];
const mentions = (rawBody: Buffer): boolean => names.some((name) => rawBody.includes(name));

/** Where responses and compactions that a call refers to are found. */
export interface Resumable {
  readonly responses: Pick<StoredResponses, 'enabled' | 'find' | 'findByItem'>;
  readonly reasoning: ReasoningOrigins;
  readonly summaries: SealedSummaries;
}

/**
 * Puts in the conversation that a call continues by an id, where it is stored here, and the summaries made here.
 * @param allowance limits the bytes of the completed body, and counts them
 * @throws AppError PAYLOAD_TOO_LARGE, RATE_LIMITED, SERVICE_UNAVAILABLE; RelayError invalid_request when the call refers to
 * too many responses, previous_response_not_found for one that a guardrail has refused
 */
export async function resumeCall(
  rawBody: Buffer,
  { tokenId = 0, grant, maxBytes = maxResumedBytes }: BodyAllowance,
  { responses, summaries, reasoning: origins }: Resumable,
): Promise<ResumedRequest> {
  const reasoning = await reasoningOrigin(rawBody, tokenId, origins);
  const unchanged = { rawBody, previousId: null, reasoning };
  if (!mentions(rawBody)) return unchanged;
  const body = parsed(rawBody);
  if (!body) return unchanged;
  const previous = responses.enabled ? someText(body['previous_response_id']) : undefined;
  const stored = previous === undefined ? null : await responses.find(tokenId, previous, grant);
  if (previous !== undefined && stored?.refused) throw previousNotFound(previous, 'is not known');
  const previousId = previous ?? null;
  const given = itemsOf(body['input']);
  const find = (id: string): Promise<StoredResponse | null> => responses.findByItem(tokenId, id, grant);
  const found = responses.enabled ? await resolveItems(given, find) : given;
  const own = stored?.own ?? null;
  const { items, begin } = summaries.opened([...(own?.items ?? []), ...found], tokenId);
  const isChanged = own !== null || items.length !== given.length || items.some((item, index) => item !== given[index]);
  if (!isChanged) return { ...unchanged, previousId };
  const { previous_response_id: _previous, ...rest } = body;
  // A summary in the input itself stands for a response that the provider stores, too.
  const keepsId = own === null && begin === -1;
  // One item may be referred to many times, so the size is known before the text is made.
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
    // Reasoning that a summary stands for is not sent.
    reasoning: lastProof(items) === undefined ? null : reasoning,
  };
}

async function reasoningOrigin(
  rawBody: Buffer,
  tokenId: number,
  origins: ReasoningOrigins,
): Promise<ReasoningOrigin | null> {
  if (!origins.enabled || !rawBody.includes('"encrypted_content"')) return null;
  const proof = lastProof(parsed(rawBody)?.['input']);
  return proof === undefined ? null : origins.find(tokenId, proof);
}

/** Characters of the items that the client did not send. */
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

/** `input` as a list of items. */
export const itemsOf = (input: unknown): readonly unknown[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : asList(input);

const referenceIn = (given: unknown): string | undefined => {
  const { type, id, result } = asFields(given) ?? {};
  // Clients name an image that they go on from without sending it again.
  const isReference = type === 'item_reference' || (type === 'image_generation_call' && !result);
  return isReference ? someText(id) : undefined;
};

/** Items in the place of references. The newest response is looked up first: its conversation holds the items before it. */
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

/** @returns null for a body that is not valid: the endpoint says what is wrong with it */
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
