import type { Clock } from '../../shared/clock.js';
import { parseFields, type Fields } from '../../shared/json.js';
import type { UpstreamRequest } from '../../dialects/contract.js';
import type { UpstreamClient } from '../../gateway/upstream/upstream-client.js';
import { withoutKey } from '../../gateway/send/redact-key.js';
import type { AttemptSpan } from '../../gateway/observe/tracing/call-trace.js';
import { addressOf, type TaskTarget } from './task-target.js';

/** A request to a task provider. */
export interface TaskRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body. Bytes are sent unchanged, with the `content-type` of the headers; other values as JSON. */
  readonly body?: unknown;
  /**
   * Returns headers that depend on the time.
   * @param now Unix milliseconds
   */
  readonly sign?: ((now: number) => Readonly<Record<string, string>>) | undefined;
  /** Milliseconds for the whole request. */
  readonly timeout: number;
  /** The span that the provider continues, and its model. */
  readonly traced?: { readonly span: AttemptSpan | undefined; readonly model: string };
}

/** A response of a task provider; `body` is the raw body. */
export interface TaskAnswer {
  readonly status: number;
  readonly body: Buffer;
}

const maxAnswerBytes = 16 * 1024 * 1024;

/** Calls task providers: short JSON requests. */
export class TaskUpstream {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError UPSTREAM_UNREACHABLE, UPSTREAM_TIMEOUT, UPSTREAM_INVALID_RESPONSE */
  async call(target: TaskTarget, request: TaskRequest): Promise<TaskAnswer> {
    const { method, path, body, timeout, traced } = request;
    const headers = { ...request.headers, ...request.sign?.(this.clock.now()) };
    const plain: UpstreamRequest = {
      method,
      url: addressOf(target, path),
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : Buffer.isBuffer(body) ? body : JSON.stringify(body),
    };
    const exchange = this.upstream.send(
      traced?.span?.sends(plain, traced.model) ?? plain,
      { firstByte: timeout, idle: timeout },
      target.proxy,
    );
    const limit = setTimeout(() => exchange.abort(new Error('the request took too long')), timeout * 2);
    try {
      await exchange.answer;
      return { status: exchange.status, body: await exchange.collect(maxAnswerBytes) };
    } finally {
      clearTimeout(limit);
    }
  }
}

/** Parses a JSON object. Returns null for anything else. */
export const jsonObject = (body: Buffer): Fields | null => parseFields(body.toString());

/** Removes the channel's key from the texts of an object, because some providers repeat a refused key. */
export const fieldsWithoutKey = (fields: Fields, key: string): Fields =>
  JSON.parse(JSON.stringify(fields), (_name, value: unknown) =>
    typeof value === 'string' ? withoutKey(value, key) : value,
  ) as Fields;
