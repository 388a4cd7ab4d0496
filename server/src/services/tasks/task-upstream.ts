import type { Clock } from '../../shared/clock.js';
import { parseFields, type Fields } from '../../shared/json.js';
import type { UpstreamRequest } from '../../dialects/contract.js';
import type { Credentials } from '../../gateway/upstream/credentials.js';
import type { Exchange } from '../../gateway/upstream/exchange.js';
import type { UpstreamClient } from '../../gateway/upstream/upstream-client.js';
import { withoutKey } from '../../gateway/send/redact-key.js';
import type { AttemptSpan } from '../../gateway/observe/tracing/call-trace.js';
import { ShortTexts } from './json-texts.js';
import { addressOf, type TaskTarget } from './task-target.js';

/** A request to a task provider. */
export interface TaskRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query, or a whole URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body. Bytes are sent unchanged, with the `content-type` of the headers; other values as JSON. */
  readonly body?: unknown;
  /**
   * Returns headers that depend on the time.
   * @param now Unix milliseconds
   */
  readonly sign?: ((now: number) => Readonly<Record<string, string>>) | undefined;
  /** Whether texts of the response may be long, and are not needed as a whole. */
  readonly hasLongTexts?: boolean | undefined;
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
/** The most bytes of a text where texts are long. */
const maxText = 8000;

/** Calls task providers: short JSON requests. */
export class TaskUpstream {
  constructor(
    private readonly core: { readonly upstream: UpstreamClient; readonly credentials: Credentials },
    private readonly clock: Clock,
  ) {}

  /** @throws AppError UPSTREAM_UNREACHABLE, UPSTREAM_TIMEOUT, UPSTREAM_INVALID_RESPONSE */
  async call(target: TaskTarget, request: TaskRequest): Promise<TaskAnswer> {
    const exchange = await this.send(target, request);
    const { timeout } = request;
    const limit = setTimeout(() => exchange.abort(new Error('the request took too long')), timeout * 2);
    try {
      await exchange.answer;
      const { status } = exchange;
      if (status === 401) this.core.credentials.forget(target);
      const isCut = request.hasLongTexts === true;
      return { status, body: isCut ? await shortened(exchange) : await exchange.collect(maxAnswerBytes) };
    } finally {
      clearTimeout(limit);
    }
  }

  /**
   * Sends a request whose response is read as it arrives.
   * @throws UpstreamError when the provider refuses the key
   */
  async send(target: TaskTarget, request: TaskRequest): Promise<Exchange> {
    const { method, path, body, timeout, traced } = request;
    const now = this.clock.now();
    const headers = { ...request.headers, ...request.sign?.(now), ...(await this.authorization(target, now)) };
    const plain: UpstreamRequest = {
      method,
      url: addressOf(target, path),
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : Buffer.isBuffer(body) ? body : JSON.stringify(body),
    };
    return this.core.upstream.send(
      traced?.span?.sends(plain, traced.model) ?? plain,
      { firstByte: timeout, idle: timeout },
      target.proxy,
    );
  }

  /** Returns the header with the token for which the key is exchanged; none where it is sent as it is. */
  private async authorization(target: TaskTarget, now: number): Promise<Record<string, string>> {
    const { credential: exchange } = target.channel.provider.adapter;
    if (!exchange) return {};
    const credential = await this.core.credentials.get(exchange, { ...target, now }, target.proxy);
    return credential === '' ? {} : { authorization: `Bearer ${credential}` };
  }
}

/** Returns a response without the long texts in it. */
function shortened(exchange: Exchange): Promise<Buffer> {
  const texts = new ShortTexts(maxText);
  const pieces: Buffer[] = [];
  return new Promise((resolve, reject) => {
    exchange.pipe({
      data: (bytes) => pieces.push(texts.push(bytes)),
      end: () => resolve(Buffer.concat(pieces)),
      fail: reject,
    });
  });
}

/** Parses a JSON object. Returns null for anything else. */
export const jsonObject = (body: Buffer): Fields | null => parseFields(body.toString());

/** Removes the channel's key from the texts of an object, because some providers repeat a refused key. */
export const fieldsWithoutKey = (fields: Fields, key: string): Fields =>
  JSON.parse(JSON.stringify(fields), (_name, value: unknown) =>
    typeof value === 'string' ? withoutKey(value, key) : value,
  ) as Fields;
