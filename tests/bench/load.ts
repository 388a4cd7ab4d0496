import { Pool } from 'undici';

export interface Target {
  readonly name: string;
  readonly url: string;
  readonly key: string;
  /** Headers in addition to those of every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Text that the body has before the name of the model. */
  readonly modelPrefix?: string;
  /** Calls in addition to those of `Kind`. */
  readonly calls?: Readonly<Record<string, Asked>>;
}

export interface Timings {
  readonly calls: number;
  readonly seconds: number;
  /** Milliseconds, sorted. */
  readonly latencies: number[];
  /** When each successful call ended, in milliseconds since the start of the load, ascending. */
  readonly answeredAt: readonly number[];
  readonly failures: number;
}

const question = 'Tell me about the history of the toll gate in three paragraphs, please.';
const instructions = 'You are a helpful assistant.';

const chat = (model: string, stream: boolean, more: object = {}): string =>
  JSON.stringify({
    model,
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: question },
    ],
    max_tokens: 400,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...more,
  });

const messages = (model: string): string =>
  JSON.stringify({
    model,
    system: instructions,
    messages: [{ role: 'user', content: question }],
    max_tokens: 400,
    stream: true,
  });

/** A call of a benchmark. */
export interface Asked {
  readonly path: string;
  readonly body: string;
  /**
   * Returns the body of each call of a run, which are numbered from 0, as the clients are. Absent when all calls have the same body.
   */
  readonly bodyOf?: (call: number, client: number) => string | Buffer;
  /** The text at the end of a complete response; null if the content length shows that it is complete. */
  readonly ends: string | null;
}

/** One model for each dialect of the upstream. */
export const models = { openai: 'gpt-4o', anthropic: 'claude-sonnet-4-20250514' } as const;

const asked = {
  json: { path: '/v1/chat/completions', body: chat(models.openai, false), ends: null },
  stream: { path: '/v1/chat/completions', body: chat(models.openai, true), ends: '[DONE]' },
  /** A stream that stays open for as long as the upstream sends. */
  slowStream: { path: '/v1/chat/completions', body: chat(models.openai, true, { user: 'slow' }), ends: '[DONE]' },
  /** The upstream reports no usage, so the gateway has to count. */
  untoldStream: { path: '/v1/chat/completions', body: chat(models.openai, true, { user: 'untold' }), ends: '[DONE]' },
  /** An OpenAI client streams from Claude. */
  chatToMessages: { path: '/v1/chat/completions', body: chat(models.anthropic, true), ends: '[DONE]' },
  /** An Anthropic client streams from an OpenAI model. */
  messagesToChat: { path: '/v1/messages', body: messages(models.openai), ends: 'message_stop' },
} as const satisfies Readonly<Record<string, Asked>>;

export type Kind = keyof typeof asked;

export class Load {
  private readonly pool: Pool;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly calls: ReadonlyMap<string, Asked>;
  /** Failed calls so far. */
  failures = 0;
  private closed = false;
  private started = 0;

  constructor(target: Target, connections: number) {
    const { url, key, headers, modelPrefix = '', calls } = target;
    // A slow gateway responds to 64 large bodies after minutes.
    this.pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 300_000, bodyTimeout: 120_000 });
    this.headers = { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers };
    const prefixed = (body: string): string =>
      modelPrefix ? body.replace('"model":"', `"model":"${modelPrefix}`) : body;
    this.calls = new Map(
      Object.entries<Asked>({ ...asked, ...calls }).map(([kind, { body, bodyOf, ...call }]) => [
        kind,
        {
          ...call,
          body: prefixed(body),
          ...(bodyOf
            ? { bodyOf: modelPrefix ? (number, client) => prefixed(String(bodyOf(number, client))) : bodyOf }
            : {}),
        },
      ]),
    );
  }

  /**
   * One call, read to its end.
   * @returns milliseconds, or null when it failed
   */
  async call(kind: string, client = 0): Promise<number | null> {
    const started = performance.now();
    const asked = this.calls.get(kind);
    if (!asked) throw new Error(`there is no call "${kind}"`);
    const { path, ends, bodyOf } = asked;
    const body = bodyOf?.(this.started++, client) ?? asked.body;
    try {
      const answer = await this.pool.request({
        method: 'POST',
        path,
        headers: this.headers,
        body,
      });
      let last: Buffer | undefined;
      for await (const chunk of answer.body as AsyncIterable<Buffer>) last = chunk;
      const whole = ends === null || (last?.includes(ends) ?? false);
      if (answer.statusCode === 200 && whole) return performance.now() - started;
    } catch {
      // Failures are counted below.
    }
    if (!this.closed) this.failures += 1;
    return null;
  }

  /** Closed loop: `width` clients, each of which starts its next call as soon as one ends. */
  async full(kind: string, width: number, calls: number): Promise<Timings> {
    let started = 0;
    const tally = new Tally();
    const client = async (index: number): Promise<void> => {
      while (started++ < calls) tally.add(await this.call(kind, index));
    };
    await Promise.all(Array.from({ length: width }, (_, index) => client(index)));
    return tally.timings();
  }

  /** Open loop: calls start at fixed times, whether or not earlier ones have ended, like real callers. */
  async steady(kind: string, perSecond: number, seconds: number): Promise<Timings> {
    const tally = new Tally();
    const running: Array<Promise<void>> = [];
    for (let index = 0; index < perSecond * seconds; index++) {
      const due = tally.begin + (index * 1000) / perSecond;
      const wait = due - performance.now();
      if (wait > 0.5) await new Promise((resolve) => setTimeout(resolve, wait));
      running.push(this.call(kind).then((took) => tally.add(took)));
    }
    await Promise.all(running);
    return tally.timings();
  }

  /** Aborts the calls in flight. */
  async close(): Promise<void> {
    this.closed = true;
    await this.pool.destroy();
  }
}

/** The results of a load. */
class Tally {
  readonly begin = performance.now();
  private readonly latencies: number[] = [];
  private readonly answeredAt: number[] = [];
  private failures = 0;

  /** @param took milliseconds of a call that ended now, or null when it failed */
  add(took: number | null): void {
    if (took === null) {
      this.failures += 1;
      return;
    }
    this.latencies.push(took);
    this.answeredAt.push(performance.now() - this.begin);
  }

  timings(): Timings {
    const { latencies, answeredAt, failures } = this;
    const seconds = (performance.now() - this.begin) / 1000;
    return { calls: latencies.length, seconds, latencies: latencies.toSorted((a, b) => a - b), answeredAt, failures };
  }
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
