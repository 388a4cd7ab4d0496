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
  serve(method: string, id: string, below: string, key: string, body: Json | null): Json {
    if (id === '') return method === 'POST' ? this.create(key, body ?? {}) : this.list(key);
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
    if (Object.keys((metadata ?? {}) as Json).length > 16) throw new BatchRefusal(400, 'Too many pairs in metadata');
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

  private list(key: string): Json {
    const data = [...this.made.values()].filter((batch) => batch.key === key).map(({ shown }) => shown);
    return { object: 'list', data: data.reverse(), has_more: false };
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
