import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { UnavailableError } from '../../shared/errors.js';
import { FairQueue } from './fair-queue.js';
import { maxMatches, perText, type Match, type Matches, type Search } from './search.js';
import { matcherThread } from './matcher-thread.js';

type Pattern = Pick<RegExp, 'source' | 'flags'>;

/** Milliseconds that the thread has to stop by itself. It cannot stop while it compiles a large pattern. */
const graceMilliseconds = 1000;
/** Characters that are copied for the thread in one turn of the event loop. */
const pieceLength = 64 * 1024;

interface Job {
  readonly search: Search;
  readonly patterns: readonly Pattern[];
  readonly resolve: (found: Matches) => void;
  readonly reject: (error: unknown) => void;
}

/** The result of a search, as the thread sends it. */
interface Result {
  readonly found: Int32Array;
  readonly stopped: Matches['stopped'];
  /** Milliseconds. */
  readonly spent: number;
}

/**
 * Searches texts of users for regular expressions in a thread of its own, one search at a time. A pattern may need more
 * than linear time, and no other call may wait for it. The thread starts with the first search.
 */
export class Matcher {
  private readonly queue = new FairQueue<Job>();
  private thread: Worker | undefined;
  private isBusy = false;

  /**
   * Searches texts, and subtracts the time that the thread needs from the call's time. If no time is left, nothing is
   * searched.
   * @throws UnavailableError when too many searches wait, or the thread ended
   */
  search(search: Search, patterns: readonly Pattern[]): Promise<Matches> {
    if (patterns.length === 0 || search.texts.length === 0) return Promise.resolve({ matches: [], stopped: null });
    if (search.time.isOver) return Promise.resolve(unsearched);
    return new Promise((resolve, reject) => {
      if (!this.queue.push(search.userId, { search, patterns, resolve, reject })) return reject(unavailable());
      if (!this.isBusy) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    for (let job = this.queue.shift(); job; job = this.queue.shift()) {
      await this.run(job).then(job.resolve, job.reject);
    }
    this.isBusy = false;
  }

  private async run({ search, patterns }: Job): Promise<Matches> {
    const thread = (this.thread ??= this.start());
    thread.ref();
    const isOver = new AbortController();
    try {
      const answer = new Promise<Result>((resolve, reject) => {
        thread.once('message', resolve);
        thread.once('exit', () => reject(unavailable()));
      });
      // The thread may end while the texts are copied.
      answer.catch(() => undefined);
      const { time, texts, isFirstEnough } = search;
      const milliseconds = Math.max(1, time.left);
      await send(thread, texts, { patterns: patterns.map(toPlain), isFirstEnough, most: maxMatches, milliseconds });
      const result = await Promise.race([answer, lateAfter(milliseconds + graceMilliseconds, isOver.signal)]);
      time.spend(result?.spent ?? milliseconds);
      if (result) return { matches: matchesOf(result.found), stopped: result.stopped };
      this.forget(thread);
      void thread.terminate();
      return unsearched;
    } finally {
      isOver.abort();
      thread.removeAllListeners('message').removeAllListeners('exit');
      thread.on('exit', () => this.forget(thread));
      thread.unref();
    }
  }

  private start(): Worker {
    const thread = new Worker(matcherThread, { eval: true, execArgv: [], env: {} });
    // An error ends the thread, and its exit rejects the search.
    thread.on('error', () => this.forget(thread));
    return thread;
  }

  private forget(thread: Worker): void {
    if (this.thread === thread) this.thread = undefined;
  }
}

/** The thread of this process. */
export const matcher = new Matcher();

const unsearched: Matches = { matches: [], stopped: { text: 0, pattern: 0 } };

const toPlain = ({ source, flags }: Pattern): Pattern => ({ source, flags });

/** Waits. A response that has arrived while this thread was busy takes precedence over the timeout. */
async function lateAfter(milliseconds: number, signal: AbortSignal): Promise<null> {
  await wait(milliseconds, null, { signal, ref: false });
  return setImmediate(null);
}

/**
 * Copies the texts to the thread in pieces, between which other calls continue, and sends the search with the last
 * piece.
 */
async function send(thread: Worker, texts: readonly string[], search: object): Promise<void> {
  let pieces: string[] = [];
  let ends: number[] = [];
  let length = 0;
  for (const text of texts) {
    for (let at = 0; at === 0 || at < text.length; at += pieceLength) {
      const piece = text.slice(at, at + pieceLength);
      pieces.push(piece);
      length += piece.length;
      if (at + pieceLength >= text.length) ends.push(length);
      if (length + pieces.length * perText < pieceLength) continue;
      thread.postMessage({ piece: pieces.join(''), ends: Int32Array.from(ends) });
      [pieces, ends, length] = [[], [], 0];
      await setImmediate();
    }
  }
  thread.postMessage({ piece: pieces.join(''), ends: Int32Array.from(ends), search });
}

function matchesOf(numbers: Int32Array): Match[] {
  const matches: Match[] = [];
  for (let at = 0; at < numbers.length; at += 4) {
    const [pattern = 0, text = 0, start = 0, end = 0] = numbers.subarray(at, at + 4);
    matches.push({ pattern, text, start, end });
  }
  return matches;
}

const unavailable = (): UnavailableError =>
  new UnavailableError('The content cannot be checked at the moment. Try again shortly.');
