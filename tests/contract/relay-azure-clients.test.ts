/** Clients of Azure OpenAI that use Tollgate as their resource: OpenAI's own SDK for Azure, and the paths of the v1 API. */
import OpenAI, { AzureOpenAI, toFile } from 'openai';
import { chat, json } from '../support/upstream/replies.js';
import { says } from '../support/upstream/families.js';
import { wav } from '../support/wav.js';
import { type RelayHarness, userMessage } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
relaySuite((started) => (relay = started), { values: { SelfUseModeEnabled: true } });

const apiVersion = '2024-10-21';
const messages = userMessage('hi') as OpenAI.ChatCompletionMessageParam[];

const azure = (apiKey: string, deployment?: string): AzureOpenAI =>
  new AzureOpenAI({ endpoint: relay.url, apiKey, apiVersion, maxRetries: 0, ...(deployment ? { deployment } : {}) });
const lastRequest = () => relay.upstream.requests.at(-1);
const modelOfRow = async (userId: number): Promise<string | undefined> =>
  (await relay.logsOf(userId, 1))[0]?.model_name;

describe('AzureOpenAI of the SDK', () => {
  it('chats, whole and streamed', async () => {
    await relay.addChannel();
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, chat({ text: 'Hello' }));
    const whole = await azure(key).chat.completions.create({ model: 'gpt-4o', messages });
    expect(whole.choices[0]?.message.content).toBe('Hello');
    expect(lastRequest()).toMatchObject({ path: '/v1/chat/completions', body: { model: 'gpt-4o' } });
    const streamed = azure(key).chat.completions.stream({ model: 'gpt-4o', messages });
    expect(await streamed.finalContent()).toBe('Hello');
    expect(await modelOfRow(userId)).toBe('gpt-4o');
  });

  it.each([
    ['openai', 1, 'gpt-4o-mini', '/v1/chat/completions'],
    ['anthropic', 14, 'claude-sonnet-4-5', '/v1/messages'],
  ])('calls the deployment, whatever model the body names (%s)', async (_name, type, deployment, path) => {
    await relay.addChannel({ type, models: deployment });
    const { key, userId } = await relay.addToken();
    relay.upstream.script({}, says({ text: 'Hello' }));
    const { choices } = await azure(key, deployment).chat.completions.create({ model: 'gpt-4o', messages });
    expect(choices[0]?.message.content).toBe('Hello');
    expect(lastRequest()).toMatchObject({ path, body: { model: deployment } });
    expect(await modelOfRow(userId)).toBe(deployment);
  });

  it('respects the model limits of the key for the deployment', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken({ modelLimits: 'gpt-4o-mini' });
    const call = azure(key, 'gpt-4o').chat.completions.create({ model: 'gpt-4o-mini', messages });
    await expect(call).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
    await expect(azure('sk-unknown').chat.completions.create({ model: 'gpt-4o', messages })).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    expect(relay.upstream.requests).toEqual([]);
  });

  it('embeds, draws, speaks and writes down', async () => {
    await relay.addChannel({ models: 'text-embedding-3-small,dall-e-3,gpt-image-1,painter,tts-1,whisper-1' });
    const { key } = await relay.addToken();
    const client = azure(key);
    relay.upstream.script(
      { path: '/v1/embeddings' },
      json({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } }),
    );
    relay.upstream.script({ path: '/v1/images' }, json({ created: 1, data: [{ url: 'https://img.example/1' }] }));
    relay.upstream.script({ path: '/v1/audio/transcriptions' }, json({ text: 'hello' }));
    relay.upstream.script({ path: '/v1/audio/speech' }, (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('sound');
    });

    const vectors = await client.embeddings.create({ model: 'text-embedding-3-small', input: 'hi' });
    expect(vectors.data[0]?.embedding).toEqual([1]);
    const drawn = await client.images.generate({ model: 'dall-e-3', prompt: 'a cat' });
    expect(drawn.data?.[0]?.url).toBe('https://img.example/1');
    const image = await toFile(Buffer.from('png'), 'a.png', { type: 'image/png' });
    await client.images.edit({ model: 'gpt-image-1', prompt: 'a cat', image });
    expect(String(lastRequest()?.rawBody)).toMatch(/name="model"\r\n\r\ngpt-image-1\r\n/);
    const edited = await fetch(`${relay.url}/openai/deployments/painter/images/edits?api-version=2025-04-01-preview`, {
      method: 'POST',
      headers: { 'api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a cat', images: [{ image_url: 'https://img.example/1' }] }),
    });
    expect(edited.status).toBe(200);
    expect(lastRequest()?.body).toMatchObject({ model: 'painter', images: [{ image_url: 'https://img.example/1' }] });
    const sound = await client.audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'hi' });
    expect(await sound.text()).toBe('sound');
    const file = await toFile(wav(1), 'a.wav');
    const said = await azure(key, 'whisper-1').audio.transcriptions.create({ model: 'another', file });
    expect(said.text).toBe('hello');
    expect(String(lastRequest()?.rawBody)).toMatch(/name="model"\r\n\r\nwhisper-1\r\n/);
    expect(relay.upstream.requests.map(({ path }) => path)).toEqual([
      ...['/v1/embeddings', '/v1/images/generations', '/v1/images/edits', '/v1/images/edits'],
      '/v1/audio/speech',
      '/v1/audio/transcriptions',
    ]);
  });

  it('calls Responses, reads a stored one, and lists models', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    relay.upstream.script({}, says({ text: 'Hello' }));
    const response = await azure(key).responses.create({ model: 'gpt-4o', input: 'hi', store: false });
    expect(response.output_text).toBe('Hello');
    expect(lastRequest()?.path).toBe('/v1/responses');
    await expect(azure(key).responses.retrieve('resp_none')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const { data } = await azure(key).models.list();
    expect(data.map(({ id }) => id)).toContain('gpt-4o');
  });

  it.each([
    ['its header', {}, 'gpt-image-1'],
    ['the tool', { model: 'gpt-image-2' }, 'gpt-image-2'],
  ])('names the model that draws in %s, for the limits of the key and for Azure', async (_where, named, model) => {
    await relay.addChannel({ type: 3, other: 'preview' });
    const body = { model: 'gpt-4o', input: 'a cat', tools: [{ type: 'image_generation' as const, ...named }] };
    const inHeader = { headers: { 'x-ms-oai-image-generation-deployment': 'gpt-image-1' } };
    const ask = (key: string) => azure(key).responses.create(body, inHeader);
    relay.upstream.script({}, says({ text: 'Hello' }));
    await ask((await relay.addToken({ modelLimits: `gpt-4o,${model}` })).key);
    expect(lastRequest()?.headers['x-ms-oai-image-generation-deployment']).toBe(model);
    expect(lastRequest()?.body).toMatchObject({ tools: [{ type: 'image_generation', model }] });
    const limited = await relay.addToken({ modelLimits: 'gpt-4o' });
    await expect(ask(limited.key)).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect(relay.upstream.requests).toHaveLength(1);
  });

  it('has its version where the channel is Azure', async () => {
    await relay.addChannel({ type: 3, other: '2025-01-01' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, chat({ text: 'Hello' }));
    await azure(key).chat.completions.create({ model: 'gpt-4o', messages });
    expect(lastRequest()?.path).toBe(`/openai/deployments/gpt-4o/chat/completions?api-version=${apiVersion}`);
  });
});

describe('a deployment in the path', () => {
  const post = (key: string, deployment: string, body: object | string): Promise<Response> =>
    fetch(`${relay.url}/openai/deployments/${deployment}/chat/completions?api-version=${apiVersion}`, {
      method: 'POST',
      headers: { 'api-key': key },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('is the model where the body names none, also with a slash', async () => {
    await relay.addChannel({ models: 'maker/model' });
    const { key } = await relay.addToken();
    expect((await post(key, 'maker%2Fmodel', { messages })).status).toBe(200);
    expect(lastRequest()?.body).toEqual({ messages, model: 'maker/model' });
  });

  it('refuses what it cannot read', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    expect((await post(key, 'gpt-4o', '{')).status).toBe(400);
    expect((await post(key, 'gpt-4o', { model: 'gpt-4o' })).status).toBe(400);
    expect((await post(key, 'unknown', { messages })).status).toBe(503);
    expect(relay.upstream.requests).toEqual([]);
  });
});

describe('the v1 API of Azure', () => {
  it('is called by OpenAI’s own client', async () => {
    await relay.addChannel();
    const { key } = await relay.addToken();
    relay.upstream.script({}, chat({ text: 'Hello' }));
    const client = new OpenAI({ baseURL: `${relay.url}/openai/v1/`, apiKey: key, maxRetries: 0 });
    const { choices } = await client.chat.completions.create({ model: 'gpt-4o', messages });
    expect(choices[0]?.message.content).toBe('Hello');
    expect((await client.models.list()).data.map(({ id }) => id)).toContain('gpt-4o');
  });

  it.each(['preview', 'latest', 'v1'])('is the one that an Azure channel calls for the version %s', async (version) => {
    await relay.addChannel({ type: 3, other: '2025-01-01' });
    const { key } = await relay.addToken();
    relay.upstream.script({}, chat({ text: 'Hello' }));
    const response = await fetch(`${relay.url}/openai/v1/chat/completions?api-version=${version}`, {
      method: 'POST',
      headers: { 'api-key': key },
      body: JSON.stringify({ model: 'gpt-4o', messages }),
    });
    expect(response.status).toBe(200);
    expect(lastRequest()?.path).toBe(`/openai/v1/chat/completions${version === 'v1' ? '' : `?api-version=${version}`}`);
  });

  it('is open to browsers of other sites, like /v1', async () => {
    const response = await fetch(`${relay.url}/openai/v1/models`, { headers: { origin: 'https://a.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });
});
