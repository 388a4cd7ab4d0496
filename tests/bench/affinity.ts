/**
 * CPU time that session affinity adds to a call: finding the session, its pin, and noting the call. Run alone:
 * `npm run bench -- affinity`. Fails above the goal.
 */
import { SessionAffinity } from '../../server/src/gateway/route/affinity/session-affinity.js';
import { SessionPins } from '../../server/src/gateway/route/affinity/session-pins.js';
import { defaultOptionValues } from '../../server/src/options/option-registry.js';
import type { RoutedCall } from '../../server/src/gateway/call.js';
import type { RoutedChannel } from '../../server/src/gateway/route/routed-channel.js';
import { systemClock } from '../../server/src/shared/clock.js';

/** Milliseconds of CPU time a call. */
const goal = 0.01;
const calls = 200_000;
const sessions = 5_000;

const channels = Array.from(
  { length: 4 },
  (_, index) =>
    ({ id: index + 1, keys: ['a', 'b', 'c'].map((key) => `sk-${index}-${key}`) }) as unknown as RoutedChannel,
);
const system = 'You are a careful engineer who reads before writing. '.repeat(600);

const callOf = (session: number, named: boolean): RoutedCall =>
  ({
    route: { group: 'default', bareModel: 'gpt-4o', pinned: null, candidates: { tiers: [{ channels }] } },
    request: {
      body: {
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: `Task ${session}: ${'read this file. '.repeat(100)}` },
        ],
      },
    },
    caller: { user: { id: 7 }, token: { id: 9 } },
    headers: named ? { 'x-session-affinity': `session-${session}` } : {},
    rawBody: { length: system.length },
    price: {},
  }) as unknown as RoutedCall;

function measure(named: boolean): number {
  const clock = systemClock;
  const pins = new SessionPins(null, 'bench', () => clock.now());
  const affinity = new SessionAffinity({ values: defaultOptionValues() }, pins, clock);
  const served = Array.from({ length: sessions }, (_, session) => callOf(session, named));
  const play = (count: number): void => {
    for (let call = 0; call < count; call++) {
      const opened = affinity.open(served[call % sessions] as RoutedCall);
      if (!opened || opened instanceof Promise) throw new Error('a call had no session');
      const channel = channels[opened.channelId > 0 ? opened.channelId - 1 : call % 4] as RoutedChannel;
      const known = opened.keyIndexAt(channel);
      const keyIndex = known === -1 ? call % 3 : known;
      opened.chosen(channel, keyIndex);
      opened.served(channel, keyIndex);
    }
  };
  play(20_000);
  const before = process.cpuUsage();
  play(calls);
  const { user, system: kernel } = process.cpuUsage(before);
  return (user + kernel) / 1000 / calls;
}

const figures = { 'stated by a header': measure(true), 'recognized by its text': measure(false) };
for (const [name, milliseconds] of Object.entries(figures)) {
  process.stdout.write(`session ${name}: ${milliseconds.toFixed(5)} ms of CPU a call (goal: at most ${goal})\n`);
  if (milliseconds > goal) process.exitCode = 1;
}
