import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { UnavailableError } from '../../shared/errors.js';
import { matcherThread } from './matcher-thread.js';
import { FairQueue } from './fair-queue.js';

/** Places of the patterns in the texts. */
export interface Match {
  readonly pattern: number;
  readonly text: number;
  readonly start: number;
  readonly end: number;
  /** The text was not searched to its end, because of time or of too many matches: all of it counts as found. */
  readonly isUnsearched: boolean;
}

export interface Search {
  /** The user whose texts these are: users take turns. */
  readonly userId: number;
  readonly texts: readonly string[];
  readonly patterns: readonly Pick<RegExp, 'source' | 'flags'>[];
  /** Whether the search ends with its first match. */
  readonly isFirstEnough: boolean;
}

/** For all patterns and texts of one search. */
const searchMilliseconds = 1000;
/** Of all patterns in all texts of one search. */
const maxMatches = 10_000;
/** Characters that are copied for the thread in one turn of the event loop. */
const pieceLength = 512 * 1024;

interface Job {
  readonly search: Search;
  readonly resolve: (found: Match[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Searches texts of users for regular expressions in a thread of its own, one search at a time: a pattern may need more
 * than linear time, and no other call may wait for that. The thread starts with the first search.
 */
export class Matcher {
  private readonly queue = new FairQueue<Job>();
  private thread: Worker | undefined;
  private isBusy = false;

  /** @throws UnavailableError when too many searches wait, or the thread ended */
  search(search: Search): Promise<Match[]> {
    if (search.patterns.length === 0 || search.texts.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      if (!this.queue.push(search.userId, { search, resolve, reject })) return reject(unavailable());
      if (!this.isBusy) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    for (let job = this.queue.shift(); job; job = this.queue.shift()) {
      await this.run(job.search).then(job.resolve, job.reject);
    }
    this.isBusy = false;
  }

  private async run(search: Search): Promise<Match[]> {
    const thread = (this.thread ??= this.start());
    thread.ref();
    try {
      const result = new Promise<Int32Array>((resolve, reject) => {
        thread.once('message', resolve);
        thread.once('exit', () => reject(unavailable()));
      });
      // The thread may end while the texts are copied.
      result.catch(() => undefined);
      await send(thread, search);
      return matchesOf(await result);
    } finally {
      thread.removeAllListeners('message').removeAllListeners('exit');
      thread.on('exit', () => this.forget(thread));
      thread.unref();
    }
  }

  private start(): Worker {
    const thread = new Worker(matcherThread, { eval: true, execArgv: [], env: {} });
    // An error ends the thread: the search gets it by the exit.
    thread.on('error', () => this.forget(thread));
    return thread;
  }

  private forget(thread: Worker): void {
    if (this.thread === thread) this.thread = undefined;
  }
}

/** The thread of this process. */
export const matcher = new Matcher();

async function send(thread: Worker, { texts, patterns, isFirstEnough }: Search): Promise<void> {
  let parts: { piece: string; isLast: boolean }[] = [];
  let length = 0;
  for (const text of texts) {
    for (let at = 0; at === 0 || at < text.length; at += pieceLength) {
      const piece = text.slice(at, at + pieceLength);
      parts.push({ piece, isLast: at + pieceLength >= text.length });
      length += piece.length;
      if (length < pieceLength) continue;
      thread.postMessage({ parts });
      parts = [];
      length = 0;
      await setImmediate();
    }
  }
  const plain = patterns.map(({ source, flags }) => ({ source, flags }));
  const search = { patterns: plain, isFirstEnough, most: maxMatches, milliseconds: searchMilliseconds };
  thread.postMessage({ parts, search });
}

function matchesOf(numbers: Int32Array): Match[] {
  const matches: Match[] = [];
  for (let at = 0; at < numbers.length; at += 4) {
    const [pattern = 0, text = 0, start = 0, end = 0] = numbers.subarray(at, at + 4);
    const isUnsearched = pattern < 0;
    matches.push({ pattern: isUnsearched ? -1 - pattern : pattern, text, start, end, isUnsearched });
  }
  return matches;
}

const unavailable = (): UnavailableError =>
  new UnavailableError('The content cannot be checked at the moment. Try again shortly.');
