import type { Changes } from '../cache/changes.js';
import type { Actor } from '../shared/actor.js';
import { AppError, ForbiddenError, isAppError, UnavailableError } from '../shared/errors.js';

/** A console has two open for each window that is looked at. */
const perUser = 20;
/** Who is read again although nothing was announced: sessions also end by themselves. */
const everyMilliseconds = 30_000;

/** A stream that is open. */
export interface Stream {
  readonly actor: Actor;
  /** Who it is now. @throws AppError when the credentials are no good any more */
  readonly identify: () => Promise<Actor>;
  readonly end: (reason: AppError) => void;
}

/**
 * Every subscription that is open on this node. A stream ends as soon as its user may not have opened it any more: his
 * session was revoked or ran out, he was banned, or he is less than he was.
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

  /** @returns what is called when it is over @throws AppError RATE_LIMITED, SERVICE_UNAVAILABLE */
  add(stream: Stream): () => void {
    if (this.stopped) throw stopping();
    const open = [...this.streams].filter(({ actor }) => actor.id === stream.actor.id).length;
    if (open >= perUser) throw new AppError('RATE_LIMITED', `At most ${perUser} subscriptions may be open at a time`);
    this.streams.add(stream);
    return () => this.streams.delete(stream);
  }

  /** Ends all of them: their readers come back to another node. */
  stop(): void {
    this.stopped = true;
    clearInterval(this.clock);
    for (const stream of this.streams) stream.end(stopping());
  }

  /** @param userId absent: everybody */
  private recheck(userId?: number | string): void {
    for (const stream of this.streams) {
      if (userId === undefined || stream.actor.id === userId) void this.check(stream);
    }
  }

  private async check({ actor, identify, end }: Stream): Promise<void> {
    try {
      if ((await identify()).role < actor.role) end(new ForbiddenError());
    } catch (error) {
      if (isAppError(error)) end(error);
      // Who it is could not be read now; it is asked again.
      else this.report(error);
    }
  }
}

const stopping = (): AppError => new UnavailableError('This server stops, subscribe again');
