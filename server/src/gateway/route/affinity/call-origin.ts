import type { CallRoute } from '../call-route.js';
import type { Continuation } from '../../request.js';
import { RelayError, threadNotFound } from '../../../dialects/errors/relay-error.js';
import type { NamedText } from '../../../dialects/languages/provider-ids.js';
import { keyMarksOf } from '../key-mark.js';
import type { RoutedChannel } from '../routed-channel.js';
import type { RoutingTable } from '../routing-table.js';
import type { CandidateQuery } from '../candidate-selector.js';

/**
 * Finds the channel and key whose account stores the object that a call names, or created its encrypted reasoning. No
 * other account knows either.
 * @returns null when the call is pinned, or no channel of its dialect serves it: other channels refuse such ids, or
 * remove them
 * @throws RelayError previous_response_not_found, thread_not_found, unknown_id or encrypted_reasoning_unusable when the
 * account cannot serve the call; the first three for an id that is not the user's, except at a channel of their own
 */
export function originOf(
  continued: Continuation,
  route: Pick<CallRoute, 'candidates' | 'pinned'>,
  table: RoutingTable,
): CandidateQuery['origin'] {
  if (continued.kind === 'foreign') return foreignOrigin(continued, enabledOf(route, table));
  if (route.pinned) return null;
  const candidates = enabledOf(route, table);
  if (continued.kind === 'named') {
    const found = accountAt(candidates, continued);
    if (!found) throw notFound(continued.named, 'belongs to an account that cannot serve this call');
    return found;
  }
  // Channels of other dialects remove reasoning that is not theirs.
  const able = candidates.filter(({ provider }) => provider.adapter.responses !== undefined);
  if (able.length === 0) return null;
  const found = accountAt(able, continued);
  if (!found) throw unusableReasoning();
  return found;
}

function enabledOf({ candidates }: Pick<CallRoute, 'candidates'>, table: RoutingTable): RoutedChannel[] {
  const channels = candidates.tiers.flatMap((tier) => tier.channels);
  return channels.filter(({ id }) => table.channel(id)?.enabled === true);
}

const threadField = 'thread.previous_message_id';
/** Fields in whose place a client can send the whole conversation, which every provider understands. */
const wholeConversations: ReadonlySet<string> = new Set(['previous_response_id', threadField]);

/**
 * Handles an id that is unknown here. It is accepted only if its user owns the one account that can have created it.
 */
function foreignOrigin(
  { named, userId }: Extract<Continuation, { kind: 'foreign' }>,
  candidates: readonly RoutedChannel[],
): Account | null {
  const able = candidates.filter(
    ({ provider: { adapter } }) =>
      adapter[named.dialect] !== undefined || (named.isGoogle && adapter.generate !== undefined),
  );
  if (able.length === 0 && !wholeConversations.has(named.field)) return null;
  const [channel, another] = able.filter(({ ownerId }) => ownerId === userId);
  if (!channel || another || channel.keys.length > 1) throw notFound(named, 'is not known');
  return { channel, keyIndex: 0 };
}

type Account = NonNullable<CandidateQuery['origin']>;

function accountAt(
  channels: readonly RoutedChannel[],
  { channelId, keyMark }: { readonly channelId: number; readonly keyMark: string },
): Account | null {
  const channel = channels.find(({ id }) => id === channelId);
  const keyIndex = channel ? keyMarksOf(channel).indexOf(keyMark) : -1;
  return channel && keyIndex >= 0 ? { channel, keyIndex } : null;
}

/** The error for encrypted reasoning whose account cannot serve the call. */
export const unusableReasoning = (): RelayError =>
  new RelayError(
    'INVALID_INPUT',
    'The encrypted reasoning in the input was made by an account that cannot serve this call. Send the conversation ' +
      'without its reasoning items.',
    'encrypted_reasoning_unusable',
    { status: 400 },
  );

/** @param reason the text after "Previous response with id …" */
export const previousNotFound = (id: string, reason: string): RelayError =>
  new RelayError(
    'INVALID_INPUT',
    `Previous response with id '${shortOf(id)}' ${reason}. Send the whole conversation without previous_response_id.`,
    'previous_response_not_found',
    { status: 400 },
  );

/** The error for an object that a provider may store, but not for this user. */
export function notFound({ field, id }: NamedText, reason: string): RelayError {
  if (field === 'previous_response_id') return previousNotFound(id, reason);
  if (field === threadField) return threadNotFound(id, reason);
  return new RelayError('NOT_FOUND', `The id '${shortOf(id)}' in ${field} ${reason}.`, 'unknown_id', { status: 404 });
}

const shortOf = (id: string): string => id.slice(0, 100);
