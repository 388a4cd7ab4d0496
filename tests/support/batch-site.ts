import OpenAI, { toFile } from 'openai';
import { eventually, TaskSite } from './task-site.js';
import { startObjectProvider, type ObjectProvider } from './upstream/objects.js';

/** Quota of the usual answer of the provider to a line of gpt-4o, at half its price: 1,000 tokens of input, 200 of output. */
export const priceOfLine = (1000 * 2.5 + 200 * 10) * 0.5 * 0.5;

/** Returns a line of an input file. */
export const line = (id: string, body: object = {}, url = '/v1/chat/completions'): object => ({
  custom_id: id,
  method: 'POST',
  url,
  body: { model: 'gpt-4o', max_tokens: 1000, messages: [{ role: 'user', content: 'Say hello' }], ...body },
});

/** Returns a line of Responses. */
export const responsesLine = (id: string, body: object): object =>
  line(id, { messages: undefined, max_tokens: undefined, max_output_tokens: 100, ...body }, '/v1/responses');

/** A site with one channel of a provider that runs batches of OpenAI. */
export class BatchSite {
  private constructor(
    readonly site: TaskSite,
    readonly provider: ObjectProvider,
  ) {}

  static async open(environment: Readonly<Record<string, string>> = {}): Promise<BatchSite> {
    const provider = await startObjectProvider();
    const site = await TaskSite.open(environment, 3_000_000_000);
    await site.server.api.createChannel(site.root, {
      type: 1,
      baseUrl: provider.url,
      key: 'sk-openai',
      models: ['gpt-4o', 'gpt-4o-mini'],
    });
    return new BatchSite(site, provider);
  }

  client(key = this.site.key): OpenAI {
    return new OpenAI({ apiKey: key, baseURL: `${this.site.server.url}/v1`, maxRetries: 0 });
  }

  async upload(lines: readonly object[], key = this.site.key): Promise<string> {
    const text = lines.map((each) => `${JSON.stringify(each)}\n`).join('');
    const file = await toFile(Buffer.from(text), 'batch.jsonl');
    return (await this.client(key).files.create({ file, purpose: 'batch' })).id;
  }

  async create(
    lines: readonly object[],
    endpoint: OpenAI.BatchCreateParams['endpoint'] = '/v1/chat/completions',
  ): Promise<OpenAI.Batch> {
    const input_file_id = await this.upload(lines);
    return this.client().batches.create({ input_file_id, endpoint, completion_window: '24h' });
  }

  /** Quota that is reserved. */
  async reserved(): Promise<number> {
    const sql = 'SELECT coalesce(sum(amount), 0) AS sum FROM reservations';
    return Number((await this.site.rows<{ sum: string }>(sql))[0]?.sum);
  }

  async rowOf(id: string): Promise<Record<string, unknown> | undefined> {
    return (await this.site.rows<Record<string, unknown>>('SELECT * FROM tasks WHERE task_id = $1', [id]))[0];
  }

  /** Returns the row of a batch that has ended here. */
  ended(id: string): Promise<Record<string, unknown> | undefined> {
    return eventually(
      () => this.rowOf(id),
      (row) => row?.['progress'] === 100,
    );
  }

  async close(): Promise<void> {
    await this.site.close();
    await this.provider.stop();
  }
}
