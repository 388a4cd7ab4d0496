import { setTimeout as delay } from 'node:timers/promises';
import { mayHideOutput } from '../../server/src/gateway/reserve/metering/hidden-output.js';
import type { RelayHarness } from '../contract/relay-harness.js';
import type { ReceivedRequest } from '../support/upstream/upstream.js';
import type { OpenedKind } from './kinds.js';
import type { Recorder } from './recordings.js';

/** Milliseconds. No call of a check that passes lasts as long, so that a time limit cannot be what ends a call. */
export const totalTimeout = 120_000;

/** Longer than the gateway reads a call on whose client has left, and far from `totalTimeout`. */
const soonMilliseconds = 5000;

async function isSoon(shown: () => boolean): Promise<boolean> {
  for (const until = Date.now() + soonMilliseconds; Date.now() < until; await delay(50)) if (shown()) return true;
  return shown();
}

/**
 * Checks that the gateway has noticed that a program has just left, and that the call upstream was aborted for it. A call that may hide
 * output is read on for its usage, so the provider ends its stream then.
 * @param model which the program asked for
 */
export async function expectStopped(
  relay: RelayHarness,
  recorder: Recorder,
  model: string,
  request: ReceivedRequest,
  opened: OpenedKind,
): Promise<void> {
  const bodies = recorder.sent.map(({ body }) => body as Record<string, unknown>);
  const slow = bodies.filter((body) => JSON.stringify(body).includes('<<SLOW>>'));
  const mayHide = [{}, ...slow].some((body) => mayHideOutput(model, body));
  try {
    expect(await isSoon(() => relay.occupied.calls === 0)).toBe(true);
    if (!mayHide) expect(await isSoon(() => request.aborted)).toBe(true);
  } finally {
    opened.endStreams();
    await request.ended;
  }
}
