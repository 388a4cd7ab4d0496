import type { ClientResponse } from '../deliver/client-response.js';
import type { FirstByteTimes } from '../route/order/first-byte-times.js';
import type { RoutedChannel } from '../route/routed-channel.js';
import type { Candidate } from '../route/candidate-selector.js';
import type { AttemptOutcome } from './attempt.js';
import { AttemptRace } from './attempt-race.js';
import type { RoutedCall } from '../call.js';
import type { Dispatch } from './dispatch.js';
import { AttemptFailedError, type AttemptRunner } from './attempt-runner.js';

/** An attempt that was aborted because another one was faster. Its provider may bill the work that it did. */
export interface AbortedAttempt {
  readonly channel: RoutedChannel;
  /** Milliseconds from the first attempt to the second. */
  readonly afterMs: number;
}

/** A served call and the attempt that served it. */
export interface ServedCandidate {
  readonly candidate: Candidate;
  readonly outcome: AttemptOutcome;
  readonly aborted?: AbortedAttempt | undefined;
}

/** Number of measured calls below which a percentile is not reliable. */
const leastTimes = 20;
const shortestDelay = 50;

/**
 * Whether a second attempt of the call may run in parallel: the charge depends on the output, and the response is text.
 */
export const mayHedge = ({ endpoint, price }: RoutedCall): boolean =>
  price !== undefined && endpoint.limitOutput !== undefined;

/** Returns the milliseconds after which a second attempt begins. Null when too little is known of the channel. */
export function hedgeDelay(
  { route, request }: RoutedCall,
  { id: channelId }: RoutedChannel,
  percentile: number,
  times: FirstByteTimes,
): number | null {
  const timed = { channelId, model: route.bareModel, stream: request.stream };
  const delay = times.percentile(timed, percentile, leastTimes);
  return delay === null ? null : Math.max(shortestDelay, delay);
}

/** The call, and the means to run its attempts. */
export interface Hedge {
  readonly runner: AttemptRunner;
  readonly dispatch: Dispatch;
  readonly client: ClientResponse;
  readonly first: Candidate;
  /** Milliseconds before the second attempt. */
  readonly delay: number;
  /** Selects another channel. Null when there is none. */
  readonly next: () => Promise<Candidate | null>;
}

/**
 * Makes an attempt and, if its response has not begun after the delay, a second one at another channel. The first response
 * to begin serves the call.
 * @throws AttemptFailedError of the first attempt that failed by itself, when none served the call
 */
export async function runHedged({ runner, dispatch, client, first, delay, next }: Hedge): Promise<ServedCandidate> {
  const race = new AttemptRace();
  const startedAt = performance.now();
  const run = async (candidate: Candidate): Promise<ServedCandidate> => ({
    candidate,
    outcome: await runner.run(dispatch, candidate, client, race),
  });
  const one = run(first);
  if (await settles(one, delay)) return one;
  const mayFollow = !race.isDecided && !client.started && !client.gone;
  const second = mayFollow ? await next() : null;
  if (!second) return one;
  const afterMs = Math.round(performance.now() - startedAt);
  try {
    const served = await Promise.any([one, run(second)]);
    const { channel, lease } = served.candidate === first ? second : first;
    if (race.abortedCount > 0) return { ...served, aborted: { channel, afterMs } };
    // The attempt may still be preparing its request, which will never be sent. The settlement must not count the call
    // at its channel.
    lease?.cancel();
    return served;
  } catch (error) {
    const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
    throw errors.find((each) => each instanceof AttemptFailedError) ?? errors[0];
  }
}

/** Whether the attempt ends within this number of milliseconds. Its failure is handled elsewhere. */
async function settles(attempt: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, milliseconds, false)));
  const ended = attempt.then(
    () => true,
    () => true,
  );
  const isEnded = await Promise.race([ended, late]);
  clearTimeout(timer);
  return isEnded;
}
