import { setTimeout as sleep } from 'node:timers/promises';
import type { Metrics } from '../../platform/observability/metrics.js';
import type { OptionValues } from '../../options/option.service.js';
import { AppError } from '../../shared/errors.js';
import { randomBetween } from '../../shared/ids.js';
import { originOf } from '../route/affinity/call-origin.js';
import { meansDeadKey } from '../route/automatic-disable.js';
import type { AffinityResult, SessionAffinity } from '../route/affinity/session-affinity.js';
import type { ClientResponse } from '../deliver/client-response.js';
import type { UpstreamErrorView } from '../../dialects/errors/failure.js';
import { UpstreamError } from '../../dialects/errors/upstream-error.js';
import type { LimitLease } from '../route/limits/limit-board.js';
import type { RoutedChannel } from '../route/routed-channel.js';
import { isAlone, maxRetries, retriesAllowed, type RoutingTable } from '../route/routing-table.js';
import type { Candidate, CandidateSelector, CandidateQuery } from '../route/candidate-selector.js';
import type { AttemptOutcome } from './attempt.js';
import { hedgeDelay, mayHedge, runHedged, type AbortedAttempt, type ServedCandidate } from './hedged-attempt.js';
import type { Dispatch } from './dispatch.js';
import { AttemptFailedError, AttemptRunner, isCount, type RunnerDeps } from './attempt-runner.js';

export interface AttemptsDeps extends RunnerDeps {
  readonly channels: { readonly table: RoutingTable };
  readonly candidates: CandidateSelector;
  readonly metrics: Metrics;
  readonly affinity: SessionAffinity;
}

/** A call that no channel could serve, with the failure that the client sees. */
export class CallFailedError extends Error {
  constructor(
    override readonly cause: unknown,
    readonly view: UpstreamErrorView | undefined,
    readonly usedChannels: readonly number[],
    /** Whether another group or model may serve the call. */
    readonly mayMove = false,
    /** Whether the client asked for a stream. */
    readonly isStream = false,
  ) {
    super('no channel served the call', { cause });
  }
}

/** The result of a served call, with the channel and key that served it. */
export interface Served extends AttemptOutcome {
  readonly channel: RoutedChannel;
  readonly keyIndex: number;
  readonly usedChannels: readonly number[];
  /** Correct the lease with the call's use, and end it. Null when the channel has no limits. */
  readonly lease: LimitLease | null;
  /** Absent for calls without a session. */
  readonly affinity?: AffinityResult | undefined;
  /** The aborted attempt, if two attempts ran at the same time. */
  readonly aborted?: AbortedAttempt | undefined;
}

const noChannels: readonly number[] = [];

/** Tries channels until one serves the call (docs/reference/relay/routing.md#attempts). */
export class Attempts {
  private readonly runner: AttemptRunner;

  constructor(private readonly deps: AttemptsDeps) {
    this.runner = new AttemptRunner(deps);
  }

  /**
   * Serves the call.
   * @throws CallFailedError with the last upstream failure, or the failure that ended the attempts
   */
  async serve(dispatch: Dispatch, client: ClientResponse): Promise<Served> {
    const { options, metrics, candidates, affinity, failureHandler } = this.deps;
    const { call, failedBefore = noChannels } = dispatch;
    const { route, request } = call;
    const usedChannels: number[] = [...failedBefore];
    const used: number[] = dispatch.avoidsFailed ? [...failedBefore] : [];
    const { values } = options;
    const { continued } = request;
    const origin = continued ? originOf(continued, route, this.deps.channels.table) : null;
    const mayStay = !origin && values['session_affinity.enabled'] && !isAlone(route.candidates);
    const session = mayStay ? await affinity.open(call) : null;
    const seeker: CandidateQuery = {
      route,
      origin,
      preferred: session,
      use: dispatch.use,
      stream: request.stream,
      isCount: isCount(call),
      requestId: dispatch.use && call.requestId,
    };
    const fixed = route.pinned !== null || origin !== null;
    const retries = fixed ? 0 : retriesAllowed(values.RetryTimes);
    let last: CallFailedError | null = null;
    const refused: number[] = [];
    for (let attempt = 0, moves = 0; ;) {
      const found = candidates.next(seeker, attempt, used);
      const candidate = found instanceof Promise ? await found : found;
      // When no channel is left, the client gets the last failure.
      if (candidate instanceof AppError) throw last ?? new CallFailedError(candidate, undefined, usedChannels, true);
      const { channel, keyIndex } = candidate;
      if (last && refused.includes(channel.id)) {
        candidates.giveBack(candidate);
        throw last;
      }
      usedChannels.push(channel.id);
      used.push(channel.id);
      session?.chosen(channel, keyIndex);
      try {
        if (fixed || used.length > 1 || values['hedged_attempts.percentile'] === 0 || !mayHedge(call)) {
          const outcome = await this.runner.run(dispatch, candidate, client);
          const result = origin ? 'hit' : session?.served(channel, keyIndex);
          if (usedChannels.length > 1) failureHandler.rescued(usedChannels, channel.id);
          return servedBy(outcome, candidate, usedChannels, result);
        }
        const next = (): Promise<Candidate | null> => this.secondCandidate(seeker, used, usedChannels);
        const { candidate: served, outcome, aborted } = await this.hedged(dispatch, candidate, client, next);
        const result = session?.served(served.channel, served.keyIndex);
        if (usedChannels.length > 1) failureHandler.rescued(usedChannels, served.channel.id, aborted?.channel.id);
        return servedBy(outcome, served, usedChannels, result, aborted);
      } catch (failed) {
        if (!(failed instanceof AttemptFailedError)) throw failed;
        const { cause, view, isOfChannel } = failed;
        last = new CallFailedError(cause, view, usedChannels, isOfChannel, request.stream);
        if (isOfChannel) session?.failed(channel, keyIndex);
        if (refusesRequest(cause, channel, values)) refused.push(channel.id);
        if (client.started || client.gone || !isOfChannel) throw last;
        // A provider at its limit has done no work, so such an attempt does not count as a retry.
        if (attempt < retries) attempt++;
        else if (isAtLimit(cause) && !fixed && moves < maxRetries) moves++;
        else throw last;
        metrics.relayRetries.inc({ route: call.endpoint.route });
        // The first retry is immediate; later ones are delayed randomly, to spread load.
        if (attempt >= 2) await sleep(randomBetween(100, 500));
      }
    }
  }

  /** Makes the first attempt of a call, and a second one in parallel if the channel is slower than usual. */
  private async hedged(
    dispatch: Dispatch,
    candidate: Candidate,
    client: ClientResponse,
    next: () => Promise<Candidate | null>,
  ): Promise<ServedCandidate> {
    const { options, firstBytes } = this.deps;
    const delay = hedgeDelay(
      dispatch.call,
      candidate.channel,
      options.values['hedged_attempts.percentile'],
      firstBytes,
    );
    if (delay === null) return { candidate, outcome: await this.runner.run(dispatch, candidate, client) };
    return runHedged({ runner: this.runner, dispatch, client, first: candidate, delay, next });
  }

  /**
   * Selects a channel that was not used yet.
   * @returns null when none is free, and the first attempt continues alone
   */
  private async secondCandidate(
    seeker: CandidateQuery,
    used: number[],
    usedChannels: number[],
  ): Promise<Candidate | null> {
    const candidate = await Promise.resolve(this.deps.candidates.next(seeker, 0, used)).catch(() => null);
    if (candidate === null || candidate instanceof AppError) return null;
    const { channel } = candidate;
    // A channel that cannot stream sends comments at once, so its attempt could not be aborted unnoticed.
    if (used.includes(channel.id) || (channel.setting.nonStreamOnly === true && seeker.stream === true)) {
      this.deps.candidates.giveBack(candidate);
      return null;
    }
    used.push(channel.id);
    usedChannels.push(channel.id);
    return candidate;
  }
}

const servedBy = (
  outcome: AttemptOutcome,
  { channel, keyIndex, lease }: Candidate,
  usedChannels: readonly number[],
  affinity: AffinityResult | undefined,
  aborted?: AbortedAttempt,
): Served => ({
  delivery: outcome.delivery,
  meter: outcome.meter,
  upstreamModel: outcome.upstreamModel,
  reasoningEffort: outcome.reasoningEffort,
  dropped: outcome.dropped,
  firstByteAt: outcome.firstByteAt,
  isStream: outcome.isStream,
  channel,
  keyIndex,
  usedChannels,
  lease,
  affinity,
  aborted,
});

/**
 * Whether the provider would refuse the same request with any key of the channel. Its own status decides: the mapping of the channel
 * sends a call to other channels, and never again to this one.
 */
const refusesRequest = (error: unknown, { provider, keys }: RoutedChannel, values: OptionValues): boolean =>
  error instanceof UpstreamError &&
  ([400, 413, 422].includes(error.status) || (error.status === 404 && keys.length === 1)) &&
  !meansDeadKey(error, provider, values.AutomaticDisableKeywords);

/** Whether the provider refused the call because of its own limits. */
const isAtLimit = (error: unknown): boolean => error instanceof UpstreamError && error.status === 429;
