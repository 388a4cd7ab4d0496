import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../shared/errors.js';
import type {
  Adapter,
  OneShotAnswer,
  OneShotCapability,
  OneShotRequest,
  UpstreamAnswer,
} from '../../dialects/contract.js';
import type { Target } from '../../dialects/target.js';
import type { Attempt, AttemptOutcome, Received } from './attempt.js';
import {
  answerHeaders,
  contentTypeOf,
  exchangeWith,
  forwardedHeaders,
  headerCallOf,
  refusePage,
  refusal,
  shownModel,
  toTarget,
  unsupportedBy,
  wholeAnswer,
  withClientHeaders,
  withCredential,
} from './attempt-exchange.js';
import type { ClientResponse } from '../deliver/client-response.js';
import { contentLimit } from '../observe/chat-content.js';
import { ClientGoneError, deliverStream } from '../deliver/delivery.js';
import { beginningOf, forwardedBytes, forwardedEvents, type Forwarded } from '../deliver/forwarded-answer.js';
import type { Usage } from '../../shared/usage.js';
import { withModel } from '../deliver/shown-model.js';
import { TextMeter } from '../reserve/metering/text-meter.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import { unsupported } from '../../dialects/neutral/field-name.js';
import { isMarkup } from '../../dialects/neutral/media.js';
import { withHeaderOverride } from '../../dialects/overrides/header-override.js';
import { UpstreamConnectionError, type Exchange } from '../upstream/exchange.js';

/** A non-streaming response for the client. */
export interface ShownAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

/** The properties of one non-streaming endpoint. */
export interface OneShotEndpoint {
  /** The name in error messages: "embeddings". */
  readonly name: string;
  pick(adapter: Adapter): OneShotCapability | undefined;
  /**
   * Whether long responses may be forwarded while they arrive. The price must need nothing of their content but the
   * reported usage.
   */
  readonly forwards?: boolean;
  /** Returns the text of the response, for admins who log it. */
  transcript?(answer: OneShotAnswer): string;
  /** Converts the response to the shape the client asked for, if it differs from the adapter's. */
  show?(answer: OneShotAnswer, attempt: Attempt): ShownAnswer;
  /** Adds the charged usage to the response, if the provider reported none. */
  withUsage?(body: Buffer, usage: Usage): Buffer;
}

interface OnceTry {
  readonly attempt: Attempt;
  readonly capability: OneShotCapability;
  readonly request: OneShotRequest;
  readonly target: Target;
  readonly client: ClientResponse;
}

/**
 * Calls the provider for a non-streaming response, and polls if the provider responds with a job.
 * @throws UpstreamError, AppError when the call failed; ClientGoneError when the client disconnected before anything
 * was sent to the provider
 */
export async function attemptOnce(
  attempt: Attempt,
  endpoint: OneShotEndpoint,
  client: ClientResponse,
): Promise<AttemptOutcome> {
  const { request: asked, channel } = attempt;
  const { adapter } = channel.provider;
  const capability = adapter && endpoint.pick(adapter);
  if (!capability) throw unsupportedBy(channel.type, endpoint.name);
  if (asked.stream && (!capability.forwards || capability.onlyWhole)) throw unsupported('stream', 'it does not stream');
  const target = await withCredential(adapter, toTarget(attempt), attempt);
  const request: OneShotRequest = {
    path: attempt.path,
    body: asked.body,
    rawBody: attempt.rawBody,
    form: asked.form ?? null,
  };
  const sent = withClientHeaders(capability.toUpstreamRequest(request, target), forwardedHeaders(attempt));
  const dropped = [...(asked.dropped ?? []), ...(sent.dropped ?? [])];
  const upstreamModel = sent.upstreamModel ?? target.upstreamModel;
  const tried: OnceTry = { attempt, capability, request, target, client };
  // A response is never empty. Tokens are counted here only if the provider reports none.
  const meter = new TextMeter(target.upstreamModel, attempt.keepsContent ? contentLimit : 0);
  meter.otherContent();
  const received = await exchangeWith(attempt, sent, client, upstreamModel, async (exchange) => {
    const headers = answerHeaders(exchange, dropped);
    const first = await firstAnswer(tried, exchange, endpoint, headers);
    if ('delivery' in first) return first;
    return deliver(tried, await lastAnswer(tried, first), endpoint, headers, meter);
  });
  return { meter, upstreamModel, ...(dropped.length > 0 ? { dropped } : {}), ...received };
}

/** Bytes. Longer responses are forwarded while they arrive, if the client gets them unchanged. */
const readFirst = 64 * 1024;

/**
 * Returns the provider's complete response, or the delivery that is forwarding it: audio, events and long responses.
 * Forwarded bytes are not searched for failures, which are short and arrive as JSON.
 */
async function firstAnswer(
  { attempt, capability, client }: OnceTry,
  exchange: Exchange,
  endpoint: OneShotEndpoint,
  headers: Record<string, string>,
): Promise<UpstreamAnswer | Received> {
  if (!capability.forwards || !endpoint.forwards) return wholeAnswer(exchange, attempt.settings);
  const contentType = contentTypeOf(exchange);
  const shownType = exchange.headers['content-type'];
  const forward = async ({ transform, images }: Forwarded, isStream: boolean): Promise<Received> => {
    let firstByteAt: number | null = null;
    const open = (): void => client.openStream(headers, shownType);
    const onFirstByte = (): void => void (firstByteAt = isStream ? performance.now() : null);
    const forwarded = await deliverStream(exchange, transform, client, open, onFirstByte);
    const made = images();
    const delivery = made === undefined ? forwarded : { ...forwarded, details: { images: made } };
    return { delivery: isStream ? delivery : { ...delivery, breakOff: () => client.drop() }, firstByteAt, isStream };
  };
  if (contentType.startsWith('text/event-stream')) return forward(forwardedEvents(), true);
  // Audio is played while it is generated, so the client gets it from the first bytes.
  const { pieces, whole } = await beginningOf(exchange, contentType.startsWith('audio/') ? 0 : readFirst);
  if (!whole && pieces[0] && isMarkup(pieces[0])) throw refusePage(exchange);
  if (whole) return { contentType, body: Buffer.concat(pieces) };
  exchange.putBack(pieces);
  // Reading resumes before the client gets anything. From then on its connection decides whether the provider is read.
  exchange.resume();
  return forward(forwardedBytes(contentType.includes('json'), attempt.request.images?.count ?? 0), false);
}

function deliver(
  { attempt, capability, request, target, client }: OnceTry,
  answer: UpstreamAnswer,
  endpoint: OneShotEndpoint,
  headers: Record<string, string>,
  meter: TextMeter,
): Received {
  const said = capability.fromUpstreamResponse(answer, request, target);
  if (attempt.keepsContent && endpoint.transcript) meter.text(endpoint.transcript(said));
  const shown = named(endpoint.show?.(said, attempt) ?? said, shownModel(attempt, target.upstreamModel));
  return {
    delivery: {
      end: { kind: 'complete' },
      usage: said.usage,
      details: said.details,
      report: () => undefined,
      finish: (usage) => {
        const body = said.usage === null && endpoint.withUsage ? endpoint.withUsage(shown.body, usage) : shown.body;
        client.send(200, { ...headers, 'content-type': shown.contentType }, body);
      },
    },
    firstByteAt: null,
    isStream: false,
  };
}

const named = (answer: ShownAnswer, model: string | null): ShownAnswer =>
  model === null || !answer.contentType.includes('json')
    ? answer
    : { contentType: answer.contentType, body: withModel(answer.body, model) };

/** Maximum number of consecutive failed polls. The provider works on the job, and a new job would be paid again. */
const maxFailedPolls = 5;

/** Polls an asynchronous job until its result is available. */
async function lastAnswer(tried: OnceTry, first: UpstreamAnswer): Promise<UpstreamAnswer> {
  const { attempt, capability, target, client } = tried;
  let answer = first;
  let failed = 0;
  const until = performance.now() + attempt.settings.totalTimeout;
  for (;;) {
    const next = capability.next?.(answer, target);
    if (!next) return answer;
    if (performance.now() > until) throw new AppError('UPSTREAM_TIMEOUT', 'The call took longer than allowed');
    await sleep(next.afterMilliseconds);
    if (client.gone) throw new ClientGoneError();
    try {
      answer = await polled(attempt, withHeaderOverride(next.request, headerCallOf(attempt, target.upstreamModel)));
      failed = 0;
    } catch (error) {
      if (!isPassing(error) || ++failed >= maxFailedPolls) throw error;
    }
  }
}

async function polled(
  { upstream, settings, channel }: Attempt,
  request: Parameters<Attempt['upstream']['send']>[0],
): Promise<UpstreamAnswer> {
  const exchange = upstream.send(
    request,
    { firstByte: settings.firstByteTimeout, idle: settings.idleTimeout },
    channel.setting.proxy,
  );
  await exchange.answer;
  if (exchange.status < 200 || exchange.status >= 300) throw await refusal(exchange);
  return wholeAnswer(exchange, settings);
}

/** Whether the failure is temporary, so that the next poll may succeed. */
const isPassing = (error: unknown): boolean =>
  error instanceof UpstreamConnectionError ||
  (error instanceof UpstreamError && (error.status === 429 || error.status >= 500));
