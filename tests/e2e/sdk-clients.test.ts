import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI, Type } from '@google/genai';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { APICallError, Output, embed, generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import OpenAI, { toFile } from 'openai';
import type { Person } from '../support/api.js';
import { startServer, type TestServer } from '../support/server.js';
import { families, refuses, says } from '../support/upstream/families.js';
import { json } from '../support/upstream/replies.js';
import { recordedAnswer } from '../support/upstream/recordings.js';
import { startUpstream, type ReceivedRequest, type Upstream } from '../support/upstream/upstream.js';
import { wav } from '../support/wav.js';

/** The packages people really use, each at three families of providers, notice nothing of what lies between. */
let server: TestServer;
let upstream: Upstream;
let root: Person;
let key: string;

beforeAll(async () => {
  upstream = await startUpstream();
  server = await startServer();
  root = await server.api.setUp({ selfUse: true });
  for (const { type, model } of families) {
    const models = type === 1 ? [model, 'text-embedding-3-small', 'dall-e-3', 'tts-1', 'whisper-1'] : [model];
    await server.api.createChannel(root, { type, baseUrl: upstream.url, models });
  }
  ({ key } = await server.api.createToken(root));
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
});
beforeEach(() => upstream.reset());

const picture = `iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==`;
const weather = { name: 'weather', description: 'Tells the weather of a city' };
const schema = { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] };
const input = { city: 'Paris' };

const lastRequest = (): ReceivedRequest => {
  const request = upstream.requests.at(-1);
  if (!request) throw new Error('nothing reached the provider');
  return request;
};
const sentText = (): string => lastRequest().rawBody.toString();

/** The provider is let go within a second after its client left. */
async function expectLetGo(leave: () => Promise<void>): Promise<void> {
  upstream.script({}, says({ text: 'word '.repeat(300), gapMilliseconds: 20 }));
  await leave();
  const leftAt = Date.now();
  await lastRequest().ended;
  expect(Date.now() - leftAt).toBeLessThan(1000);
  expect(lastRequest().aborted).toBe(true);
}

describe.each(families)('$name behind @anthropic-ai/sdk', ({ model }) => {
  const client = (): Anthropic => new Anthropic({ apiKey: key, baseURL: server.url, maxRetries: 0 });
  const ask = { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'hi' }] };
  const tools = [{ ...weather, input_schema: schema }];

  it('answers and streams', async () => {
    upstream.script({}, says({ text: 'Hello from afar' }));
    const whole = await client().messages.create(ask);
    expect(whole.content).toMatchObject([{ type: 'text', text: 'Hello from afar' }]);
    expect(whole.usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
    const streamed = await client().messages.stream(ask).finalMessage();
    expect(streamed.content).toMatchObject([{ type: 'text', text: 'Hello from afar' }]);
    expect(streamed.stop_reason).toBe('end_turn');
    expect(streamed.usage).toMatchObject({ output_tokens: 10 });
  });

  it('calls tools and takes their results', async () => {
    upstream.script({}, says({ text: '', tool: { name: 'weather', input } }));
    for (const asked of [
      client().messages.create({ ...ask, tools }),
      client()
        .messages.stream({ ...ask, tools })
        .finalMessage(),
    ]) {
      const answer = await asked;
      expect(answer.stop_reason).toBe('tool_use');
      const [use] = answer.content;
      expect(use).toMatchObject({ type: 'tool_use', name: 'weather', input });
    }
    upstream.script({}, says({ text: 'It is sunny.' }));
    const [use] = (await client().messages.create({ ...ask, tools })).content;
    expect(use).toMatchObject({ text: 'It is sunny.' });
    await client().messages.create({
      ...ask,
      tools,
      messages: [
        ...ask.messages,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' }] },
      ],
    });
    expect(sentText()).toContain('sunny');
  });

  it('sees pictures', async () => {
    upstream.script({}, says({ text: 'A dot.' }));
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: picture };
    await client().messages.create({ ...ask, messages: [{ role: 'user', content: [{ type: 'image', source }] }] });
    expect(sentText()).toContain(picture);
  });

  it('raises its own errors', async () => {
    upstream.script({}, refuses(429, 'slow down'));
    await expect(client().messages.create(ask)).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    upstream.script({}, refuses(400, 'that is wrong'));
    await expect(client().messages.create(ask)).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    const stranger = new Anthropic({ apiKey: 'sk-unknown', baseURL: server.url, maxRetries: 0 });
    await expect(stranger.messages.create(ask)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  });

  it('leaves, and the provider is let go', async () => {
    await expectLetGo(async () => {
      const stream = client().messages.stream(ask);
      for await (const event of stream) if (event.type === 'content_block_delta') break;
      stream.abort();
    });
  });
});

describe.each(families)('$name behind @google/genai', ({ model }) => {
  const client = (): GoogleGenAI => new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: server.url } });

  it('answers and streams', async () => {
    upstream.script({}, says({ text: 'Hello from afar' }));
    const whole = await client().models.generateContent({ model, contents: 'hi' });
    expect(whole.text).toBe('Hello from afar');
    expect(whole.usageMetadata).toMatchObject({ promptTokenCount: 20, candidatesTokenCount: 10 });
    let text = '';
    for await (const chunk of await client().models.generateContentStream({ model, contents: 'hi' })) {
      text += chunk.text ?? '';
    }
    expect(text).toBe('Hello from afar');
  });

  it('calls tools and takes their results', async () => {
    upstream.script({}, says({ text: '', tool: { name: 'weather', input } }));
    const parameters = { type: Type.OBJECT, properties: { city: { type: Type.STRING } } };
    const config = { tools: [{ functionDeclarations: [{ ...weather, parameters }] }] };
    const whole = await client().models.generateContent({ model, contents: 'hi', config });
    expect(whole.functionCalls).toMatchObject([{ name: 'weather', args: input }]);
    upstream.script({}, says({ text: 'It is sunny.' }));
    const call = whole.functionCalls?.[0] ?? {};
    const contents = [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: call }] },
      {
        role: 'user',
        parts: [
          { functionResponse: { ...(call.id ? { id: call.id } : {}), name: 'weather', response: { sky: 'sunny' } } },
        ],
      },
    ];
    expect((await client().models.generateContent({ model, contents, config })).text).toBe('It is sunny.');
    expect(sentText()).toContain('sunny');
  });

  it('sees pictures and answers JSON', async () => {
    upstream.script({}, says({ text: '{"city":"Paris"}' }));
    const answer = await client().models.generateContent({
      model,
      contents: [
        { role: 'user', parts: [{ text: 'where?' }, { inlineData: { mimeType: 'image/png', data: picture } }] },
      ],
      config: {
        responseMimeType: 'application/json',
        responseSchema: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } },
      },
    });
    expect(JSON.parse(answer.text ?? '')).toEqual(input);
    expect(sentText()).toContain(picture);
  });

  it('raises its own errors', async () => {
    upstream.script({}, refuses(400, 'that is wrong'));
    const call = client().models.generateContent({ model, contents: 'hi' });
    await expect(call).rejects.toBeInstanceOf(ApiError);
    await expect(call).rejects.toMatchObject({ status: 400 });
    const stranger = new GoogleGenAI({ apiKey: 'sk-unknown', httpOptions: { baseUrl: server.url } });
    await expect(stranger.models.generateContent({ model, contents: 'hi' })).rejects.toMatchObject({ status: 401 });
  });

  it('leaves, and the provider is let go', async () => {
    await expectLetGo(async () => {
      const controller = new AbortController();
      const config = { abortSignal: controller.signal };
      const stream = await client().models.generateContentStream({ model, contents: 'hi', config });
      for await (const _chunk of stream) break;
      controller.abort();
    });
  });
});

describe.each(families)('$name behind ai with @ai-sdk/openai-compatible', ({ model }) => {
  const provider = () => createOpenAICompatible({ name: 'tollgate', apiKey: key, baseURL: `${server.url}/v1` });
  const ask = () => ({ model: provider()(model), prompt: 'hi', maxRetries: 0 });

  it('answers and streams', async () => {
    upstream.script({}, says({ text: 'Hello from afar' }));
    const whole = await generateText(ask());
    expect(whole.text).toBe('Hello from afar');
    expect(whole.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
    expect(await streamText(ask()).text).toBe('Hello from afar');
  });

  it('runs tools to the end', async () => {
    upstream.script({}, says({ text: '', tool: { name: 'weather', input } }), says({ text: 'It is sunny.' }));
    const asked: unknown[] = [];
    const tools = {
      weather: tool({
        description: weather.description,
        inputSchema: jsonSchema<{ city: string }>(schema),
        execute: async (given) => {
          asked.push(given);
          return 'sunny';
        },
      }),
    };
    const whole = await generateText({ ...ask(), tools, stopWhen: stepCountIs(3) });
    expect([asked, whole.text]).toEqual([[input], 'It is sunny.']);
    expect(sentText()).toContain('sunny');
  });

  it('answers objects, and sees pictures', async () => {
    upstream.script({}, says({ text: '{"city":"Paris"}' }));
    const output = Output.object({ schema: jsonSchema<{ city: string }>(schema) });
    expect((await generateText({ ...ask(), output })).output).toEqual(input);
    upstream.script({}, says({ text: 'A dot.' }));
    const image = Buffer.from(picture, 'base64');
    const messages = [{ role: 'user' as const, content: [{ type: 'image' as const, image, mediaType: 'image/png' }] }];
    await generateText({ model: provider()(model), messages, maxRetries: 0 });
    expect(sentText()).toContain(picture);
  });

  it('raises its own errors', async () => {
    upstream.script({}, refuses(400, 'that is wrong'));
    const failed = await generateText(ask()).catch((error: unknown) => error);
    expect(APICallError.isInstance(failed)).toBe(true);
    expect(failed).toMatchObject({ statusCode: 400 });
  });

  it('leaves, and the provider is let go', async () => {
    await expectLetGo(async () => {
      const controller = new AbortController();
      const { textStream } = streamText({ ...ask(), abortSignal: controller.signal });
      for await (const _text of textStream) break;
      controller.abort();
    });
  });
});

describe.each(families)('$name behind @langchain/openai', ({ model }) => {
  const chat = (): ChatOpenAI =>
    new ChatOpenAI({ model, apiKey: key, maxRetries: 0, configuration: { baseURL: `${server.url}/v1` } });

  it('answers and streams', async () => {
    upstream.script({}, says({ text: 'Hello from afar' }));
    const whole = await chat().invoke('hi');
    expect(whole.content).toBe('Hello from afar');
    expect(whole.usage_metadata).toMatchObject({ input_tokens: 20, output_tokens: 10 });
    let text = '';
    for await (const chunk of await chat().stream('hi')) text += chunk.text;
    expect(text).toBe('Hello from afar');
  });

  it('calls tools', async () => {
    upstream.script({}, says({ text: '', tool: { name: 'weather', input } }));
    const bound = chat().bindTools([{ type: 'function', function: { ...weather, parameters: schema } }]);
    expect((await bound.invoke('hi')).tool_calls).toMatchObject([{ name: 'weather', args: input }]);
  });

  it('raises its own errors', async () => {
    upstream.script({}, refuses(400, 'that is wrong'));
    await expect(chat().invoke('hi')).rejects.toMatchObject({ status: 400 });
  });
});

describe.each(families)('$name behind openai', ({ model }) => {
  const client = (): OpenAI => new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'hi' }];
  const tools = [{ type: 'function' as const, function: { ...weather, parameters: schema } }];

  it('chats, calls tools and answers by a schema', async () => {
    upstream.script({}, says({ text: 'Hello from afar' }));
    const whole = await client().chat.completions.create({ model, messages });
    expect(whole.choices[0]?.message.content).toBe('Hello from afar');
    const streamed = await client().chat.completions.stream({ model, messages }).finalChatCompletion();
    expect(streamed.choices[0]?.message.content).toBe('Hello from afar');
    upstream.script({}, says({ text: '', tool: { name: 'weather', input } }));
    const called = await client().chat.completions.create({ model, messages, tools });
    expect(called.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'weather' } }]);
    upstream.script({}, says({ text: '{"city":"Paris"}' }));
    const format = { type: 'json_schema' as const, json_schema: { name: 'place', schema } };
    const json = await client().chat.completions.create({ model, messages, response_format: format });
    expect(JSON.parse(json.choices[0]?.message.content ?? '')).toEqual(input);
  });

  it('speaks Responses', async () => {
    upstream.script({}, says({ text: 'Hello from afar' }));
    const whole = await client().responses.create({ model, input: 'hi' });
    expect(whole.output_text).toBe('Hello from afar');
    const streamed = await client().responses.stream({ model, input: 'hi' }).finalResponse();
    expect(streamed.output_text).toBe('Hello from afar');
    expect(streamed.usage).toMatchObject({ input_tokens: 20, output_tokens: 10 });
    upstream.script({}, says({ text: '', tool: { name: 'weather', input } }));
    const called = await client().responses.create({
      model,
      input: 'hi',
      tools: [{ type: 'function', ...weather, parameters: schema, strict: false }],
    });
    expect(called.output.find(({ type }) => type === 'function_call')).toMatchObject({ name: 'weather' });
  });

  it('raises its own errors', async () => {
    upstream.script({}, refuses(429, 'slow down'));
    await expect(client().responses.create({ model, input: 'hi' })).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(client().chat.completions.create({ model, messages })).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  });
});

describe('what is answered in one piece', () => {
  const client = (): OpenAI => new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0 });
  const model = 'text-embedding-3-small';

  it('embeds', async () => {
    upstream.script({}, json(recordedAnswer('openai/openai-embedding')));
    const first = (
      JSON.parse(recordedAnswer('openai/openai-embedding').toString()) as { data: Array<{ embedding: number[] }> }
    ).data[0]?.embedding;
    const near = (vector: readonly number[]): number[] => vector.map((each) => Number(each.toFixed(6)));
    const byOpenAI = await client().embeddings.create({ model, input: ['a', 'b'] });
    expect(near(byOpenAI.data[0]?.embedding ?? [])).toEqual(near(first ?? []));
    const configuration = { baseURL: `${server.url}/v1` };
    const byLangchain = new OpenAIEmbeddings({ model, apiKey: key, configuration, maxRetries: 0 });
    expect(near((await byLangchain.embedDocuments(['a', 'b']))[0] ?? [])).toEqual(near(first ?? []));
    const provider = createOpenAICompatible({ name: 'tollgate', apiKey: key, baseURL: `${server.url}/v1` });
    const byAi = await embed({ model: provider.embeddingModel(model), value: 'a', maxRetries: 0 });
    expect(near(byAi.embedding)).toEqual(near(first ?? []));
    const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: server.url } });
    const byGoogle = await google.models.embedContent({ model, contents: 'a' });
    expect(near(byGoogle.embeddings?.[0]?.values ?? [])).toEqual(near(first ?? []));
  });

  it('draws, speaks and listens', async () => {
    upstream.script({ path: '/v1/images' }, json(recordedAnswer('openai/openai-image')));
    const drawn = await client().images.generate({ model: 'dall-e-3', prompt: 'a house' });
    expect(drawn.data?.length).toBeGreaterThan(0);
    upstream.script({ path: '/v1/audio/speech' }, (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(Buffer.from([1, 2, 3]));
    });
    const sound = await client().audio.speech.create({ model: 'tts-1', input: 'Hello', voice: 'alloy' });
    expect([...new Uint8Array(await sound.arrayBuffer())]).toEqual([1, 2, 3]);
    upstream.script({ path: '/v1/audio/transcriptions' }, json(recordedAnswer('openai/openai-transcription')));
    const file = await toFile(wav(2), 'talk.wav', { type: 'audio/wav' });
    const heard = await client().audio.transcriptions.create({ model: 'whisper-1', file });
    expect(heard.text.length).toBeGreaterThan(0);
  });
});
