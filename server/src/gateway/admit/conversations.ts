import { LRUCache } from 'lru-cache';
import { getHeapStatistics } from 'node:v8';
import type { KnownTurns, ParsedTurns, TurnMemory } from '../../dialects/wire/forms/known-turns.js';

/** Bytes of memory of all bodies that are kept, as `memoryOf` estimates them. */
const maxKeptBytes = Math.min(256 * 1024 * 1024, getHeapStatistics().heap_size_limit / 8);
/** Bytes of memory. Larger bodies are not kept: most of their bytes are images. */
const maxBodyBytes = 16 * 1024 * 1024;
const keptMilliseconds = 10 * 60_000;
/** Maximum bodies of one key that are kept: the last body of each of its conversations. */
const maxOfKey = 256;
/** Bytes that each value of a body takes, parsed and translated: 240 in turns of one word, 100 in those of agents. */
const perValue = 200;

/**
 * Agents send their whole conversation with each turn. The last bodies of each key are kept for some minutes in their
 * parsed form, so that only the part that follows the same bytes is parsed in the next body.
 */
export class Conversations {
  private readonly ofKeys = new Map<number, KeyConversations>();
  private readonly recent: LRUCache<ParsedTurns, KeyConversations>;

  constructor(maxBytes = maxKeptBytes) {
    this.recent = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBodyBytes,
      sizeCalculation: (_owner, body) => memoryOf(body),
      ttl: keptMilliseconds,
      ttlAutopurge: true,
      dispose: (owner, body) => {
        owner.bodies.delete(body);
        if (owner.bodies.size === 0 && this.ofKeys.get(owner.tokenId) === owner) this.ofKeys.delete(owner.tokenId);
      },
    });
  }

  of(tokenId: number): TurnMemory {
    return this.ofKeys.get(tokenId) ?? new KeyConversations(tokenId, this.ofKeys, this.recent);
  }
}

/** Estimates the bytes of memory that a body takes: as it came, in its texts, as it is written for a provider, and for each value. */
const memoryOf = ({ bytes, values }: ParsedTurns): number => 3 * bytes.length + perValue * values;

class KeyConversations implements TurnMemory {
  readonly bodies = new Set<ParsedTurns>();

  constructor(
    readonly tokenId: number,
    private readonly ofKeys: Map<number, KeyConversations>,
    private readonly recent: LRUCache<ParsedTurns, KeyConversations>,
  ) {}

  find(bytes: Buffer): KnownTurns | null {
    let longest: KnownTurns | null = null;
    for (const before of this.bodies) {
      const count = sameTurns(before, bytes, longest?.count ?? 0);
      if (count > (longest?.count ?? 0)) longest = { before, count };
    }
    if (longest) this.recent.get(longest.before);
    return longest;
  }

  keep(body: ParsedTurns, known: KnownTurns | null): void {
    // The next turn of a conversation replaces the one before.
    if (known && 2 * known.count >= known.before.turns.commas.length) this.recent.delete(known.before);
    const [oldest] = this.bodies;
    if (oldest && this.bodies.size >= maxOfKey) this.recent.delete(oldest);
    this.recent.set(body, this);
    // A body of more than the maximum is not kept.
    if (!this.recent.has(body)) return;
    this.bodies.add(body);
    this.ofKeys.set(this.tokenId, this);
  }
}

/**
 * Returns how many turns at the beginning of both bodies have the same bytes, with everything before them.
 * @param least fewer turns, or as many, are of no use: 0 may be returned for them
 */
function sameTurns({ bytes: known, turns: { open, commas } }: ParsedTurns, bytes: Buffer, least: number): number {
  const isSame = (from: number, end: number): boolean =>
    end <= bytes.length && known.compare(bytes, from, end, from, end) === 0;
  // Conversations of one program begin with the same long instructions. The next turn alone tells nearly all of them apart.
  if (!isSame(commas[least - 1] ?? open, (commas[least] ?? Infinity) + 1)) return 0;
  let same = 0;
  let from = 0;
  for (let step = 2 ** Math.floor(Math.log2(commas.length)); step >= 1; step /= 2) {
    const end = (commas[same + step - 1] ?? Infinity) + 1;
    if (!isSame(from, end)) continue;
    same += step;
    from = end;
  }
  return same;
}
