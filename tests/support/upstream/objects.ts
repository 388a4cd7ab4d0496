import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AnthropicBatches, BatchRefusal, OpenAIBatches } from './batches.js';
import { GeminiBatches } from './gemini-batches.js';

/*
 * Providers that keep files and other objects for an account. Each request is checked as its maker checks it:
 * platform.openai.com/docs/api-reference/files, docs.anthropic.com/en/api/files-create and ai.google.dev/api/files, all of
 * November 2026.
 */

type Json = Record<string, unknown>;

/** An object of one account. */
export interface ProviderObject {
  readonly key: string;
  /** The first part of the path: `files`. */
  readonly noun: string;
  readonly shown: Json;
  readonly content: Buffer;
  /** SHA-256 of the whole body that created it. */
  readonly digest: string;
  readonly bodyBytes: number;
}

export interface ObjectProvider {
  readonly url: string;
  /** Objects by id. */
  readonly objects: Map<string, ProviderObject>;
  /** Batches of OpenAI. */
  readonly batches: OpenAIBatches;
  readonly messageBatches: AnthropicBatches;
  readonly geminiBatches: GeminiBatches;
  /** Runs when a batch was created, before the response is sent. */
  onBatch: (() => Promise<void>) | null;
  /** Runs before the content of a file of OpenAI is sent. */
  onContent: (() => Promise<void>) | null;
  /** `METHOD path`, without queries, and the key of each request. */
  readonly calls: Array<{ readonly call: string; readonly key: string; readonly headers: IncomingMessage['headers'] }>;
  /** Reads bodies this slowly: milliseconds before each piece. */
  slowness: number;
  /** Content of this many bytes is sent instead of each file's own; 0: its own. */
  largeContent: number;
  /** Bytes of large content that were accepted by the caller's connection. */
  sentBytes: number;
  /** The status with which the next request is refused; 0: none. */
  refuseNext: number;
  stop(): Promise<void>;
}

interface Body {
  /** The first and last bytes; the whole body if it is small. */
  readonly edges: Buffer;
  readonly length: number;
  readonly digest: string;
}

const edge = 512 * 1024;
const purposes = new Set(['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals']);

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code: string | null = null,
  ) {
    super(message);
  }
}

/** Starts a provider that speaks the APIs of OpenAI, Anthropic and Google. */
export async function startObjectProvider(): Promise<ObjectProvider> {
  const objects = new Map<string, ProviderObject>();
  const uploads = new Map<
    string,
    { key: string; length: number; pieces: Buffer<ArrayBuffer>[]; name: string; type: string }
  >();
  let count = 0;
  const provider: ObjectProvider = {
    url: '',
    objects,
    batches: new OpenAIBatches(objects, (key, filename, content) => addFile(key, filename, content)),
    messageBatches: new AnthropicBatches(() => provider.url),
    geminiBatches: new GeminiBatches((key, name, content) => {
      objects.set(name, { key, noun: 'files', shown: { name }, content, digest: '', bodyBytes: 0 });
    }),
    onBatch: null,
    onContent: null,
    calls: [],
    slowness: 0,
    largeContent: 0,
    sentBytes: 0,
    refuseNext: 0,
    stop: () => Promise.resolve(),
  };

  const read = async (request: IncomingMessage, sink?: (piece: Buffer<ArrayBuffer>) => void): Promise<Body> => {
    const hash = createHash('sha256');
    let length = 0;
    let head: Buffer = Buffer.alloc(0);
    let tail: Buffer = Buffer.alloc(0);
    for await (const part of request) {
      const piece = part as Buffer<ArrayBuffer>;
      if (provider.slowness > 0) await new Promise((resolve) => setTimeout(resolve, provider.slowness));
      hash.update(piece);
      length += piece.length;
      if (head.length < edge) head = Buffer.concat([head, piece.subarray(0, edge)]);
      tail = Buffer.concat([tail, piece]).subarray(-edge);
      sink?.(piece);
    }
    return { edges: length <= edge ? head : Buffer.concat([head, tail]), length, digest: hash.digest('hex') };
  };

  const find = (id: string, key: string, noun: string): ProviderObject => {
    const found = objects.get(id);
    if (!found || found.key !== key || found.noun !== noun) throw new Refusal(404, `No such ${noun} object: ${id}`);
    return found;
  };
  const make = (key: string, noun: string, shown: Json, body: Body, content: Buffer = Buffer.alloc(0)): Json => {
    const id = String(shown['id'] ?? shown['name']);
    objects.set(id, { key, noun, shown, content, digest: body.digest, bodyBytes: body.length });
    return shown;
  };
  const addFile = (key: string, filename: string, content: Buffer): string => {
    const id = `file-${++count}`;
    const shown = { id, object: 'file', bytes: content.length, created_at: 1, filename, purpose: 'batch_output' };
    objects.set(id, { key, noun: 'files', shown, content, digest: '', bodyBytes: 0 });
    return id;
  };
  const field = (body: Body, name: string): string | null =>
    new RegExp(`name="${name}"\\r\\n(?:[^\\r]+\\r\\n)*\\r\\n([^\\r]*)\\r\\n`).exec(
      body.edges.toString('latin1'),
    )?.[1] ?? null;
  const fileOf = (body: Body): { filename: string; content: Buffer } => {
    const text = body.edges.toString('latin1');
    const match = /name="(?:file|data|files\[\])"; filename="([^"]*)"\r\n(?:[^\r]+\r\n)*\r\n/.exec(text);
    if (!match) throw new Refusal(400, "Missing required parameter: 'file'.", 'missing_required_parameter');
    const rest = text.slice(match.index + match[0].length);
    return { filename: match[1] ?? '', content: Buffer.from(rest.slice(0, rest.indexOf('\r\n--')), 'latin1') };
  };
  const jsonOf = (body: Body): Json => {
    try {
      return JSON.parse(body.edges.toString()) as Json;
    } catch {
      throw new Refusal(400, 'We could not parse the JSON body of your request.');
    }
  };
  const known = (value: unknown, key: string): void => {
    if (Array.isArray(value)) return value.forEach((each) => known(each, key));
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      const isId = /^(?:file_id|fileUri|file_uri|cachedContent|conversation|input_file_id)$/.test(name);
      const ids = isId ? [inner] : name === 'file_ids' || name === 'vector_store_ids' ? (inner as unknown[]) : [];
      for (const id of ids) {
        const text = String(id).replace(/^https?:.*\/(?=files\/)/, '');
        if (objects.get(text)?.key !== key) throw new Refusal(404, `File with id ${String(id)} not found.`);
      }
      known(inner, key);
    }
  };

  const openAI = async (
    method: string,
    { pathname: path, searchParams }: URL,
    key: string,
    request: IncomingMessage,
  ): Promise<Json | Buffer> => {
    const body = await read(request);
    const isForm = request.headers['content-type']?.startsWith('multipart/form-data') === true;
    const [, noun = '', id = '', below = '', child = ''] =
      /^\/v1\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?(?:\/([^/]+))?/.exec(path) ?? [];
    if (noun === 'batches') {
      const given = method === 'POST' && id === '' ? jsonOf(body) : null;
      const made = provider.batches.serve(method, id, below, key, given, searchParams);
      if (method === 'POST' && id === '') await provider.onBatch?.();
      return made;
    }
    if (/^\/v1\/(?:chat|responses)/.test(path)) {
      const given = jsonOf(body);
      known(given, key);
      const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
      const message = { role: 'assistant', content: 'Read.' };
      if (path.startsWith('/v1/chat')) {
        const choices = [{ index: 0, message, finish_reason: 'stop' }];
        return { id: 'c', object: 'chat.completion', created: 1, model: given['model'], choices, usage };
      }
      const content = [{ type: 'output_text', text: 'Read.', annotations: [] }];
      const output = [{ type: 'message', id: `msg_${++count}`, role: 'assistant', status: 'completed', content }];
      const spent = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
      return {
        id: `resp_${++count}`,
        object: 'response',
        created_at: 1,
        status: 'completed',
        model: given['model'],
        output,
        usage: spent,
      };
    }
    if (method === 'POST' && id === '') {
      if (noun === 'files') {
        if (!isForm) throw new Refusal(400, 'Invalid content type: multipart/form-data is needed');
        const purpose = field(body, 'purpose');
        if (purpose === null || !purposes.has(purpose)) throw new Refusal(400, `'${purpose}' is not one of purposes`);
        const { filename, content } = fileOf(body);
        const bytes = body.length > edge ? body.length : content.length;
        return make(
          key,
          noun,
          { id: `file-${++count}`, object: 'file', bytes, created_at: 1, filename, purpose, status: 'processed' },
          body,
          content,
        );
      }
      if (noun === 'skills')
        return make(key, noun, { id: `skill_${++count}`, object: 'skill', name: fileOf(body).filename }, body);
      const given = jsonOf(body);
      known(given, key);
      if (noun === 'uploads') {
        for (const name of ['bytes', 'filename', 'mime_type', 'purpose']) {
          if (given[name] === undefined) throw new Refusal(400, `Missing required parameter: '${name}'.`);
        }
        return make(
          key,
          noun,
          { id: `upload_${++count}`, object: 'upload', status: 'pending', expires_at: 4_000_000_000, ...given },
          body,
        );
      }
      const prefix = { conversations: 'conv', vector_stores: 'vs', containers: 'cntr' }[noun];
      if (prefix === undefined) throw new Refusal(404, `Invalid URL (${method} ${path})`);
      return make(
        key,
        noun,
        { id: `${prefix}_${++count}`, object: noun.replace(/s$/, ''), created_at: 1, ...given },
        body,
      );
    }
    const found = find(id, key, noun);
    if (noun === 'uploads' && below === 'parts') {
      fileOf(body);
      return { id: `part_${++count}`, object: 'upload.part', created_at: 1, upload_id: id };
    }
    if (noun === 'uploads' && below === 'complete') {
      const { filename, purpose, bytes } = found.shown;
      const file = {
        id: `file-${++count}`,
        object: 'file',
        created_at: 1,
        filename,
        purpose,
        bytes,
        status: 'processed',
      };
      make(key, 'files', file, body);
      return { ...found.shown, status: 'completed', file };
    }
    if (noun === 'uploads' && below === 'cancel') return { ...found.shown, status: 'cancelled' };
    if (below === 'content') {
      await provider.onContent?.();
      if (found.shown['purpose'] === 'assistants') {
        throw new Refusal(400, 'Not allowed to download files of purpose: assistants');
      }
      return found.content;
    }
    if (below !== '') {
      if (method === 'POST' && !isForm) known(jsonOf(body), key);
      if (child !== '') return { id: child, object: 'child', deleted: method === 'DELETE' };
      return { object: 'list', data: [], has_more: false, path, method };
    }
    if (method === 'DELETE') {
      objects.delete(id);
      return { id, object: 'file', deleted: true };
    }
    return method === 'POST' ? { ...found.shown, ...jsonOf(body) } : found.shown;
  };

  const anthropic = async (
    method: string,
    path: string,
    key: string,
    request: IncomingMessage,
  ): Promise<Json | Buffer> => {
    const body = await read(request);
    if (!/^\d{4}-\d\d-\d\d$/.test(String(request.headers['anthropic-version'])))
      throw new Refusal(400, 'anthropic-version: header is required');
    if (path.startsWith('/v1/messages/batches')) {
      const [id = '', below = ''] = path.split('/').slice(4);
      const isNew = method === 'POST' && id === '';
      const made = provider.messageBatches.serve(method, id, below, key, isNew ? jsonOf(body) : null);
      if (isNew) await provider.onBatch?.();
      return made;
    }
    if (path === '/v1/messages') {
      known(jsonOf(body), key);
      const usage = { input_tokens: 10, output_tokens: 2 };
      return {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        stop_reason: 'end_turn',
        content: [{ type: 'text', text: 'Read.' }],
        usage,
      };
    }
    const [, noun = '', id = '', below = ''] = /^\/v1\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?/.exec(path) ?? [];
    if (method === 'POST' && id === '') {
      const { filename, content } = fileOf(body);
      const made = {
        id: `${noun.replace(/s$/, '')}_${++count}`,
        type: 'file',
        filename,
        mime_type: 'text/plain',
        size_bytes: content.length,
        created_at: '2026-11-27T00:00:00Z',
        downloadable: false,
      };
      return make(key, noun, made, body, content);
    }
    const found = find(id, key, noun);
    if (below === 'content') throw new Refusal(400, 'File is not downloadable');
    if (below !== '') return { data: [], has_more: false, next_page: null };
    if (method === 'DELETE') {
      objects.delete(id);
      return { id, type: 'file_deleted' };
    }
    return found.shown;
  };

  const google = async (
    method: string,
    url: URL,
    key: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Json | Buffer> => {
    const { pathname: path, searchParams } = url;
    const { headers } = request;
    if (path === '/upload/v1beta/files') {
      const command = headers['x-goog-upload-command'];
      if (command === 'start') {
        const given = jsonOf(await read(request));
        const length = Number(headers['x-goog-upload-header-content-length']);
        const type = headers['x-goog-upload-header-content-type'];
        if (headers['x-goog-upload-protocol'] !== 'resumable' || !length || typeof type !== 'string') {
          throw new Refusal(400, 'Missing upload headers');
        }
        const id = `up${++count}`;
        uploads.set(id, {
          key,
          length,
          pieces: [],
          name: (given['file'] as { displayName?: string } | undefined)?.displayName ?? '',
          type,
        });
        response.setHeader('x-goog-upload-status', 'active');
        response.setHeader('x-goog-upload-chunk-granularity', '8388608');
        response.setHeader('x-goog-upload-url', `${provider.url}${path}?upload_id=${id}&upload_protocol=resumable`);
        return {};
      }
      const id = searchParams.get('upload_id') ?? '';
      const upload = uploads.get(id);
      if (!upload || upload.key !== key) throw new Refusal(404, 'Upload is not known');
      const received = (): number => upload.pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (command === 'query') {
        response.setHeader('x-goog-upload-status', 'active');
        response.setHeader('x-goog-upload-size-received', String(received()));
        return {};
      }
      if (command === 'cancel') {
        uploads.delete(id);
        response.setHeader('x-goog-upload-status', 'cancelled');
        return {};
      }
      const before = received();
      if (String(command).startsWith('upload') && Number(headers['x-goog-upload-offset']) !== before) {
        throw new Refusal(400, `The offset must be ${before}`);
      }
      const body = await read(request, (piece) => upload.pieces.push(piece));
      if (command === 'upload') {
        if (body.length % 262_144 !== 0) throw new Refusal(400, 'Pieces must be multiples of the granularity');
        response.setHeader('x-goog-upload-status', 'active');
        return {};
      }
      const content = Buffer.concat(upload.pieces);
      if (content.length !== upload.length) throw new Refusal(400, `The file has ${content.length} bytes`);
      uploads.delete(id);
      response.setHeader('x-goog-upload-status', 'final');
      const name = `files/f${++count}`;
      const uri = `https://generativelanguage.googleapis.com/v1beta/${name}`;
      const expirationTime = new Date(Date.now() + 48 * 3_600_000).toISOString();
      const file = {
        name,
        uri,
        displayName: upload.name,
        mimeType: upload.type,
        sizeBytes: String(content.length),
        state: 'PROCESSING',
        expirationTime,
      };
      return { file: make(key, 'files', file, body, content) };
    }
    const body = await read(request);
    const batched = /^\/v1beta\/models\/(.+):batchGenerateContent$/.exec(path);
    if (batched) {
      const made = provider.geminiBatches.create(batched[1] ?? '', key, jsonOf(body));
      await provider.onBatch?.();
      return made;
    }
    if (path.startsWith('/v1beta/batches')) {
      const [, batchId = '', batchVerb = ''] = /^\/v1beta\/batches(?:\/([^:]+))?(?::(\w+))?$/.exec(path) ?? [];
      return provider.geminiBatches.serve(method, batchId, batchVerb, key, searchParams);
    }
    if (path.includes(':generateContent')) {
      known(jsonOf(body), key);
      const candidates = [{ content: { role: 'model', parts: [{ text: 'Read.' }] }, finishReason: 'STOP' }];
      return { candidates, usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 } };
    }
    const [, noun = '', id = '', verb] = /^\/v1beta\/(\w+)(?:\/([^:]+))?(?::(\w+))?$/.exec(path) ?? [];
    if (method === 'POST' && noun === 'cachedContents') {
      const given = jsonOf(body);
      known(given, key);
      if (!String(given['model']).startsWith('models/')) throw new Refusal(400, 'model is required');
      const expireTime = new Date(Date.now() + 3_600_000).toISOString();
      return make(
        key,
        noun,
        {
          name: `cachedContents/c${++count}`,
          model: given['model'],
          expireTime,
          usageMetadata: { totalTokenCount: 5000 },
        },
        body,
      );
    }
    const found = find(`${noun}/${id}`, key, noun);
    if (verb === 'download') {
      // `downloadUri` is "only set for downloadable (generated) files" (types of @google/genai).
      if (!id.startsWith('batch-')) throw new Refusal(400, 'Only generated files can be downloaded');
      return found.content;
    }
    // Google describes no file of results: its id is too long for the method.
    if (id.startsWith('batch-')) throw new Refusal(400, 'File id must be at most 40 characters');
    if (method === 'DELETE') {
      objects.delete(`${noun}/${id}`);
      return {};
    }
    if (method === 'PATCH') return { ...found.shown, ...jsonOf(body) };
    return { ...found.shown, ...(noun === 'files' ? { state: 'ACTIVE' } : {}) };
  };

  function* largeContent(): Generator<Buffer> {
    const piece = Buffer.alloc(64 * 1024, 1);
    for (let left = provider.largeContent; left > 0; left -= piece.length) {
      provider.sentBytes += piece.length;
      yield piece.subarray(0, Math.min(left, piece.length));
    }
  }

  const sendLarge = async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': provider.largeContent });
    // The reader may leave before the end.
    await pipeline(Readable.from(largeContent()), response).catch(() => undefined);
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '', provider.url);
    const isGoogle = /^\/(?:upload\/)?v1beta\//.test(url.pathname);
    const given = headers['x-goog-api-key'] ?? headers['x-api-key'] ?? headers.authorization?.replace('Bearer ', '');
    const key = typeof given === 'string' ? given : '';
    provider.calls.push({ call: `${method} ${url.pathname}`, key, headers });
    try {
      if (!key.startsWith('sk-')) throw new Refusal(401, 'Incorrect API key provided');
      if (provider.refuseNext > 0) {
        const status = provider.refuseNext;
        provider.refuseNext = 0;
        throw new Refusal(status, 'The provider refuses');
      }
      const answer = isGoogle
        ? await google(method, url, key, request, response)
        : headers['x-api-key'] === undefined
          ? await openAI(method, url, key, request)
          : await anthropic(method, url.pathname, key, request);
      if (!Buffer.isBuffer(answer))
        return void response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      if (provider.largeContent > 0) return await sendLarge(response);
      response
        .writeHead(200, {
          'content-type': 'application/octet-stream',
          'content-disposition': 'attachment; filename="a.txt"',
        })
        .end(answer);
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof BatchRefusal)) return void response.destroy();
      request.resume();
      const { status, message, code } = error;
      const body = isGoogle
        ? { error: { code: status, message, status: 'INVALID_ARGUMENT' } }
        : headers['x-api-key'] === undefined
          ? { error: { message, type: 'invalid_request_error', param: null, code } }
          : { type: 'error', error: { type: 'invalid_request_error', message } };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
  };

  const server = createServer((request, response) => {
    request.on('error', () => undefined);
    void serve(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return Object.assign(provider, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}
