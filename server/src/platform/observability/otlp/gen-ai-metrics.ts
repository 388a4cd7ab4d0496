import type { ReadMetric } from './otlp-json.js';
import type { Attributes } from './span.js';

/** Boundaries that the semantic conventions recommend: seconds, and tokens. */
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

/** Maximum number of combinations of attributes. Further ones are not counted. */
const maxSeries = 2_000;

interface Series {
  readonly attributes: Attributes;
  readonly buckets: number[];
  count: number;
  sum: number;
}

class TotalHistogram {
  private readonly series = new Map<string, Series>();

  constructor(
    private readonly name: string,
    private readonly description: string,
    private readonly unit: string,
    private readonly bounds: readonly number[],
  ) {}

  observe(value: number, attributes: Attributes): void {
    const key = Object.values(attributes).join('\n');
    let found = this.series.get(key);
    if (!found) {
      if (this.series.size >= maxSeries) return;
      found = { attributes, buckets: new Array<number>(this.bounds.length + 1).fill(0), count: 0, sum: 0 };
      this.series.set(key, found);
    }
    const at = this.bounds.findIndex((bound) => value <= bound);
    const bucket = at < 0 ? this.bounds.length : at;
    found.buckets[bucket] = (found.buckets[bucket] ?? 0) + 1;
    found.count++;
    found.sum += value;
  }

  read(): ReadMetric {
    const { name, description, unit, bounds } = this;
    const values = [...this.series.values()].map((each) => ({ ...each, buckets: [...each.buckets], bounds }));
    return { name, description, unit, points: { kind: 'histogram', values } };
  }
}

/** The metrics of the GenAI semantic conventions. Counted only while they are exported. */
export class GenAiMetrics {
  /** One attempt at one provider. */
  readonly operation = new TotalHistogram('gen_ai.client.operation.duration', 'Attempts at providers', 's', seconds);
  readonly tokens = new TotalHistogram('gen_ai.client.token.usage', 'Tokens of calls', '{token}', tokens);
  /** One call of a client of the gateway. */
  readonly request = new TotalHistogram('gen_ai.server.request.duration', 'Calls of clients', 's', seconds);
  readonly firstToken = new TotalHistogram(
    'gen_ai.server.time_to_first_token',
    'From the start of a call to the first data of its stream',
    's',
    seconds,
  );

  read(): ReadMetric[] {
    return [this.operation, this.tokens, this.request, this.firstToken].map((each) => each.read());
  }
}
