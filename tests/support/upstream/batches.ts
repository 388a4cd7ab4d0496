/*
 * Batches of OpenAI, as platform.openai.com/docs/api-reference/batch describes them in November 2026: validating,
 * in_progress, finalizing, completed; cancelling, cancelled; expired after a day. Results are files of lines in any order.
 */

type Json = Record<string, unknown>;

/** A line of an input file. */
export interface AskedLine {
  readonly custom_id: string;
  readonly method: string;
  readonly url: string;
  readonly body: Json;
}

/** The response to a line: a body with status 200, an error with its status, or none because the batch ended before. */
export type LineAnswer = { readonly body: Json } | { readonly status: number; readonly message: string } | null;

export class BatchRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code: string | null = null,
  ) {
    super(message);
  }
}

interface MadeBatch {
  readonly key: string;
  shown: Json;
  readonly lines: readonly AskedLine[];
}

const endpoints = new Set(['/v1/responses', '/v1/chat/completions', '/v1/embeddings', '/v1/completions']);
const dayInSeconds = 24 * 3600;

/** Answers a chat completion with 1,000 tokens of prompt and 200 of output. */
export const usualAnswer = ({ body }: AskedLine): LineAnswer => ({
  body: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: body['model'],
    choices: [{ index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 },
  },
});

/** The batches of one scripted provider, for all of its accounts. */
export class OpenAIBatches {
  readonly made = new Map<string, MadeBatch>();
  private count = 0;

  /** @param files the provider's files by id */
  constructor(
    private readonly files: ReadonlyMap<
      string,
      { readonly key: string; readonly shown: Json; readonly content: Buffer }
    >,
    private readonly addFile: (key: string, filename: string, content: Buffer) => string,
  ) {}

  /** Answers a request below `/v1/batches`. */
  serve(
    method: string,
    id: string,
    below: string,
    key: string,
    body: Json | null,
    query = new URLSearchParams(),
  ): Json {
    if (id === '') return method === 'POST' ? this.create(key, body ?? {}) : this.list(key, query);
    const batch = this.made.get(id);
    if (!batch || batch.key !== key) throw new BatchRefusal(404, `No batch found with id '${id}'.`);
    if (below === 'cancel') {
      const status = String(batch.shown['status']);
      if (status !== 'validating' && status !== 'in_progress') {
        throw new BatchRefusal(409, `Cannot cancel a batch with status '${status}'.`);
      }
      batch.shown = { ...batch.shown, status: 'cancelling', cancelling_at: now() };
    }
    return batch.shown;
  }

  private create(key: string, body: Json): Json {
    const { input_file_id: fileId, endpoint, completion_window: window, metadata = null } = body;
    const file = this.files.get(String(fileId));
    if (!file || file.key !== key) throw new BatchRefusal(400, `Invalid file ID: ${String(fileId)}`);
    if (file.shown['purpose'] !== 'batch') throw new BatchRefusal(400, "Expected file to have purpose 'batch'");
    if (!endpoints.has(String(endpoint))) throw new BatchRefusal(400, `Invalid value: '${String(endpoint)}'`);
    if (window !== '24h') throw new BatchRefusal(400, "Invalid value for 'completion_window': expected '24h'");
    if (Object.keys(metadata ?? {}).length > 16) throw new BatchRefusal(400, 'Too many pairs in metadata');
    const id = `batch_${++this.count}`;
    const shown = {
      id,
      object: 'batch',
      endpoint,
      errors: null,
      input_file_id: fileId,
      completion_window: '24h',
      status: 'validating',
      output_file_id: null,
      error_file_id: null,
      created_at: now(),
      expires_at: now() + dayInSeconds,
      completed_at: null,
      request_counts: { total: 0, completed: 0, failed: 0 },
      metadata,
    };
    const text = file.content.toString('utf8');
    const lines = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as AskedLine);
    this.made.set(id, { key, shown, lines });
    return shown;
  }

  private list(key: string, query: URLSearchParams): Json {
    const own = [...this.made.values()].filter((batch) => batch.key === key).map(({ shown }) => shown);
    const newest = own.reverse();
    const from = newest.findIndex(({ id }) => id === query.get('after')) + 1;
    const limit = Math.min(100, Number(query.get('limit') ?? 20));
    return { object: 'list', data: newest.slice(from, from + limit), has_more: newest.length > from + limit };
  }

  /** Works on a batch: `done` of its lines have ended. */
  progress(id: string, done = 0): void {
    const batch = this.find(id);
    const request_counts = { total: batch.lines.length, completed: done, failed: 0 };
    batch.shown = { ...batch.shown, status: 'in_progress', in_progress_at: now(), request_counts };
  }

  /** Fails the validation of a batch. */
  fail(id: string, message: string): void {
    const batch = this.find(id);
    const errors = { object: 'list', data: [{ code: 'invalid_json_line', message, param: null, line: 1 }] };
    batch.shown = { ...batch.shown, status: 'failed', failed_at: now(), errors };
  }

  /** Ends a batch, with the results of its lines in the reverse order. */
  end(
    id: string,
    answer: (line: AskedLine) => LineAnswer = usualAnswer,
    status: 'completed' | 'expired' | 'cancelled' = 'completed',
  ): void {
    const batch = this.find(id);
    const output: string[] = [];
    const errors: string[] = [];
    for (const line of [...batch.lines].reverse()) {
      const said = answer(line);
      const result = { id: `batch_req_${++this.count}`, custom_id: line.custom_id };
      if (said === null) {
        const error = { code: 'batch_expired', message: 'This request could not be executed before the batch ended.' };
        errors.push(JSON.stringify({ ...result, response: null, error }));
      } else if ('body' in said) {
        output.push(
          JSON.stringify({ ...result, response: { status_code: 200, request_id: 'r', body: said.body }, error: null }),
        );
      } else {
        const body = { error: { message: said.message, type: 'invalid_request_error' } };
        errors.push(
          JSON.stringify({ ...result, response: { status_code: said.status, request_id: 'r', body }, error: null }),
        );
      }
    }
    const fileOf = (name: string, lines: readonly string[]): string | null =>
      lines.length === 0 ? null : this.addFile(batch.key, `${id}_${name}.jsonl`, Buffer.from(`${lines.join('\n')}\n`));
    batch.shown = {
      ...batch.shown,
      status,
      [`${status}_at`]: now(),
      output_file_id: fileOf('output', output),
      error_file_id: fileOf('error', errors),
      request_counts: { total: batch.lines.length, completed: output.length, failed: errors.length },
    };
  }

  private find(id: string): MadeBatch {
    const batch = this.made.get(id);
    if (!batch) throw new Error(`no batch ${id}`);
    return batch;
  }
}

const now = (): number => Math.floor(Date.now() / 1000);

/** A request of a batch of Anthropic. */
export interface AskedMessage {
  readonly custom_id: string;
  readonly params: Json;
}

export type MessageResult =
  | { readonly type: 'succeeded'; readonly message: Json }
  | { readonly type: 'errored'; readonly error: Json }
  | { readonly type: 'canceled' | 'expired' };

/** Answers a message with 1,000 tokens of prompt and 200 of output. */
export const usualMessage = ({ params }: AskedMessage): MessageResult => ({
  type: 'succeeded',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: params['model'],
    stop_reason: 'end_turn',
    content: [{ type: 'text', text: 'Done.' }],
    usage: { input_tokens: 1000, output_tokens: 200, service_tier: 'batch' },
  },
});

/** Batches of Anthropic, as docs.anthropic.com/en/api/creating-message-batches describes them in November 2026. */
export class AnthropicBatches {
  readonly made = new Map<string, { key: string; shown: Json; requests: readonly AskedMessage[]; results: string }>();
  private count = 0;

  constructor(private readonly url: () => string) {}

  /** Answers a request below `/v1/messages/batches`. */
  serve(method: string, id: string, below: string, key: string, body: Json | null): Json | Buffer {
    if (id === '') return method === 'POST' ? this.create(key, body ?? {}) : { data: [], has_more: false };
    const batch = this.made.get(id);
    if (!batch || batch.key !== key) throw new BatchRefusal(404, `Not found: ${id}`);
    const isEnded = batch.shown['processing_status'] === 'ended';
    if (below === 'results') {
      if (!isEnded) throw new BatchRefusal(404, 'Results are not available yet');
      return Buffer.from(batch.results);
    }
    if (below === 'cancel') {
      if (isEnded) throw new BatchRefusal(400, 'Batch has already ended');
      batch.shown = { ...batch.shown, processing_status: 'canceling', cancel_initiated_at: new Date().toISOString() };
    }
    if (method === 'DELETE') {
      if (!isEnded) throw new BatchRefusal(400, 'Batch must be ended before it is deleted');
      this.made.delete(id);
      return { id, type: 'message_batch_deleted' };
    }
    return batch.shown;
  }

  private create(key: string, body: Json): Json {
    const requests = (body['requests'] ?? []) as AskedMessage[];
    const ids = new Set(requests.map(({ custom_id: id }) => id));
    if (requests.length === 0) throw new BatchRefusal(400, 'requests: at least one is needed');
    if (ids.size < requests.length) throw new BatchRefusal(400, 'custom_id must be unique');
    for (const { custom_id: id } of requests) {
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) throw new BatchRefusal(400, 'custom_id has another form');
    }
    const id = `msgbatch_${++this.count}`;
    const shown = {
      id,
      type: 'message_batch',
      processing_status: 'in_progress',
      request_counts: { processing: requests.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
      ended_at: null,
      created_at: new Date().toISOString(),
      expires_at: new Date(Date.now() + dayInSeconds * 1000).toISOString(),
      archived_at: null,
      cancel_initiated_at: null,
      results_url: null,
    };
    this.made.set(id, { key, shown, requests, results: '' });
    return shown;
  }

  /** Ends a batch, with the results in the reverse order. */
  end(id: string, answer: (asked: AskedMessage) => MessageResult = usualMessage): void {
    const batch = this.made.get(id);
    if (!batch) throw new Error(`no batch ${id}`);
    const results = [...batch.requests]
      .reverse()
      .map((asked) => ({ custom_id: asked.custom_id, result: answer(asked) }));
    const count = (type: string): number => results.filter(({ result }) => result.type === type).length;
    batch.results = results.map((line) => `${JSON.stringify(line)}\n`).join('');
    const [succeeded, errored, canceled, expired] = ['succeeded', 'errored', 'canceled', 'expired'].map(count);
    batch.shown = {
      ...batch.shown,
      processing_status: 'ended',
      ended_at: new Date().toISOString(),
      request_counts: { processing: 0, succeeded, errored, canceled, expired },
      results_url: `${this.url()}/v1/messages/batches/${id}/results`,
    };
  }
}
