import { requirePermission, type MaybeActor } from '../../shared/actor.js';

/** Where the identity of a session was found. */
export const sessionSourceNames = [
  'HEADER',
  'CODEX',
  'CLAUDE_CODE',
  'PROMPT_CACHE_KEY',
  'PREVIOUS_RESPONSE_ID',
  'PROMPT',
] as const;
export type SessionSourceName = (typeof sessionSourceNames)[number];

/** A session whose calls go to one channel and key. */
export interface ChannelSession {
  readonly userId: number;
  readonly model: string;
  readonly source: SessionSourceName;
  /** Position of the key among the channel's keys, from 1; null when the key was removed. */
  readonly keyPosition: number | null;
  readonly since: Date;
  readonly lastUsedAt: Date;
  /** Number of calls that this node served with this pin. */
  readonly calls: number;
  /** Seconds until the pin is forgotten if no further call uses it. */
  readonly secondsLeft: number;
}

/** The pins of sessions. Implemented by the relay. */
export interface SessionList {
  /** Returns the pins of a channel, last used first. */
  ofChannel(channelId: number): ReadonlyArray<{
    readonly keyMark: string;
    readonly userId: number;
    readonly model: string;
    readonly source: string;
    /** Unix milliseconds since which the session uses this channel and key. */
    readonly since: number;
    readonly usedAt: number;
    readonly calls: number;
    readonly secondsLeft: number;
  }>;
  /** @returns the number of sessions that this node knew */
  clear(channelId: number): Promise<number>;
}

const maxListed = 200;

/** The sessions that are pinned to a channel. For admins. */
export class ChannelSessions {
  /** @param keyMarks returns the marks of a channel's keys, in their order; none for an unknown channel */
  constructor(
    private readonly pins: SessionList,
    private readonly keyMarks: (channelId: number) => readonly string[],
  ) {}

  /**
   * @returns the number of sessions, and the last used ones
   * @throws AppError INSUFFICIENT_PRIVILEGES
   */
  of(actor: MaybeActor, channelId: number): { totalCount: number; items: ChannelSession[] } {
    requirePermission(actor, 'channels.read');
    const pins = this.pins.ofChannel(channelId);
    const marks = this.keyMarks(channelId);
    const items = pins.slice(0, maxListed).map(({ keyMark, source, since, usedAt, ...rest }): ChannelSession => {
      return {
        userId: rest.userId,
        model: rest.model,
        calls: rest.calls,
        secondsLeft: rest.secondsLeft,
        source: sessionSourceNames.find((name) => name.toLowerCase() === source) ?? 'PROMPT',
        keyPosition: marks.indexOf(keyMark) + 1 || null,
        since: new Date(since),
        lastUsedAt: new Date(usedAt),
      };
    });
    return { totalCount: pins.length, items };
  }

  /**
   * Forgets the pins of a channel at every node, so that the next calls of these sessions are routed like those of new
   * ones.
   * @returns the number of sessions that this node knew
   * @throws AppError INSUFFICIENT_PRIVILEGES
   */
  async clear(actor: MaybeActor, channelId: number): Promise<number> {
    requirePermission(actor, 'channels.write');
    return this.pins.clear(channelId);
  }
}
