import type { Kind } from './load.js';
import { oneRound, sayHead, sayRatios, sayRounds, type Contender, type Round, type Size } from './rounds.js';

const lanes: ReadonlyArray<{ readonly kind: Kind; readonly name: string }> = [
  { kind: 'stream', name: 'passed through' },
  { kind: 'chatToMessages', name: 'OpenAI client, Claude' },
  { kind: 'messagesToChat', name: 'Anthropic client, OpenAI' },
];

/** Streams of `events` events through the gateway alone: the cost of translation compared with pass-through. */
export async function compareTranslated(
  gateway: Contender,
  size: Size,
  events: number,
  postmaster: number | null,
): Promise<void> {
  const results = new Map<Kind, Round[]>(lanes.map(({ kind }) => [kind, []]));
  for (let round = 0; round < size.rounds; round++) {
    for (const { kind } of lanes) results.get(kind)?.push(await oneRound(gateway, kind, size, postmaster));
  }
  sayHead(`Translated streams of ${events} events`, size);
  for (const { kind, name } of lanes) sayRounds(name, results.get(kind) ?? []);
  const base = results.get('stream') ?? [];
  for (const { kind, name } of lanes.slice(1)) {
    sayRatios(`gateway CPU to passing through, ${name}`, results.get(kind) ?? [], base);
  }
}
