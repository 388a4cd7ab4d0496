import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt, AttemptOutcome } from '../../gateway/send/attempt.js';
import { headerCallOf, toTarget, wholeAnswer } from '../../gateway/send/attempt-exchange.js';
import { attemptChat } from '../../gateway/send/attempt-chat.js';
import { responsesDialect } from '../../gateway/deliver/chat-dialects.js';
import type { ClientResponse } from '../../gateway/deliver/client-response.js';
import { goneDelivery, type Delivery } from '../../gateway/deliver/delivery.js';
import type { TextMeter } from '../../gateway/reserve/metering/text-meter.js';
import { asText, parseFields, type Fields } from '../../dialects/neutral/fields.js';
import { reportAnswer } from '../../dialects/neutral/report.js';
import { withHeaderOverride } from '../../dialects/overrides/header-override.js';
import { readResponse } from '../../dialects/languages/responses/responses-read.js';
import { toResponsesUsage } from '../../dialects/languages/responses/responses-usage.js';
import { noUsage } from '../../shared/usage.js';

/** Milliseconds between two polls of a response. */
const shortestWait = 250;
const longestWait = 3000;

/** Whether the provider responds at once, and generates the response in the background (`background: true`). */
export const isInBackground = ({ request }: Attempt): boolean => request.body['background'] === true;

/** Changes the call so that its client waits for the response. */
export function inForeground(attempt: Attempt): Attempt {
  const { background: _background, ...body } = attempt.request.body;
  return { ...attempt, request: { ...attempt.request, body }, rawBody: Buffer.from(JSON.stringify(body)) };
}

/**
 * Makes a call whose response the provider generates in the background. The client gets the provider's first response
 * at once, and reads the rest by its id. The call continues until the response is complete, because only then its usage
 * is known.
 * @throws UpstreamError, AppError, ClientGoneError like `attemptChat`
 */
export async function attemptInBackground(attempt: Attempt, client: ClientResponse): Promise<AttemptOutcome> {
  const made: { id: string | null } = { id: null };
  const keep = (id: string, response: Fields | null): void => {
    made.id = id;
    attempt.store?.keep(id, response);
  };
  const refuse = (id: string): void => attempt.store?.refuse(id);
  const store = { previousId: attempt.store?.previousId ?? null, keep, refuse };
  const outcome = await attemptChat({ ...attempt, store }, responsesDialect, client);
  const { delivery, isStream, meter } = outcome;
  const isWhole = isStream || delivery.usage !== null || delivery.refused !== undefined;
  if (made.id === null || isWhole || delivery.end.kind !== 'complete') return outcome;
  delivery.finish(noUsage);
  return { ...outcome, delivery: await followed(made.id, attempt, meter) };
}

/**
 * Polls until the response is complete.
 * @returns a delivery without usage, like that of a disconnected client, if the end of the response cannot be known
 */
async function followed(id: string, attempt: Attempt, meter: TextMeter): Promise<Delivery> {
  const ended = new AbortController();
  const { signal } = ended;
  const stop = attempt.onDisconnect({ requestSent: true, abort: () => ended.abort(), readOn: () => undefined });
  const until = performance.now() + attempt.settings.totalTimeout;
  try {
    for (
      let wait = shortestWait;
      !signal.aborted && performance.now() < until;
      wait = Math.min(2 * wait, longestWait)
    ) {
      await sleep(wait, undefined, { signal }).catch(() => undefined);
      const response = await look(id, attempt);
      if (response === 'unknown') break;
      if (response && !isUnderWay(response)) return deliveryOf(response, meter);
    }
    return { ...goneDelivery };
  } finally {
    stop();
  }
}

const isUnderWay = (response: Fields): boolean => ['queued', 'in_progress'].includes(asText(response['status']));

function deliveryOf(response: Fields, meter: TextMeter): Delivery {
  return {
    end: { kind: 'complete' },
    usage: toResponsesUsage(response),
    report: () => {
      if (response['status'] !== 'failed' && Array.isArray(response['output'])) {
        reportAnswer(readResponse(response), meter);
      }
    },
    finish: () => undefined,
  };
}

/**
 * Polls a response.
 * @returns null when the provider is unavailable, `unknown` when it does not know the response, or no longer
 */
async function look(id: string, attempt: Attempt): Promise<Fields | 'unknown' | null> {
  const { channel, settings, upstream } = attempt;
  const { adapter } = channel.provider;
  if (!adapter.storedResponse) return 'unknown';
  const target = toTarget(attempt);
  const exchange = upstream.send(
    withHeaderOverride(
      adapter.storedResponse('GET', encodeURIComponent(id), target),
      headerCallOf(attempt, target.upstreamModel),
    ),
    { firstByte: settings.firstByteTimeout, idle: settings.idleTimeout },
    channel.setting.proxy,
  );
  try {
    await exchange.answer;
    const { body } = await wholeAnswer(exchange, settings);
    if (exchange.status >= 200 && exchange.status < 300) return parseFields(body.toString('utf8'));
    return exchange.status >= 400 && exchange.status < 500 && exchange.status !== 429 ? 'unknown' : null;
  } catch {
    // The response is generated anyway: the next poll may find it.
    return null;
  }
}
