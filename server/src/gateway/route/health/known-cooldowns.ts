import type { Clock } from '../../../shared/clock.js';
import type { Cooldown, EndedCooldown } from './cooldown.js';

/** The link that shares cooldowns with other nodes. */
export interface HealthLink {
  /** Announces that a cooldown began, changed or ended. Never throws, and callers do not wait for it. */
  changed(now: Cooldown | EndedCooldown): void;
  claim(name: string): Promise<boolean>;
  giveBack(name: string): void;
}

export type CooldownId = Pick<Cooldown, 'channelId' | 'keyMark' | 'model'>;

export interface Entry {
  cooldown: Cooldown;
  /** The end of the cooldown as other nodes know it. */
  announcedUntil: number;
  /** Unix milliseconds until which a trial is under way; 0 when none is. */
  tryingUntil: number;
}

/** Milliseconds. An expired cooldown without a trial is forgotten after this time. */
const forgetAfter = 5 * 60_000;
/**
 * Milliseconds. Calls that fail together extend a cooldown by less than this, which is not worth a message to other
 * nodes.
 */
const worthAnnouncing = 1000;
/** Milliseconds for which an early end is remembered at most. */
const maxEnded = 24 * 60 * 60_000;

/** The cooldowns that this node knows, its own and those of other nodes, and those that ended early. */
export class KnownCooldowns {
  link: HealthLink = alone;
  private readonly entries = new Map<string, Entry>();
  private readonly byChannel = new Map<number, Map<string, Entry>>();
  /** Cooldowns that ended early. */
  private readonly endings = new Map<string, EndedCooldown>();
  private ended: (cooldown: Cooldown) => void = () => undefined;

  /** @param changed called after each change; `isEmpty`: whether no cooldown is known */
  constructor(
    private readonly clock: Clock,
    private readonly changed: (isEmpty: boolean) => void,
  ) {}

  get all(): Cooldown[] {
    return [...this.entries.values()].map(({ cooldown }) => cooldown);
  }

  /** Ids of channels with cooldowns. */
  get channels(): Iterable<number> {
    return this.byChannel.keys();
  }

  /** @param listener called with each cooldown that ends on this node, unless it expires */
  onEnd(listener: (cooldown: Cooldown) => void): void {
    this.ended = listener;
  }

  find(id: CooldownId): Entry | undefined {
    return this.entries.get(keyOf(id));
  }

  /** Returns the entries of a channel by `nameOf`. Undefined when it has none. */
  ofKeys(channelId: number): ReadonlyMap<string, Entry> | undefined {
    return this.byChannel.get(channelId);
  }

  /** Returns the cooldowns of a channel. */
  of(channelId: number): Cooldown[] {
    return [...(this.byChannel.get(channelId)?.values() ?? [])].map(({ cooldown }) => cooldown);
  }

  /** Returns the early ends of cooldowns of a channel. */
  endedOf(channelId: number): EndedCooldown[] {
    return [...this.endings.values()].filter((ending) => ending.channelId === channelId);
  }

  /** Ids of channels with cooldowns, or with early ends of cooldowns. */
  get channelIds(): ReadonlySet<number> {
    return new Set([...this.byChannel.keys(), ...[...this.endings.values()].map(({ channelId }) => channelId)]);
  }

  /**
   * Stores a cooldown that another node announced, or that this node had before its restart.
   * @returns whether the cooldown was unknown
   */
  learn(cooldown: Cooldown): boolean {
    const known = this.entries.get(keyOf(cooldown));
    const ending = this.endings.get(keyOf(cooldown));
    if (ending && cooldown.since <= ending.endedAt) return false;
    if (cooldown.until + forgetAfter < this.clock.now() || (known && known.cooldown.until >= cooldown.until))
      return false;
    this.set(cooldown);
    return true;
  }

  /**
   * Applies the end of a cooldown at another node.
   * @returns whether this node knew the cooldown
   */
  learnEnd(ending: EndedCooldown): boolean {
    const known = this.entries.get(keyOf(ending));
    // The cooldown began again after that end.
    if (known && known.cooldown.since > ending.endedAt) return false;
    this.endings.set(keyOf(ending), ending);
    return this.forget(ending);
  }

  private forget(id: CooldownId): boolean {
    const entry = this.entries.get(keyOf(id));
    if (entry) this.ended(entry.cooldown);
    const known = this.byChannel.get(id.channelId);
    known?.delete(nameOf(id.keyMark, id.model));
    if (known?.size === 0) this.byChannel.delete(id.channelId);
    this.entries.delete(keyOf(id));
    this.changed(this.entries.size === 0);
    return entry !== undefined;
  }

  /** Stores a cooldown of this node, and announces it to other nodes if they do not know it. */
  put(cooldown: Cooldown): void {
    const known = this.entries.get(keyOf(cooldown));
    const announced = known?.cooldown.reason === cooldown.reason ? known.announcedUntil : null;
    const entry = this.set(cooldown);
    if (announced !== null && Math.abs(cooldown.until - announced) < worthAnnouncing) {
      entry.announcedUntil = announced;
    } else {
      this.link.changed(cooldown);
    }
  }

  private set(cooldown: Cooldown): Entry {
    const entry: Entry = { cooldown, announcedUntil: cooldown.until, tryingUntil: 0 };
    this.entries.set(keyOf(cooldown), entry);
    this.changed(false);
    this.endings.delete(keyOf(cooldown));
    const ofChannel = this.byChannel.get(cooldown.channelId);
    if (ofChannel) ofChannel.set(nameOf(cooldown.keyMark, cooldown.model), entry);
    else this.byChannel.set(cooldown.channelId, new Map([[nameOf(cooldown.keyMark, cooldown.model), entry]]));
    return entry;
  }

  /** Ends a cooldown before its time, and announces that. */
  end(cooldown: Cooldown): void {
    if (!this.forget(cooldown)) return;
    const { channelId, keyMark, model } = cooldown;
    const now = this.clock.now();
    const until = Math.min(cooldown.until + forgetAfter, now + maxEnded);
    // The clock of the node at which it began may be ahead.
    const ending: EndedCooldown = { channelId, keyMark, model, endedAt: Math.max(now, cooldown.since), until };
    this.endings.set(keyOf(cooldown), ending);
    this.link.changed(ending);
  }

  /** Forgets cooldowns that expired long ago without a trial. */
  prune(): void {
    const now = this.clock.now();
    for (const { cooldown } of [...this.entries.values()])
      if (cooldown.until + forgetAfter < now) this.forget(cooldown);
    for (const [key, { until }] of this.endings) if (until < now) this.endings.delete(key);
  }
}

/** The name of an entry within its channel. */
export const nameOf = (keyMark: string, model: string): string => `${keyMark}/${model}`;
export const keyOf = ({ channelId, keyMark, model }: CooldownId): string => `${channelId}/${keyMark}/${model}`;

const alone: HealthLink = { changed: () => undefined, claim: async () => true, giveBack: () => undefined };
