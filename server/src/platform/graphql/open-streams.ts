import type { Changes } from '../cache/changes.js';
import { holds, permissionsOf, personOf, ranks, type Actor } from '../../shared/actor.js';
import { AppError, ForbiddenError, isAppError, UnavailableError } from '../../shared/errors.js';

/** Maximum number of streams of a person, for all organisations together. The console has two open per visible window. */
const perUser = 20;
/** Milliseconds between checks of callers without an announcement: sessions also expire by themselves. */
const everyMilliseconds = 30_000;

/** An open stream. */
export interface Stream {
  readonly actor: Actor;
  /**
   * Reads the current caller.
   * @throws AppError when the credentials are no longer valid
   */
  readonly identify: () => Promise<Actor>;
  readonly end: (reason: AppError) => void;
}

/**
 * Every open subscription of this node. A stream ends as soon as its user could no longer open it: the session was
 * revoked or expired, the user was banned or lost the role.
 */
export class OpenStreams {
  private readonly streams = new Set<Stream>();
  private readonly clock: NodeJS.Timeout;
  private stopped = false;

  constructor(
    changes: Changes,
    private readonly report: (error: unknown) => void,
  ) {
    const recheck = ({ id }: { id?: number | string }): void => this.recheck(id);
    changes.on('user', recheck);
    changes.on('session', recheck);
    this.clock = setInterval(() => this.recheck(), everyMilliseconds);
  }

  /**
   * Adds a stream.
   * @returns a function to call when the stream has ended
   * @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  add(stream: Stream): () => void {
    if (this.stopped) throw stopping();
    const open = [...this.streams].filter(({ actor }) => personOf(actor).id === personOf(stream.actor).id).length;
    if (open >= perUser) throw new AppError('RATE_LIMITED', `At most ${perUser} subscriptions may be open at a time`);
    this.streams.add(stream);
    return () => this.streams.delete(stream);
  }

  /** Ends all streams. Their clients reconnect to another node. */
  stop(): void {
    this.stopped = true;
    clearInterval(this.clock);
    for (const stream of this.streams) stream.end(stopping());
  }

  /** @param userId a person or an organisation; absent for all */
  private recheck(userId?: number | string): void {
    for (const stream of this.streams) {
      const { actor } = stream;
      const isMeant = userId === undefined || userId === actor.id || userId === personOf(actor).id;
      if (isMeant) void this.check(stream);
    }
  }

  private async check({ actor, identify, end }: Stream): Promise<void> {
    try {
      if (hasLost(actor, await identify())) end(new ForbiddenError());
    } catch (error) {
      if (isAppError(error)) end(error);
      // The caller could not be read now. The next check retries.
      else this.report(error);
    }
  }
}

/** Whether the caller may have lost a right that they had before. In an organisation, each role has its own rights. */
const hasLost = (before: Actor, now: Actor): boolean =>
  now.membership?.role !== before.membership?.role ||
  ranks[now.role] < ranks[before.role] ||
  permissionsOf(before).some((one) => !holds(now, one));

const stopping = (): AppError => new UnavailableError('This server is stopping. Subscribe again.');
