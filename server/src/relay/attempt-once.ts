import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../shared/errors.js';
import { adapters } from './adapters/registry.js';
import type { Adapter, OneShotAnswer, OneShotCapability, OneShotRequest, Target, UpstreamAnswer } from './adapter.js';
import {
  answerHeaders,
  exchangeWith,
  refusal,
  unsupportedBy,
  wholeAnswer,
  withCredential,
  type Attempt,
  type AttemptOutcome,
  type Received,
} from './attempt.js';
import { toTarget } from './attempt-target.js';
import type { ClientResponse } from './client-response.js';
import { ClientGoneError } from './delivery.js';
import { shownModel, withModel } from './shown-model.js';
import { TextMeter } from './metering/text-meter.js';

/** What a client gets of an answer in one piece. */
export interface ShownAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

export interface OneShotEndpoint {
  /** For messages: "embeddings". */
  readonly name: string;
  pick(adapter: Adapter): OneShotCapability | undefined;
  /** The answer in the form the client asked for, where that is not the adapter's. */
  show?(answer: OneShotAnswer, attempt: Attempt): ShownAnswer;
}

interface OnceTry {
  readonly attempt: Attempt;
  readonly capability: OneShotCapability;
  readonly request: OneShotRequest;
  readonly target: Target;
  readonly client: ClientResponse;
}

/**
 * Calls the upstream for an answer in one piece, and asks again where that is how the provider answers.
 * @throws UpstreamError, AppError when the call failed; ClientGoneError when the client left before anything was sent upstream
 */
export async function attemptOnce(
  attempt: Attempt,
  endpoint: OneShotEndpoint,
  client: ClientResponse,
): Promise<AttemptOutcome> {
  const { call, channel } = attempt;
  const adapter = adapters[channel.type];
  const capability = adapter && endpoint.pick(adapter);
  if (!capability) throw unsupportedBy(channel.type, endpoint.name);
  const target = await withCredential(adapter, toTarget(attempt), attempt);
  const request: OneShotRequest = {
    path: attempt.path,
    body: call.body,
    rawBody: attempt.rawBody,
    form: call.form ?? null,
  };
  const sent = capability.toUpstreamRequest(request, target);
  const dropped = [...(call.dropped ?? []), ...(sent.dropped ?? [])];
  const upstreamModel = sent.upstreamModel ?? target.upstreamModel;
  const tried: OnceTry = { attempt, capability, request, target, client };
  const received = await exchangeWith(attempt, sent, client, upstreamModel, async (exchange) => {
    const headers = answerHeaders(exchange, dropped);
    const first = await wholeAnswer(exchange, attempt.settings);
    return deliver(tried, await lastAnswer(tried, first), endpoint, headers);
  });
  // An answer is always something: only a provider that reports nothing is counted here.
  const meter = new TextMeter(target.upstreamModel);
  meter.otherContent();
  return { meter, upstreamModel, ...(dropped.length > 0 ? { dropped } : {}), ...received };
}

function deliver(
  { attempt, capability, request, target, client }: OnceTry,
  answer: UpstreamAnswer,
  endpoint: OneShotEndpoint,
  headers: Record<string, string>,
): Received {
  const said = capability.fromUpstreamResponse(answer, request, target);
  const shown = named(endpoint.show?.(said, attempt) ?? said, shownModel(attempt, target.upstreamModel));
  return {
    delivery: {
      end: { kind: 'complete' },
      usage: said.usage,
      tell: () => undefined,
      finish: () => client.send(200, { ...headers, 'content-type': shown.contentType }, shown.body),
    },
    firstByteAt: null,
    isStream: false,
  };
}

const named = (answer: ShownAnswer, model: string | null): ShownAnswer =>
  model === null || !answer.contentType.includes('json')
    ? answer
    : { contentType: answer.contentType, body: withModel(answer.body, model) };

/** Follows a ticket to what it stands for. */
async function lastAnswer(tried: OnceTry, first: UpstreamAnswer): Promise<UpstreamAnswer> {
  const { attempt, capability, target, client } = tried;
  let answer = first;
  const until = performance.now() + attempt.settings.totalTimeout;
  for (;;) {
    const next = capability.next?.(answer, target);
    if (!next) return answer;
    if (performance.now() > until) throw new AppError('UPSTREAM_TIMEOUT', 'The call took longer than allowed');
    await sleep(next.afterMilliseconds);
    if (client.gone) throw new ClientGoneError();
    const { upstream, settings, channel } = attempt;
    const exchange = upstream.send(
      next.request,
      { firstByte: settings.firstByteTimeout, idle: settings.idleTimeout },
      channel.setting.proxy,
    );
    await exchange.answer;
    if (exchange.status < 200 || exchange.status >= 300) throw await refusal(exchange);
    answer = await wholeAnswer(exchange, settings);
  }
}
