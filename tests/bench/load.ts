import { Pool } from 'undici';

export interface Target {
  readonly name: string;
  readonly url: string;
  readonly key: string;
}

export interface Timings {
  readonly calls: number;
  readonly seconds: number;
  /** Milliseconds, sorted. */
  readonly latencies: number[];
  readonly failures: number;
}

const bodyOf = (stream: boolean): string =>
  JSON.stringify({
    model: 'gpt-4o',
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: 'Tell me about the history of the toll gate in three paragraphs, please.' },
    ],
    max_tokens: 400,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  });

const bodies = { json: bodyOf(false), stream: bodyOf(true) };
export type Kind = keyof typeof bodies;

export class Load {
  private readonly pool: Pool;

  constructor(
    private readonly target: Target,
    connections: number,
  ) {
    this.pool = new Pool(target.url, { connections, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 120_000 });
  }

  /** One call, read to its end. @returns milliseconds, or null when it failed */
  async call(kind: Kind): Promise<number | null> {
    const started = performance.now();
    try {
      const answer = await this.pool.request({
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.target.key}` },
        body: bodies[kind],
      });
      let last: Buffer | undefined;
      for await (const chunk of answer.body as AsyncIterable<Buffer>) last = chunk;
      const whole = kind === 'json' || (last?.includes('[DONE]') ?? false);
      return answer.statusCode === 200 && whole ? performance.now() - started : null;
    } catch {
      return null;
    }
  }

  /** Closed loop: `width` clients, each with its next call as soon as one ends. */
  async full(kind: Kind, width: number, calls: number): Promise<Timings> {
    let started = 0;
    const latencies: number[] = [];
    let failures = 0;
    const begin = performance.now();
    const client = async (): Promise<void> => {
      while (started++ < calls) {
        const took = await this.call(kind);
        if (took === null) failures += 1;
        else latencies.push(took);
      }
    };
    await Promise.all(Array.from({ length: width }, client));
    return finish(latencies, failures, begin);
  }

  /** Open loop: calls start on a clock, whether or not the ones before came back, as real callers do. */
  async steady(kind: Kind, perSecond: number, seconds: number): Promise<Timings> {
    const latencies: number[] = [];
    let failures = 0;
    const begin = performance.now();
    const running: Array<Promise<void>> = [];
    for (let index = 0; index < perSecond * seconds; index++) {
      const due = begin + (index * 1000) / perSecond;
      const wait = due - performance.now();
      if (wait > 0.5) await new Promise((resolve) => setTimeout(resolve, wait));
      running.push(
        this.call(kind).then((took) => {
          if (took === null) failures += 1;
          else latencies.push(took);
        }),
      );
    }
    await Promise.all(running);
    return finish(latencies, failures, begin);
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}

function finish(latencies: number[], failures: number, begin: number): Timings {
  latencies.sort((a, b) => a - b);
  return { calls: latencies.length, seconds: (performance.now() - begin) / 1000, latencies, failures };
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
