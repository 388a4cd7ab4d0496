/** Files that providers keep, with the SDKs of their makers, in front of providers that refuse what real ones refuse. */
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { toFile } from 'openai';
import { MemoryState } from '../../server/src/platform/cache/memory-state.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { eventually } from '../support/task-site.js';
import { startObjectProvider, type ObjectProvider } from '../support/upstream/objects.js';
import { RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
let provider: ObjectProvider;
relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });
beforeAll(async () => {
  provider = await startObjectProvider();
});
afterAll(() => provider.stop());
beforeEach(async () => {
  Object.assign(provider, { slowness: 0, largeContent: 0, sentBytes: 0, refuseNext: 0 });
  provider.calls.length = 0;
  provider.objects.clear();
  await relay.sql('DELETE FROM provider_objects');
});

type Key = Awaited<ReturnType<RelayHarness['addToken']>>;
const openAIChannel = (more: object = {}): Promise<number> =>
  relay.addChannel({ type: 1, key: 'sk-openai', baseUrl: provider.url, models: 'gpt-4o', ...more });
const claudeChannel = (more: object = {}): Promise<number> =>
  relay.addChannel({ type: 14, key: 'sk-claude', baseUrl: provider.url, models: 'claude-sonnet-4-5', ...more });
const geminiChannel = (more: object = {}): Promise<number> =>
  relay.addChannel({ type: 24, key: 'sk-gemini', baseUrl: provider.url, models: 'gemini-2.5-flash', ...more });
const openAI = ({ key }: Key): OpenAI => new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
const claude = ({ key }: Key): Anthropic => new Anthropic({ apiKey: key, baseURL: relay.url, maxRetries: 0 });
const gemini = ({ key }: Key): GoogleGenAI => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: relay.url } });
const note = (text = 'hello'): Promise<File> => toFile(Buffer.from(text), 'note.txt', { type: 'text/plain' });
const upload = async (key: Key, text?: string, purpose: 'user_data' | 'assistants' = 'user_data') =>
  openAI(key).files.create({ file: await note(text), purpose });
const rowsOf = ({ userId }: Key) =>
  relay.sql<{ kind: string; object_id: string | null; bytes: string }>(
    'SELECT kind, object_id, bytes FROM provider_objects WHERE user_id = $1 ORDER BY id',
    [userId],
  );
const error = (status: number, code: string): unknown => expect.objectContaining({ status, code });

describe('files of OpenAI', () => {
  it('are created, listed, read and deleted by the SDK, and belong to the user', async () => {
    await openAIChannel();
    const ann = await relay.addToken();
    const other = await relay.addToken({ userId: ann.userId });
    const bob = await relay.addToken();
    const made = await upload(ann, 'hello');
    expect(made).toMatchObject({ object: 'file', filename: 'note.txt', purpose: 'user_data', bytes: 5 });
    expect(provider.calls.at(-1)).toMatchObject({ call: 'POST /v1/files', key: 'sk-openai' });
    const second = await upload(ann, 'more', 'assistants');
    const listed = async (key: Key, query = {}): Promise<string[]> => {
      const ids: string[] = [];
      for await (const file of openAI(key).files.list(query)) ids.push(file.id);
      return ids;
    };
    expect(await listed(other)).toEqual([second.id, made.id]);
    expect(await listed(ann, { limit: 1 })).toEqual([second.id, made.id]);
    expect(await listed(ann, { order: 'asc' })).toEqual([made.id, second.id]);
    expect(await listed(ann, { purpose: 'assistants' })).toEqual([second.id]);
    expect(await listed(bob)).toEqual([]);
    expect(await openAI(other).files.retrieve(made.id)).toMatchObject({ id: made.id, status: 'processed' });
    const content = await openAI(ann).files.content(made.id);
    expect(await content.text()).toBe('hello');
    expect(content.headers.get('content-security-policy')).toContain('sandbox');
    await expect(openAI(ann).files.content(second.id)).rejects.toMatchObject({ status: 400 });
    const before = provider.calls.length;
    for (const ask of [
      openAI(bob).files.retrieve(made.id),
      openAI(bob).files.content(made.id),
      openAI(bob).files.delete(made.id),
      openAI(ann).files.retrieve('file-of-another-site'),
    ]) {
      await expect(ask).rejects.toEqual(error(404, 'unknown_id'));
    }
    expect(provider.calls).toHaveLength(before);
    expect(await openAI(ann).files.delete(made.id)).toMatchObject({ id: made.id, deleted: true });
    await expect(openAI(ann).files.retrieve(made.id)).rejects.toEqual(error(404, 'unknown_id'));
    expect(await listed(ann)).toEqual([second.id]);
    expect(await relay.logs(ann.userId)).toEqual([]);
  });

  it('are named by id in chat completions and Responses, at their own account alone', async () => {
    for (let index = 0; index < 4; index++) await openAIChannel({ key: `sk-a${index},sk-b${index}` });
    const [ann, bob] = [await relay.addToken(), await relay.addToken()];
    const { id } = await upload(ann);
    const second = await upload(ann);
    const account = provider.calls.at(-1)?.key;
    const content = [
      { type: 'file' as const, file: { file_id: id } },
      { type: 'file' as const, file: { file_id: second.id } },
    ];
    const chat = (key: Key) =>
      openAI(key).chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content }] });
    const responses = (key: Key) =>
      openAI(key).responses.create({
        model: 'gpt-4o',
        input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }],
      });
    for (let turn = 0; turn < 4; turn++) {
      expect((await chat(ann)).choices[0]?.message.content).toBe('Read.');
      expect((await responses(ann)).output_text).toBe('Read.');
    }
    expect(new Set(provider.calls.map(({ key }) => key))).toEqual(new Set([account]));
    await expect(chat(bob)).rejects.toEqual(error(404, 'unknown_id'));
    await expect(responses(bob)).rejects.toEqual(error(404, 'unknown_id'));
  });

  it('of an organisation are those of the member whose key made them, and those of shared keys are open to all', async () => {
    await openAIChannel();
    const shared = await relay.addToken();
    const addKey = async (memberId: number): Promise<Key> => {
      const key = await relay.addToken({ userId: shared.userId });
      await relay.sql('UPDATE tokens SET member_id = $2 WHERE id = $1', [key.id, memberId]);
      return key;
    };
    const addMember = async (): Promise<number> => {
      const [row] = await relay.sql<{ id: number }>(
        "INSERT INTO memberships (organisation_id, user_id, role) VALUES ($1, $2, 'member') RETURNING id",
        [shared.userId, await relay.addUser()],
      );
      return row!.id;
    };
    const ann = await addMember();
    const [first, second, bob] = [await addKey(ann), await addKey(ann), await addKey(await addMember())];
    const secret = await upload(first, 'secret');
    const common = await upload(shared, 'common');
    const own = await upload(bob, 'own');
    const listed = async (key: Key, query = {}): Promise<string[]> =>
      (await openAI(key).files.list(query)).data.map(({ id }) => id);
    expect(await listed(second)).toEqual([common.id, secret.id]);
    expect(await listed(bob)).toEqual([own.id, common.id]);
    expect(await listed(shared)).toEqual([common.id]);
    expect(await listed(bob, { after: secret.id })).toEqual([]);
    expect(await (await openAI(second).files.content(secret.id)).text()).toBe('secret');
    expect(await (await openAI(bob).files.content(common.id)).text()).toBe('common');
    const named = { type: 'file' as const, file: { file_id: secret.id } };
    for (const key of [bob, shared]) {
      for (const ask of [
        openAI(key).files.retrieve(secret.id),
        openAI(key).files.content(secret.id),
        openAI(key).files.delete(secret.id),
        openAI(key).chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: [named] }] }),
      ]) {
        await expect(ask).rejects.toEqual(error(404, 'unknown_id'));
      }
    }
    expect(await openAI(second).files.delete(secret.id)).toMatchObject({ deleted: true });
  });

  it('belong to an account: without its key, calls that name them are refused with the reason', async () => {
    const channel = await openAIChannel({ key: 'sk-old' });
    const ann = await relay.addToken();
    const { id } = await upload(ann);
    await relay.sql('UPDATE channels SET status = $2 WHERE id = $1', [channel, 'disabled']);
    await relay.changed({ kind: 'channel', id: channel });
    await openAIChannel({ key: 'sk-new' });
    const reason = expect.stringContaining('belongs to an account that cannot serve this call') as unknown;
    await expect(openAI(ann).files.retrieve(id)).rejects.toMatchObject({ status: 404, message: reason });
    const content = [{ type: 'file' as const, file: { file_id: id } }];
    await expect(
      openAI(ann).chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
    ).rejects.toMatchObject({ status: 404, message: reason });
    // The next file is at the account that works.
    await upload(ann);
    expect(provider.calls.at(-1)?.key).toBe('sk-new');
  });

  it('go to a channel of the model that a header or the query names', async () => {
    await openAIChannel({ key: 'sk-first', models: 'gpt-4o' });
    await openAIChannel({ key: 'sk-second', models: 'gpt-5' });
    const [ann, limited] = [await relay.addToken(), await relay.addToken({ modelLimits: 'gpt-4o' })];
    const file = await note();
    const create = (key: Key, options: object) => openAI(key).files.create({ file, purpose: 'user_data' }, options);
    await create(ann, { query: { model: 'gpt-5' } });
    expect(provider.calls.at(-1)).toMatchObject({ key: 'sk-second' });
    await create(ann, { headers: { 'x-tollgate-model': 'gpt-4o' } });
    expect(provider.calls.at(-1)).toMatchObject({ key: 'sk-first' });
    await expect(create(limited, { query: { model: 'gpt-5' } })).rejects.toEqual(error(403, 'model_not_allowed'));
    await expect(create(ann, { query: { model: 'claude-x' } })).rejects.toMatchObject({ status: 503 });
    // Later files are where the newest one is, so that one call can name both.
    await create(ann, {});
    expect(provider.calls.at(-1)).toMatchObject({ key: 'sk-first' });
  });

  it('keep the limits of the user', async () => {
    await openAIChannel();
    const ann = await relay.addToken();
    const megabyte = 'x'.repeat(1024 * 1024);
    relay.setOptions({ 'files.max_file_mb': 1 });
    await expect(upload(ann, megabyte)).rejects.toEqual(error(413, 'request_too_large'));
    relay.setOptions({ 'files.max_user_count': 1 });
    await upload(ann);
    await expect(upload(ann)).rejects.toEqual(error(403, 'object_limit_reached'));
    relay.setOptions({ 'files.max_user_mb': 1 });
    await expect(upload(ann, megabyte)).rejects.toEqual(error(403, 'object_limit_reached'));
    relay.setOptions({ 'files.max_user_count': 0 });
    await expect(upload(await relay.addToken())).rejects.toEqual(error(403, 'object_limit_reached'));
    expect(await rowsOf(ann)).toHaveLength(1);
    expect(provider.calls).toHaveLength(1);
    relay.setOptions({ 'files.max_user_count': 4 });
    const made = await Promise.allSettled(Array.from({ length: 10 }, () => upload(ann)));
    expect(made.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(3);
    expect((await rowsOf(ann)).length).toBeLessThanOrEqual(4);
  });

  it('need a balance, a key that may be used from the address, and no compression', async () => {
    await openAIChannel();
    const poor = await relay.addToken({ userId: await relay.addUser({ quota: 0 }) });
    await expect(upload(poor)).rejects.toEqual(error(403, 'insufficient_user_quota'));
    const elsewhere = await relay.addToken({ allowIps: '203.0.113.1' });
    await expect(upload(elsewhere)).rejects.toEqual(error(403, 'ip_not_allowed'));
    const ann = await relay.addToken();
    const packed = await relay.post('/v1/files', ann.key, 'x', { headers: { 'content-encoding': 'gzip' } });
    expect(packed.status).toBe(415);
    expect(provider.calls).toEqual([]);
  });

  it('leave nothing behind when the provider refuses or the client leaves', async () => {
    await openAIChannel();
    const ann = await relay.addToken();
    provider.refuseNext = 400;
    await expect(upload(ann)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('refuses') as string,
    });
    provider.slowness = 5;
    const left = new AbortController();
    const file = await note('x'.repeat(40_000_000));
    const sending = openAI(ann).files.create({ file, purpose: 'user_data' }, { signal: left.signal });
    const refused = expect(sending).rejects.toThrow();
    await eventually(
      async () => provider.calls.length,
      (count) => count === 2,
    );
    left.abort();
    await refused;
    await eventually(
      () => rowsOf(ann),
      ({ length }) => length === 0,
    );
    expect(provider.objects.size).toBe(0);
  });

  it('are removed from the list when the provider no longer has them', async () => {
    await openAIChannel();
    const ann = await relay.addToken();
    const { id } = await upload(ann);
    provider.objects.clear();
    await expect(openAI(ann).files.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect((await openAI(ann).files.list()).data).toEqual([]);
  });

  it('are known on another node at once, and after a restart', async () => {
    await openAIChannel();
    const ann = await relay.addToken();
    const { id } = await upload(ann);
    const node = await RelayHarness.start({ beside: relay, state: new MemoryState() });
    try {
      const client = new OpenAI({ apiKey: ann.key, baseURL: `${node.url}/v1`, maxRetries: 0 });
      expect((await client.files.list()).data).toMatchObject([{ id }]);
      expect(await (await client.files.content(id)).text()).toBe('hello');
    } finally {
      await node.stop();
    }
  });

  it('are made of parts, as large uploads are', async () => {
    await openAIChannel();
    const ann = await relay.addToken();
    const { uploads } = openAI(ann);
    const made = await uploads.create({ bytes: 10, filename: 'a.txt', mime_type: 'text/plain', purpose: 'user_data' });
    expect(await rowsOf(ann)).toMatchObject([{ kind: 'openai/uploads', bytes: '10' }]);
    const parts = [
      await uploads.parts.create(made.id, { data: await note() }),
      await uploads.parts.create(made.id, { data: await note() }),
    ];
    const bob = await relay.addToken();
    await expect(openAI(bob).uploads.parts.create(made.id, { data: await note() })).rejects.toEqual(
      error(404, 'unknown_id'),
    );
    const done = await uploads.complete(made.id, { part_ids: parts.map(({ id }) => id) });
    expect(done.file).toMatchObject({ filename: 'a.txt' });
    expect(await rowsOf(ann)).toMatchObject([{ kind: 'openai/files', bytes: '10', object_id: done.file?.id }]);
    const cancelled = await uploads.create({
      bytes: 10,
      filename: 'b.txt',
      mime_type: 'text/plain',
      purpose: 'user_data',
    });
    expect(await uploads.cancel(cancelled.id)).toMatchObject({ status: 'cancelled' });
    expect(await rowsOf(ann)).toHaveLength(1);
  });
});

describe('a file of 200 MB', () => {
  const size = 200 * 1024 * 1024;
  const piece = Buffer.alloc(256 * 1024, 'x');
  /** The form, in pieces that are made when they are read. */
  async function* form(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n');
    yield Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="large.bin"\r\n\r\n');
    for (let sent = 0; sent < size; sent += piece.length) yield piece;
    yield Buffer.from('\r\n--b--\r\n');
  }
  /** Sends the file. The global `fetch` would keep it in memory. */
  const send = ({ key }: Key): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' };
      const sent = request(`${relay.url}/v1/files`, { method: 'POST', headers }, (response) => {
        let text = '';
        response.on('data', (bytes: Buffer) => (text += bytes.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      pipeline(Readable.from(form(), { objectMode: false }), sent).catch(reject);
    });
  const usedBy = async <Result>(work: () => Promise<Result>): Promise<{ result: Result; bytes: number }> => {
    const held = (): number => {
      collectGarbage();
      // Buffers are freed in a thread and counted until the next collection.
      collectGarbage();
      const { external, heapUsed } = process.memoryUsage();
      return external + heapUsed;
    };
    const before = held();
    let most = 0;
    // Collecting the garbage of a large heap can take longer than the pause, so a pause is nine times as long as that.
    const look = (): void => {
      const start = performance.now();
      most = Math.max(most, held() - before);
      timer = setTimeout(look, 500 + 9 * (performance.now() - start));
    };
    let timer = setTimeout(look, 500);
    try {
      return { result: await work(), bytes: most };
    } finally {
      clearTimeout(timer);
    }
  };

  it('passes through in both directions, and is not kept in memory', async () => {
    await openAIChannel();
    const ann = await relay.addToken();
    const sent = await usedBy(async () => JSON.parse((await send(ann)).text) as { id: string; bytes: number });
    expect(sent.result.bytes).toBeGreaterThan(size);
    expect(sent.bytes).toBeLessThan(64 * 1024 * 1024);
    provider.largeContent = size;
    const read = await usedBy(async () => {
      const response = await openAI(ann).files.content(sent.result.id);
      expect(response.headers.get('content-length')).toBe(String(size));
      let length = 0;
      for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) length += part.length;
      return length;
    });
    expect(read.result).toBe(size);
    expect(read.bytes).toBeLessThan(64 * 1024 * 1024);
    expect(relay.heldBytes).toBe(0);
  });

  it('is read from the provider no faster than its client reads it', async () => {
    await openAIChannel();
    const ann = await relay.addToken();
    const { id } = await upload(ann);
    provider.largeContent = size;
    const left = new AbortController();
    const response = await fetch(`${relay.url}/v1/files/${id}/content`, {
      headers: { authorization: `Bearer ${ann.key}` },
      signal: left.signal,
    });
    expect(response.status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(provider.sentBytes).toBeLessThan(size / 4);
    left.abort();
  });

  it('is refused where it becomes too large, although its length was not announced', async () => {
    await openAIChannel();
    const ann = await relay.addToken();
    relay.setOptions({ 'files.max_file_mb': 5 });
    expect((await send(ann)).status).toBe(413);
    expect(await rowsOf(ann)).toEqual([]);
  });
});

describe('files of Anthropic', () => {
  it('are created, listed, read and deleted by the SDK, and named in Messages', async () => {
    await openAIChannel();
    await claudeChannel();
    const [ann, bob] = [await relay.addToken(), await relay.addToken()];
    const { files } = claude(ann).beta;
    const made = await files.upload({ file: await note(), betas: ['files-api-2025-04-14'] });
    expect(made).toMatchObject({ filename: 'note.txt', size_bytes: 5 });
    expect(provider.calls.at(-1)).toMatchObject({ call: 'POST /v1/files', key: 'sk-claude' });
    const ofOpenAI = await upload(ann);
    expect((await files.list()).data.map(({ id }) => id)).toEqual([made.id]);
    expect((await openAI(ann).files.list()).data.map(({ id }) => id)).toEqual([ofOpenAI.id]);
    expect(await files.retrieveMetadata(made.id)).toMatchObject({ id: made.id });
    await expect(files.download(made.id)).rejects.toMatchObject({ status: 400 });
    const ask = (key: Key, file_id: string) =>
      claude(key).beta.messages.create({
        model: 'claude-sonnet-4-5',
        max_tokens: 10,
        betas: ['files-api-2025-04-14'],
        messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id } }] }],
      });
    expect(await ask(ann, made.id)).toMatchObject({ content: [{ text: 'Read.' }] });
    await expect(ask(bob, made.id)).rejects.toMatchObject({ status: 404 });
    await expect(claude(bob).beta.files.delete(made.id)).rejects.toMatchObject({ status: 404 });
    expect(await files.delete(made.id)).toMatchObject({ id: made.id });
    expect((await files.list()).data).toEqual([]);
  });

  it('have a next page', async () => {
    await claudeChannel();
    const ann = await relay.addToken();
    const { files } = claude(ann).beta;
    for (let index = 0; index < 3; index++) await files.upload({ file: await note() });
    const ids: string[] = [];
    for await (const { id } of files.list({ limit: 2 })) ids.push(id);
    expect(new Set(ids).size).toBe(3);
    const page = async (query: string): Promise<unknown> =>
      (await fetch(`${relay.url}/v1/files?${query}`, { headers: { 'x-api-key': ann.key } })).json();
    expect(await page('limit=2')).toMatchObject({ has_more: true, first_id: ids[0], last_id: ids[1] });
    expect(await page(`limit=2&after_id=${ids[1]}`)).toMatchObject({ has_more: false, data: [{ id: ids[2] }] });
    expect(await page(`limit=2&before_id=${ids[1]}`)).toMatchObject({ has_more: false, data: [{ id: ids[0] }] });
    expect(await page('limit=x')).toMatchObject({ type: 'error' });
  });
});

describe('a file of one maker', () => {
  it('is refused in a call to another, with the reason', async () => {
    await openAIChannel();
    await claudeChannel();
    await geminiChannel();
    const ann = await relay.addToken({ userId: await relay.addUser({ quota: 100_000_000 }) });
    const ofOpenAI = await upload(ann);
    const ofClaude = await claude(ann).beta.files.upload({ file: await note() });
    const ofGemini = await gemini(ann).files.upload({ file: new Blob(['hello']), config: { mimeType: 'text/plain' } });
    provider.calls.length = 0;
    const chat = (model: string, file_id: string) =>
      relay.post('/v1/chat/completions', ann.key, {
        model,
        messages: [{ role: 'user', content: [{ type: 'file', file: { file_id } }] }],
      });
    const messages = (model: string, file_id: string) =>
      relay.post('/v1/messages', ann.key, {
        model,
        max_tokens: 10,
        messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id } }] }],
      });
    const generate = (model: string, fileUri: string) =>
      relay.post(`/v1beta/models/${model}:generateContent`, ann.key, {
        contents: [{ role: 'user', parts: [{ fileData: { fileUri, mimeType: 'text/plain' } }] }],
      });
    for (const [call, reason] of [
      [chat('claude-sonnet-4-5', ofOpenAI.id), 'cannot serve this call'],
      [chat('gemini-2.5-flash', ofOpenAI.id), 'cannot serve this call'],
      [messages('gpt-4o', ofClaude.id), 'cannot serve this call'],
      [generate('gpt-4o', ofGemini.uri ?? ''), 'cannot serve this call'],
      [generate('claude-sonnet-4-5', ofGemini.uri ?? ''), 'cannot serve this call'],
      // The account could serve the model, but its dialect has no files of this kind.
      [messages('gpt-4o', ofOpenAI.id), 'file'],
      [chat('claude-sonnet-4-5', ofClaude.id), 'file'],
    ] as const) {
      const response = await call;
      const text = await response.text();
      expect([response.status === 404 || response.status === 400, text]).toEqual([
        true,
        expect.stringContaining(reason),
      ]);
    }
    expect(provider.calls).toEqual([]);
  });
});

describe('files of Gemini', () => {
  it('are uploaded in pieces, read, listed, named and deleted by the SDK', async () => {
    await geminiChannel();
    const [ann, bob] = [await relay.addToken(), await relay.addToken()];
    const { files } = gemini(ann);
    // Two pieces of the SDK, which are 8 MB.
    const content = Buffer.alloc(9 * 1024 * 1024, 'y');
    const made = await files.upload({
      file: new Blob([content]),
      config: { mimeType: 'text/plain', displayName: 'long' },
    });
    expect(made).toMatchObject({ displayName: 'long', sizeBytes: String(content.length) });
    expect(provider.calls.map(({ call }) => call)).toEqual(Array(3).fill('POST /upload/v1beta/files'));
    expect(provider.objects.get(made.name ?? '')?.content.equals(content)).toBe(true);
    expect(await files.get({ name: made.name ?? '' })).toMatchObject({ state: 'ACTIVE' });
    const listed = async (client: GoogleGenAI): Promise<unknown[]> => {
      const found: unknown[] = [];
      for await (const { name, state } of await client.files.list({ config: { pageSize: 1 } }))
        found.push([name, state]);
      return found;
    };
    const second = await files.upload({ file: new Blob(['short']), config: { mimeType: 'text/plain' } });
    expect(await listed(gemini(ann))).toEqual([
      [second.name, 'PROCESSING'],
      [made.name, 'ACTIVE'],
    ]);
    expect(await listed(gemini(bob))).toEqual([]);
    const ask = (client: GoogleGenAI) =>
      client.models.generateContent({
        model: 'gemini-2.5-flash',
        contents: [{ role: 'user', parts: [{ fileData: { fileUri: made.uri ?? '', mimeType: 'text/plain' } }] }],
      });
    expect((await ask(gemini(ann))).text).toBe('Read.');
    await expect(ask(gemini(bob))).rejects.toMatchObject({ status: 404 });
    const download = await fetch(`${relay.url}/v1beta/${second.name}:download?alt=media&key=${ann.key}`);
    // Google returns generated files only.
    expect([download.status, await download.text()]).toEqual([400, expect.stringMatching(/generated/) as unknown]);
    await files.delete({ name: made.name ?? '' });
    expect(await listed(gemini(ann))).toHaveLength(1);
  });

  it('take every command, without a key after the first, and show no URL of the provider', async () => {
    await geminiChannel();
    const ann = await relay.addToken();
    const command = (url: string, name: string, more: Record<string, string> = {}, body?: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'x-goog-upload-command': name, ...more },
        ...(body === undefined ? {} : { body }),
      });
    const start = async (length: string): Promise<Response> =>
      command(
        `${relay.url}/upload/v1beta/files?key=${ann.key}`,
        'start',
        {
          'x-goog-upload-protocol': 'resumable',
          'x-goog-upload-header-content-length': length,
          'x-goog-upload-header-content-type': 'text/plain',
        },
        '{"file":{"display_name":"a"}}',
      );
    const begun = await start('5');
    const url = begun.headers.get('x-goog-upload-url') ?? '';
    expect(url.startsWith(`${relay.url}/upload/v1beta/files?upload_id=`)).toBe(true);
    expect(JSON.stringify([...begun.headers])).not.toContain(provider.url);
    const asked = await command(url, 'query');
    expect([asked.headers.get('x-goog-upload-status'), asked.headers.get('x-goog-upload-size-received')]).toEqual([
      'active',
      '0',
    ]);
    // More than was announced.
    expect((await command(url, 'upload, finalize', { 'x-goog-upload-offset': '0' }, 'hello!')).status).toBe(413);
    expect((await command(url, 'erase')).status).toBe(400);
    const ended = await command(url, 'upload, finalize', { 'x-goog-upload-offset': '0' }, 'hello');
    expect(await ended.json()).toMatchObject({ file: { sizeBytes: '5' } });
    expect(ended.headers.get('x-goog-upload-status')).toBe('final');
    expect(await rowsOf(ann)).toMatchObject([{ kind: 'gemini/files', bytes: '5' }]);
    const again = (await start('7')).headers.get('x-goog-upload-url') ?? '';
    expect(await rowsOf(ann)).toHaveLength(2);
    expect((await command(again, 'cancel')).headers.get('x-goog-upload-status')).toBe('cancelled');
    expect(await rowsOf(ann)).toHaveLength(1);
    const forged = `${relay.url}/upload/v1beta/files?upload_id=v1.AAAA&upload_protocol=resumable`;
    expect((await command(forged, 'query')).status).toBe(400);
    const bob = await relay.addToken();
    expect((await command(again, 'query', { 'x-goog-api-key': bob.key })).status).toBe(404);
    await relay.sql('UPDATE tokens SET status = $2 WHERE id = $1', [ann.id, 'disabled']);
    await relay.changed({ kind: 'token', id: ann.id } as never);
    expect((await command(again, 'query')).status).toBe(401);
  });
});

describe('caches of Gemini', () => {
  const create = (key: Key, more: object = {}) =>
    gemini(key).caches.create({
      model: 'gemini-2.5-flash',
      config: { contents: [{ role: 'user', parts: [{ text: 'long' }] }], ttl: '3600s', ...more },
    });

  it('are refused while the site does not allow them, because providers charge for their storage', async () => {
    await geminiChannel();
    const ann = await relay.addToken();
    await expect(create(ann)).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('charge') as string,
    });
    expect(provider.calls).toEqual([]);
  });

  it('are created, changed, listed, named and deleted by the SDK', async () => {
    relay.setOptions({ SelfUseModeEnabled: true, 'files.allowed_paid': ['cachedContents'] });
    await geminiChannel({ mapping: '{"gemini-2.5-flash":"gemini-2.5-flash-002"}' });
    const [ann, bob] = [await relay.addToken(), await relay.addToken()];
    const made = await create(ann);
    expect(made).toMatchObject({ model: 'models/gemini-2.5-flash-002' });
    const name = made.name ?? '';
    const { caches } = gemini(ann);
    expect(await caches.get({ name })).toMatchObject({ name });
    expect(await caches.update({ name, config: { ttl: '7200s' } })).toMatchObject({ name });
    const ask = (key: Key) =>
      gemini(key).models.generateContent({
        model: 'gemini-2.5-flash',
        contents: 'hi',
        config: { cachedContent: name },
      });
    expect((await ask(ann)).text).toBe('Read.');
    await expect(ask(bob)).rejects.toMatchObject({ status: 404 });
    const foreign = { fileData: { fileUri: 'files/of_another', mimeType: 'text/plain' } };
    await expect(create(ann, { contents: [{ role: 'user', parts: [foreign] }] })).rejects.toMatchObject({
      status: 404,
    });
    expect((await caches.list()).page).toMatchObject([{ name }]);
    await caches.delete({ name });
    expect((await caches.list()).page).toEqual([]);
  });
});

describe('a deleted user', () => {
  it('has no files any more: they are deleted at the provider, and again after a failure', async () => {
    await openAIChannel();
    await claudeChannel();
    await geminiChannel();
    const [ann, bob] = [await relay.addToken(), await relay.addToken()];
    await upload(ann);
    await claude(ann).beta.files.upload({ file: await note() });
    await gemini(ann).files.upload({ file: new Blob(['hello']), config: { mimeType: 'text/plain' } });
    const kept = await upload(bob);
    await relay.sql('UPDATE users SET deleted_at = now() WHERE id = $1', [ann.userId]);
    provider.refuseNext = 500;
    await relay.objectJobs.run();
    expect(await rowsOf(ann)).toHaveLength(1);
    await relay.objectJobs.run();
    expect(await rowsOf(ann)).toHaveLength(1);
    await relay.sql('UPDATE provider_objects SET next_try_at = now() WHERE user_id = $1', [ann.userId]);
    await relay.objectJobs.run();
    expect(await rowsOf(ann)).toEqual([]);
    expect([...provider.objects.keys()]).toEqual([kept.id]);
    const marks = await relay.sql('SELECT 1 FROM provider_ids WHERE user_id = $1', [ann.userId]);
    expect(marks).toEqual([]);
  });
});
