import { AppError } from '../../shared/errors.js';

/** Maximum number of documents of one caller that run at the same time. */
const maxRunning = 2;
/** Maximum number of documents of one caller that wait. The console sends fewer for its largest page. */
const maxWaiting = 100;
/** Milliseconds that a caller may use before its share limits it. It is enough for many pages of the console. */
const burst = 2000;
/**
 * Maximum milliseconds that one root field counts, or a document without any. On a slow server all of them take long, and
 * their users would wait ten times as long.
 */
const maxCounted = 250;

/** One document of a caller. */
export interface Visit {
  /** Resolves when the document may run. @throws AppError RATE_LIMITED when it is ended before */
  readonly begun: Promise<void>;
  /**
   * Resolves a root field. The root fields of a document run one after another: each may keep a connection to the database busy, and
   * the relay waits behind all of them.
   */
  readonly field: <T>(resolve: () => T) => Promise<Awaited<T>>;
  /** Called when the response is complete, or the client has disconnected. May be called again. */
  readonly end: () => void;
  /** Counts time that the response takes after the end, such as for compressing it. */
  readonly count: (milliseconds: number) => void;
}

/**
 * Limits the part of this node's time that documents of one caller use, independent of their cost. The documents of a
 * caller run two at a time. Once they have used the burst, they run only as often as the share allows, and all other
 * work continues meanwhile.
 */
export class TimeShare {
  private readonly callers = new Map<string, CallerTime>();

  /** @param share part of the time that one caller may take, such as 0.1 */
  constructor(private readonly share: number) {}

  /** @throws AppError RATE_LIMITED when too many documents of the caller wait */
  visit(caller: string): Visit {
    const known = this.callers.get(caller) ?? new CallerTime(this.share, () => this.callers.delete(caller));
    this.callers.set(caller, known);
    return known.visit();
  }

  /** Number of callers that are remembered. */
  get size(): number {
    return this.callers.size;
  }
}

class CallerTime {
  private readonly waiting = new Set<Document>();
  private running = 0;
  /** Milliseconds used until `readAt`, minus those that the share has returned. */
  private taken = 0;
  private readAt = performance.now();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly share: number,
    private readonly forget: () => void,
  ) {}

  visit(): Visit {
    if (this.waiting.size >= maxWaiting) throw refused(`More than ${maxWaiting} GraphQL requests of this caller wait`);
    const document = new Document();
    this.waiting.add(document);
    this.advance();
    const count = (milliseconds: number): void => void (this.taken += milliseconds);
    const field = <T>(resolve: () => T): Promise<Awaited<T>> => document.field(resolve);
    return { begun: document.begun, field, end: () => this.end(document), count };
  }

  private end(document: Document): void {
    if (this.waiting.delete(document)) document.leave();
    document.end((taken) => {
      this.running -= 1;
      this.taken += taken;
      this.advance();
    });
  }

  /**
   * Starts the documents that may run. Schedules the next call for the time at which the next document may run, or the
   * caller can be forgotten.
   */
  private advance(): void {
    clearTimeout(this.timer);
    const now = performance.now();
    this.taken = Math.max(0, this.taken - (now - this.readAt) * this.share);
    this.readAt = now;
    for (const document of this.waiting) {
      if (this.running >= maxRunning || this.taken > burst) break;
      this.waiting.delete(document);
      this.running += 1;
      document.begin();
    }
    if (this.waiting.size > 0 && this.taken > burst) {
      this.timer = setTimeout(() => this.advance(), (this.taken - burst) / this.share + 1).unref();
    } else if (this.waiting.size === 0 && this.running === 0) {
      this.timer = setTimeout(this.forget, this.taken / this.share + 1).unref();
    }
  }
}

class Document {
  private begunAt: number | null = null;
  /** Settles when the last root field is resolved. */
  private last: Promise<unknown> = Promise.resolve();
  /** Milliseconds that root fields count. */
  private fields = 0;
  private isResolving = false;
  /** Called after the field that was running when the visit ended. */
  private afterField: (() => void) | undefined;
  begin!: () => void;
  leave!: () => void;
  readonly begun = new Promise<void>((resolve, reject) => {
    this.begin = () => {
      this.begunAt = performance.now();
      resolve();
    };
    this.leave = () => reject(refused('The client has left'));
  });

  async field<T>(resolve: () => T): Promise<Awaited<T>> {
    const before = this.last;
    let isResolved!: () => void;
    this.last = new Promise<void>((done) => (isResolved = done));
    await before;
    const startedAt = performance.now();
    try {
      if (this.begunAt === null) throw refused('The client has left');
      this.isResolving = true;
      return await resolve();
    } finally {
      this.fields += counted(startedAt);
      this.isResolving = false;
      isResolved();
      this.afterField?.();
    }
  }

  /**
   * Ends the visit. If the client has left, the field that runs goes on, and the next ones do not run.
   * @param ended gets the milliseconds that it counts. Not called if it did not run, or was ended before
   */
  end(ended: (milliseconds: number) => void): void {
    const begunAt = this.begunAt;
    if (begunAt === null) return;
    this.begunAt = null;
    const report = (): void => ended(Math.max(this.fields, counted(begunAt)));
    if (this.isResolving) this.afterField = report;
    else report();
  }
}

const counted = (startedAt: number): number => Math.min(performance.now() - startedAt, maxCounted);

const refused = (message: string): AppError =>
  new AppError('RATE_LIMITED', `${message}. Try again later.`, { retryAfterSeconds: 1 });
