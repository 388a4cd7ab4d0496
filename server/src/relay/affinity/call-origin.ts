import type { Admission } from '../access/admission.js';
import type { ContinuedCall } from '../call/relay-call.js';
import { RelayError } from '../errors/relay-error.js';
import { keyMarksOf } from '../routing/key-mark.js';
import type { RoutedChannel } from '../routing/routed-channel.js';
import type { RoutingTable } from '../routing/routing-table.js';
import type { TurnSeeker } from '../routing/turns.js';

/**
 * The channel and key that store the response which a call continues, or made its encrypted reasoning: no other account
 * knows it.
 * @returns null where the call is pinned, or its reasoning is left out
 * @throws RelayError previous_response_not_found or encrypted_reasoning_unusable (400) when its account cannot serve the
 * call; previous_response_not_found when several accounts may have made the response, or none
 */
export function originOf(
  continued: ContinuedCall,
  admission: Pick<Admission, 'candidates' | 'pinned'>,
  table: RoutingTable,
): TurnSeeker['origin'] {
  if (admission.pinned) return null;
  const candidates = admission.candidates.tiers
    .flatMap(({ channels }) => channels)
    .filter(({ id }) => table.channel(id)?.enabled === true);
  if (continued.kind === 'response') {
    const found = accountAt(candidates, continued);
    if (!found) throw previousNotFound(continued.responseId, 'belongs to an account that cannot serve this call');
    return found;
  }
  // Channels of other dialects have no such ids, and leave reasoning out that is not theirs.
  const able = candidates.filter(({ provider }) => provider.adapter.responses !== undefined);
  if (continued.kind === 'unknown_response') return onlyAccount(able, continued.responseId);
  if (able.length === 0) return null;
  const found = accountAt(able, continued);
  if (!found) throw unusableReasoning();
  return found;
}

type Account = NonNullable<TurnSeeker['origin']>;

function accountAt(
  channels: readonly RoutedChannel[],
  { channelId, keyMark }: { readonly channelId: number; readonly keyMark: string },
): Account | null {
  const channel = channels.find(({ id }) => id === channelId);
  const keyIndex = channel ? keyMarksOf(channel).indexOf(keyMark) : -1;
  return channel && keyIndex !== -1 ? { channel, keyIndex } : null;
}

/** A response that is not known here can only be continued where one account can have made it. */
function onlyAccount(channels: readonly RoutedChannel[], responseId: string): Account {
  const [channel] = channels;
  if (!channel || channels.length > 1 || channel.keys.length > 1) throw previousNotFound(responseId, 'is not known');
  return { channel, keyIndex: 0 };
}

/** Encrypted reasoning whose account cannot serve the call. */
export const unusableReasoning = (): RelayError =>
  new RelayError(
    'INVALID_INPUT',
    'The encrypted reasoning in the input was made by an account that cannot serve this call. Send the conversation ' +
      'without its reasoning items.',
    'encrypted_reasoning_unusable',
    { status: 400 },
  );

/** @param reason why, after the words "Previous response with id …" */
export const previousNotFound = (id: string, reason: string): RelayError =>
  new RelayError(
    'INVALID_INPUT',
    `Previous response with id '${id.slice(0, 100)}' ${reason}. Send the whole conversation without previous_response_id.`,
    'previous_response_not_found',
    { status: 400 },
  );
