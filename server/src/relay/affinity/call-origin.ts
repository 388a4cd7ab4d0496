import type { ServedCall } from '../attempt/served-call.js';
import { RelayError } from '../errors/relay-error.js';
import { keyMarksOf } from '../routing/key-mark.js';
import type { RoutingTable } from '../routing/routing-table.js';
import type { TurnSeeker } from '../routing/turns.js';

/**
 * The channel and key that store the response which a call continues: no other account knows it.
 * @returns null when the call continues none, or only one account can have made it
 * @throws RelayError previous_response_not_found (400) when its account cannot serve the call, or is one of several that
 * may have made it
 */
export function originOf(
  { call, admission }: Pick<ServedCall, 'call' | 'admission'>,
  table: RoutingTable,
): TurnSeeker['origin'] {
  const { origin, unknownResponse } = call;
  if (admission.pinned || (!origin && unknownResponse === undefined)) return null;
  const candidates = admission.candidates.tiers
    .flatMap(({ channels }) => channels)
    .filter(({ id }) => table.channel(id)?.enabled === true);
  if (!origin) {
    const accounts = candidates.reduce((sum, { keys }) => sum + keys.length, 0);
    if (accounts > 1 && unknownResponse !== undefined) throw notFound(unknownResponse, 'is not known');
    return null;
  }
  const channel = candidates.find(({ id }) => id === origin.channelId);
  const keyIndex = channel ? keyMarksOf(channel).indexOf(origin.keyMark) : -1;
  if (!channel || keyIndex === -1)
    throw notFound(origin.responseId, 'belongs to an account that cannot serve this call');
  return { channel, keyIndex };
}

const notFound = (id: string, reason: string): RelayError =>
  new RelayError(
    'INVALID_INPUT',
    `Previous response with id '${id.slice(0, 100)}' ${reason}. Send the whole conversation without previous_response_id.`,
    'previous_response_not_found',
    { status: 400 },
  );
