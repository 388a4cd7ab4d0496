import { LRUCache } from 'lru-cache';
import { getHeapStatistics } from 'node:v8';
import type { KnownField, KnownTurns, ParsedTurns, TurnMemory } from '../../dialects/wire/forms/known-turns.js';
import { letGo, share } from '../../shared/held-bytes.js';
import { partsOf } from '../../shared/turns.js';
import { beginningOf, findBeginning, memoryOfBeginning, type Beginning, type KnownBeginning } from './beginnings.js';

/** Bytes of memory of all bodies that are kept, as `memoryOf` estimates them. */
const maxKeptBytes = Math.min(256 * 1024 * 1024, getHeapStatistics().heap_size_limit / 8);
/** Bytes of memory. Larger bodies are not kept: most of their bytes are images. */
const maxBodyBytes = 16 * 1024 * 1024;
const keptMilliseconds = 10 * 60_000;
/** Maximum bodies of one key that are kept: the last body of each of its conversations. */
const maxOfKey = 256;
/** Each call looks for them all. */
const maxBeginningsOfKey = 1024;
/** The tools of a few programs. Each call compares them all. */
const maxFieldsOfKey = 16;
/** Bytes that each value of a body takes, parsed and translated: 400 in turns of one letter, 100 in those of agents. */
const perValue = 450;

/**
 * Agents send their whole conversation with each turn. The last bodies of each key are kept for some minutes in their
 * parsed form, so that only the part that follows the same bytes is parsed in the next body. Of a body that has no place
 * any more, what is known of its turns is kept with a digest of their bytes, and its tools once for all of its key.
 */
export class Conversations {
  private readonly kept: Kept;

  /** @param maxBytes of all bodies. Beginnings take up to half of that besides, and large fields an eighth. */
  constructor(maxBytes = maxKeptBytes) {
    const lifetime = { ttl: keptMilliseconds, ttlAutopurge: true };
    this.kept = {
      ofKeys: new Map(),
      bodies: new LRUCache({
        ...lifetime,
        maxSize: maxBytes,
        maxEntrySize: maxBodyBytes,
        sizeCalculation: (_owner, body) => memoryOf(body),
        dispose: (owner, body, reason) => {
          if (reason === 'evict') owner.keepBeginning(body);
          if (owner.bodies.delete(body)) letGo(body.bytes);
          this.release(owner);
        },
      }),
      beginnings: new LRUCache({
        ...lifetime,
        maxSize: maxBytes / 2,
        sizeCalculation: (_owner, beginning) => memoryOfBeginning(beginning),
        dispose: (owner, beginning) => {
          owner.beginnings.delete(beginning.digest);
          this.release(owner);
        },
      }),
      fields: new LRUCache({
        ...lifetime,
        maxSize: maxBytes / 8,
        sizeCalculation: (_owner, field) => memoryOf(field),
        dispose: (owner, field) => {
          owner.fields.delete(field);
          this.release(owner);
        },
      }),
    };
  }

  of(tokenId: number): TurnMemory {
    const { ofKeys } = this.kept;
    return {
      find: (bytes) => ofKeys.get(tokenId)?.find(bytes) ?? null,
      keep: (body, known) => {
        const owner = ofKeys.get(tokenId) ?? new KeyConversations(tokenId, this.kept);
        owner.keep(body, known);
        // Its only body may have been released before the new one was kept.
        if (!owner.isEmpty) ofKeys.set(tokenId, owner);
      },
    };
  }

  private release(owner: KeyConversations): void {
    if (owner.isEmpty) this.kept.ofKeys.delete(owner.tokenId);
  }
}

/** Bodies, beginnings and large fields of all keys. The least recently used is dropped first. */
interface Kept {
  readonly ofKeys: Map<number, KeyConversations>;
  readonly bodies: LRUCache<ParsedTurns, KeyConversations>;
  readonly beginnings: LRUCache<Beginning, KeyConversations>;
  readonly fields: LRUCache<KnownField, KeyConversations>;
}

/**
 * Estimates the bytes of memory that a body or a field takes: as it came, in its texts, as it is written for a provider, and for
 * each value.
 */
const memoryOf = ({ bytes, values }: ParsedTurns | KnownField): number => 3 * bytes.length + perValue * values;

class KeyConversations {
  readonly bodies = new Set<ParsedTurns>();
  /** By their digest. */
  readonly beginnings = new Map<string, Beginning>();
  /** The fields of bodies that are not kept themselves. */
  readonly fields = new Set<KnownField>();

  constructor(
    readonly tokenId: number,
    private readonly kept: Kept,
  ) {}

  get isEmpty(): boolean {
    return this.bodies.size + this.beginnings.size + this.fields.size === 0;
  }

  find(bytes: Buffer): KnownTurns | null {
    const body = this.findBody(bytes);
    // While there is place, a body is kept itself, because translations need its turns.
    const hasPlace = this.kept.bodies.calculatedSize + 4 * bytes.length < this.kept.bodies.maxSize;
    if (hasPlace || (body && 2 * body.count >= body.turns.commas.length)) return body;
    const known = findBeginning(this.beginnings, [...this.fields], bytes);
    if (!known || known.count <= (body?.count ?? 0)) return body;
    if (!known.beginning.use.areTurnsRead) return known;
    this.kept.beginnings.delete(known.beginning);
    return body;
  }

  keep(body: ParsedTurns, known: KnownTurns | KnownBeginning | null): void {
    const { bodies } = this.kept;
    if (known && 'beginning' in known) {
      this.kept.beginnings.delete(known.beginning);
      this.keepBeginning(body, known);
      return;
    }
    // The next turn of a conversation replaces the one before.
    if (known?.before && 2 * known.count >= known.turns.commas.length) bodies.delete(known.before);
    const [oldest] = this.bodies;
    if (oldest && this.bodies.size >= maxOfKey) {
      this.keepBeginning(oldest);
      bodies.delete(oldest);
    }
    bodies.set(body, this);
    // A body of more than the maximum is not kept.
    if (!bodies.has(body)) return;
    this.bodies.add(body);
    share(body.bytes);
  }

  /** Keeps what is known of a body that is not kept itself. */
  keepBeginning(body: ParsedTurns, known?: KnownBeginning): void {
    const beginning = beginningOf(body, known);
    if (!beginning) return;
    for (const field of body.fields) this.keepField(field);
    const { beginnings } = this.kept;
    const same = this.beginnings.get(beginning.digest);
    if (same) beginnings.delete(same);
    const [oldest] = this.beginnings.values();
    if (oldest && this.beginnings.size >= maxBeginningsOfKey) beginnings.delete(oldest);
    if (beginnings.set(beginning, this).has(beginning)) this.beginnings.set(beginning.digest, beginning);
  }

  private keepField(field: KnownField): void {
    const { fields } = this.kept;
    const same = [...this.fields].find(({ name, bytes }) => name === field.name && bytes.equals(field.bytes));
    if (same) {
      fields.get(same);
      return;
    }
    const [oldest] = this.fields;
    if (oldest && this.fields.size >= maxFieldsOfKey) fields.delete(oldest);
    // The bytes would hold those of the whole body.
    const own = { ...field, bytes: Buffer.from(field.bytes) };
    if (fields.set(own, this).has(own)) this.fields.add(own);
  }

  private findBody(bytes: Buffer): KnownTurns | null {
    let longest: Match | null = null;
    for (const before of this.bodies) {
      const count = sameTurns(before, bytes, longest?.count ?? 0);
      if (count <= (longest?.count ?? 0)) continue;
      longest = { before, count };
      if (isNext(bytes, longest)) break;
    }
    if (!longest) return null;
    this.kept.bodies.get(longest.before);
    const { turns, parsed, fields } = longest.before;
    return { ...longest, turns, fields, parts: partsOf(parsed) };
  }
}

/** An earlier body, and how many turns at its beginning another one has, too. */
interface Match {
  readonly before: ParsedTurns;
  readonly count: number;
}

/** Turns at the end of a body that the next call of its conversation may change: marks of caches move, for example. */
const changedTurns = 4;

/**
 * Whether a body continues an earlier one to its end, and is mostly known from it. No other one has much more in common with
 * it, so a key with hundreds of conversations is not searched for one.
 */
function isNext(bytes: Buffer, { before: { turns }, count }: Match): boolean {
  return turns.commas.length - count <= changedTurns && 2 * (turns.commas[count - 1] ?? 0) > bytes.length;
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
