import { AppError } from '../shared/errors.js';
import type { CallRoute } from './route/call-route.js';
import type { TokenCount } from '../dialects/contract.js';
import type { Attempt, AttemptOutcome } from './send/attempt.js';
import { exchangeWith, forwardedHeaders, toTarget, wholeAnswer, withCredential } from './send/attempt-exchange.js';
import { CallFailedError, type Attempts } from './send/attempts.js';
import type { RoutedCall } from './call.js';
import { TextMeter } from './reserve/metering/text-meter.js';
import { asFields, parseJson } from '../dialects/neutral/fields.js';
import type { RoutedChannel } from './route/routed-channel.js';
import type { ClientResponse } from './deliver/client-response.js';

/** An endpoint of a dialect that counts tokens. */
export interface CountedDialect {
  readonly name: 'countMessages' | 'countContents';
  /** The field of the provider's response that has the number. */
  readonly field: string;
}

/** Milliseconds. A provider that does not count within this time is not waited for. */
const longest = 10_000;

/**
 * Asks a channel of the model that counts tokens in the client's dialect.
 * @returns the provider's response; null when no channel counts tokens, or when none responded with a number
 */
export async function countNatively(
  attempts: Attempts,
  call: RoutedCall,
  { name, field }: CountedDialect,
  client: ClientResponse,
): Promise<Buffer | null> {
  const route = routeWith(call.route, ({ provider }) => provider.adapter[name] !== undefined);
  if (!route) return null;
  let counted: Buffer | null = null;
  const attempt = async (given: Attempt, to: ClientResponse): Promise<AttemptOutcome> => {
    const count = given.channel.provider.adapter[name];
    if (!count) throw new AppError('UNSUPPORTED_BY_CHANNEL', 'The channel does not count tokens');
    const settings = { ...given.settings, firstByteTimeout: longest, totalTimeout: longest };
    const { outcome, body } = await countAt({ ...given, settings }, count, to);
    if (typeof asFields(parseJson(body.toString('utf8')))?.[field] === 'number') counted = body;
    return outcome;
  };
  try {
    const { lease } = await attempts.serve(
      { call: { ...call, route, endpoint: { ...call.endpoint, attempt } } },
      client,
    );
    lease?.end();
  } catch (error) {
    // A count never fails: when no channel can count, the number is estimated.
    if (!(error instanceof CallFailedError)) throw error;
  }
  return counted;
}

async function countAt(
  attempt: Attempt,
  count: TokenCount,
  client: ClientResponse,
): Promise<{ outcome: AttemptOutcome; body: Buffer }> {
  const { path, rawBody, channel } = attempt;
  const target = await withCredential(channel.provider.adapter, toTarget(attempt), attempt);
  const headers = forwardedHeaders(attempt);
  const request = { path, body: attempt.request.body, rawBody, stream: false, wantsUsage: false, headers };
  const sent = count.toUpstreamRequest(request, target);
  let body = Buffer.alloc(0) as Buffer;
  const { upstreamModel } = target;
  const received = await exchangeWith(attempt, sent, client, upstreamModel, async (exchange) => {
    const answer = (await wholeAnswer(exchange, attempt.settings)).body;
    body = count.fromUpstreamResponse?.(answer) ?? answer;
    const delivery = { end: { kind: 'complete' } as const, usage: null, report: nothing, finish: nothing };
    return { delivery, firstByteAt: null, isStream: false };
  });
  return { outcome: { meter: new TextMeter(upstreamModel), upstreamModel, ...received }, body };
}

const nothing = (): void => undefined;

/** Returns the route with the channels that satisfy `counts`; null when there are none. */
function routeWith(route: CallRoute, counts: (channel: RoutedChannel) => boolean): CallRoute | null {
  const { pinned, candidates } = route;
  if (pinned) return counts(pinned) ? route : null;
  const tiers = candidates.tiers
    .map((tier) => ({ ...tier, channels: tier.channels.filter(counts) }))
    .filter(({ channels }) => channels.length > 0);
  return tiers.length === 0 ? null : { ...route, candidates: { ...candidates, tiers } };
}
