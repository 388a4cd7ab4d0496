import { setTimeout as sleep } from 'node:timers/promises';
import type { OptionValues } from '../../modules/options/option.service.js';
import type { Metrics } from '../../observability/metrics.js';
import type { Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { randomBetween } from '../../shared/ids.js';
import type { AffinityResult, SessionAffinity } from '../affinity/session-affinity.js';
import type { ClientResponse } from '../call/client-response.js';
import { ClientGoneError } from '../call/delivery.js';
import type { UpstreamErrorView } from '../errors/failure.js';
import { UpstreamError } from '../errors/upstream-error.js';
import { mayHideOutput } from '../metering/hidden-output.js';
import { requestText } from '../routing/automatic-disable.js';
import type { ServedCall } from './served-call.js';
import type { Health, Trial } from '../routing/health/health.js';
import type { LimitPass } from '../routing/limits/limit-board.js';
import { originOf } from '../affinity/call-origin.js';
import type { KeyRing } from '../routing/key-ring.js';
import { isRetryable } from '../routing/retry.js';
import type { RoutedChannel } from '../routing/routed-channel.js';
import type { RoutingDirectory } from '../routing/routing-directory.js';
import { maxRetries, retriesAllowed } from '../routing/routing-table.js';
import type { Turn, Turns, TurnSeeker } from '../routing/turns.js';
import type { Credentials } from '../upstream/credentials.js';
import type { Exchange } from '../upstream/exchange.js';
import type { UpstreamClient } from '../upstream/upstream-client.js';
import { type Attempt, type AttemptOutcome, type AttemptSettings, familySettings } from './attempt.js';
import type { LeftCalls } from './left-calls.js';
import type { FetchMedia } from './media-fetch.js';
import type { FailedCall, UpstreamFailureHandler } from './upstream-failure-handler.js';

export interface AttemptsDeps {
  readonly options: { readonly values: OptionValues };
  readonly channels: RoutingDirectory;
  readonly keyRing: KeyRing;
  readonly turns: Turns;
  readonly health: Health;
  readonly upstream: UpstreamClient;
  readonly credentials: Credentials;
  readonly fetchMedia: FetchMedia;
  readonly clock: Clock;
  readonly failureHandler: UpstreamFailureHandler;
  readonly settings: AttemptSettings;
  readonly metrics: Metrics;
  readonly left: LeftCalls;
  readonly affinity: SessionAffinity;
}

/** A call that no channel could serve, with the failure that the client sees. */
export class CallFailedError extends Error {
  constructor(
    override readonly cause: unknown,
    readonly view: UpstreamErrorView | undefined,
    readonly usedChannels: readonly number[],
    /** Another group or model may serve the call. */
    readonly mayMove = false,
  ) {
    super('no channel served the call', { cause });
  }
}

/** The result of a served call, with the channel and key that served it. */
export interface Served extends AttemptOutcome {
  readonly channel: RoutedChannel;
  readonly usedChannels: readonly number[];
  /** Correct it with the call's use, and end it. Null: its channel has no limits. */
  readonly pass: LimitPass | null;
  /** Absent for calls without a session. */
  readonly affinity?: AffinityResult | undefined;
}

const noChannels: readonly number[] = [];

const failedCall = ({ requestId, caller, admission, call, path }: ServedCall, trial: Trial | null): FailedCall => ({
  requestId,
  trial,
  userId: caller.user.id,
  model: admission.bareModel,
  text: () => requestText(path, call.body),
  hasContent: true,
});

/** Tries channels until one serves the call (docs/reference/relay/routing.md#attempts). */
export class Attempts {
  constructor(private readonly deps: AttemptsDeps) {}

  /** @throws CallFailedError with the last upstream failure, or the failure that ended the attempts */
  async serve(incoming: ServedCall, client: ClientResponse): Promise<Served> {
    const { options, metrics, keyRing, turns, health, affinity } = this.deps;
    const { admission } = incoming;
    const { failedBefore = noChannels } = incoming;
    const usedChannels: number[] = [...failedBefore];
    const used: number[] = incoming.avoidsFailed ? [...failedBefore] : [];
    const origin = originOf(incoming, this.deps.channels.table);
    const opened = origin ? null : affinity.open(incoming);
    const session = opened instanceof Promise ? await opened : opened;
    const seeker: TurnSeeker = { route: admission, origin, preferred: session, use: incoming.use };
    const fixed = admission.pinned !== null || origin !== null;
    const retries = fixed ? 0 : retriesAllowed(options.values.RetryTimes);
    let last: CallFailedError | null = null;
    for (let attempt = 0, moves = 0; ;) {
      const next = turns.next(seeker, attempt, used);
      const turn = next instanceof Promise ? await next : next;
      // When no channel is left, the client gets the last failure.
      if (turn instanceof AppError) throw last ?? new CallFailedError(turn, undefined, usedChannels, true);
      const { channel, keyIndex, trial, pass } = turn;
      usedChannels.push(channel.id);
      used.push(channel.id);
      session?.chosen(channel, keyIndex);
      const key = channel.keys[keyIndex] ?? '';
      try {
        const outcome = await incoming.endpoint.attempt(this.toAttempt(incoming, turn), client);
        keyRing.reached(channel, keyIndex);
        trial?.passed();
        health.served(channel, keyIndex, admission.bareModel);
        const result = origin ? 'hit' : session?.served(channel, keyIndex);
        return { ...redactOutcome(outcome, key), channel, usedChannels, pass, affinity: result };
      } catch (caught) {
        pass?.cancel();
        const error = redactKey(caught, key);
        const view = await this.deps.failureHandler.failed(failedCall(incoming, trial), channel, keyIndex, error);
        const status = view?.status ?? null;
        const isOfChannel = isRetryable({ error, status, provider: channel.provider });
        last = new CallFailedError(error, view, usedChannels, isOfChannel);
        if (isOfChannel) session?.failed(channel, keyIndex);
        if (client.started || client.gone || !isOfChannel) throw last;
        // A provider that is at its limit has done nothing: the call moves on, whatever the number of retries is.
        if (attempt < retries) attempt++;
        else if (isAtLimit(error) && !fixed && moves < maxRetries) moves++;
        else throw last;
        metrics.relayRetries.inc({ route: incoming.endpoint.route });
        // The first retry is immediate; later ones are delayed randomly, to spread load.
        if (attempt >= 2) await sleep(randomBetween(100, 500));
      } finally {
        trial?.released();
      }
    }
  }

  /** A charge that is known before the call needs no report. */
  private clientLeft(incoming: ServedCall, channel: RoutedChannel, exchange: Exchange): () => void {
    const { call, admission, caller, endpoint, price } = incoming;
    if (price && endpoint.tariff.fixedUsage?.(call, price)) {
      exchange.abort(new ClientGoneError());
      return () => undefined;
    }
    return this.deps.left.readOn(exchange, {
      userId: caller.user.id,
      stream: call.stream && channel.setting.nonStreamOnly !== true,
      hidesOutput: mayHideOutput(admission.bareModel, call.body),
    });
  }

  private toAttempt(incoming: ServedCall, { channel, keyIndex, trial }: Turn): Attempt {
    const { values } = this.deps.options;
    return {
      requestId: incoming.requestId,
      call: incoming.call,
      path: incoming.path,
      rawBody: incoming.rawBody,
      clientHeaders: incoming.clientHeaders,
      channel,
      key: channel.keys[keyIndex] ?? '',
      requestedModel: incoming.admission.model,
      bareModel: incoming.admission.bareModel,
      upstream: this.deps.upstream,
      credentials: this.deps.credentials,
      fetchMedia: this.deps.fetchMedia,
      settings: channel.timeouts ? { ...this.deps.settings, ...channel.timeouts } : this.deps.settings,
      passThrough: values['global.pass_through_request_enabled'],
      families: familySettings(values),
      stopAt: incoming.stopAt,
      accepted: trial ? () => trial.passed() : undefined,
      clientLeft: (exchange) => this.clientLeft(incoming, channel, exchange),
      keepsContent: values.LogChatContentEnabled,
      showsRequestedModel: values['global.requested_model_in_answers'],
      pingSeconds: values['general_setting.ping_interval_enabled']
        ? values['general_setting.ping_interval_seconds']
        : 0,
      now: this.deps.clock.now(),
    };
  }
}

/** Whether the provider refused the call because of its own limits. */
const isAtLimit = (error: unknown): boolean => error instanceof UpstreamError && error.status === 429;

/** Shorter parts are ordinary words, such as a region or an account number. */
const minSecret = 8;

/** The key, and its parts if it consists of several. */
function secretsIn(key: string): string[] {
  const parts = key.startsWith('{') ? documentTexts(key) : [key, ...key.split('|'), ...key.split('.')];
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part.length >= minSecret))].sort(
    (a, b) => b.length - a.length,
  );
}

/** Texts of a key that is a JSON document, except URLs, which are the provider's own. */
function documentTexts(key: string): string[] {
  try {
    const texts = Object.values(JSON.parse(key) as Record<string, unknown>);
    return texts.filter((text): text is string => typeof text === 'string' && !text.startsWith('http'));
  } catch {
    return [key];
  }
}

/**
 * The same failure with the channel's key removed from its message: some providers repeat a refused key, in any
 * encoding. Everything else stays.
 */
export function redactKey(error: unknown, key: string): unknown {
  if (!(error instanceof UpstreamError)) return error;
  const secrets = secretsIn(key);
  const { message, type, param, code } = error.detail;
  const said = [message, type, param, code].filter((text) => typeof text === 'string').join('\n');
  if (!secrets.some((secret) => said.includes(secret))) return error;
  const hide = (text: string): string => secrets.reduce((sum, secret) => sum.replaceAll(secret, '[key]'), text);
  const detail = {
    ...error.detail,
    message: hide(message),
    ...(type === undefined ? {} : { type: hide(type) }),
    ...(typeof param === 'string' ? { param: hide(param) } : {}),
    ...(typeof code === 'string' ? { code: hide(code) } : {}),
  };
  return new UpstreamError(error.status, detail);
}

/** The same for an interrupted response. */
export function redactOutcome(outcome: AttemptOutcome, key: string): AttemptOutcome {
  const { delivery } = outcome;
  if (delivery.end.kind !== 'broken') return outcome;
  const end = { kind: 'broken' as const, error: redactKey(delivery.end.error, key) };
  return { ...outcome, delivery: { ...delivery, end } };
}
