import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReceivedRequest, Reply, Upstream } from '../support/upstream/upstream.js';
import {
  awsFrameOf,
  chatSpoken,
  cohereSpoken,
  geminiSpoken,
  messagesSpoken,
  responsesSpoken,
  sseOf,
  type Spoken,
} from './dialects.js';
import { respond } from './model.js';
import * as owns from './own-dialects.js';
import * as refused from './refused-bodies.js';
import * as tools from './refused-tools.js';
import type { OwnProvider, Wire } from './own-dialects.js';
import { sparkKey, startSpark } from './spark.js';
import * as strict from './strict.js';
import { claudeAtVertex, geminiAtVertex, llamaAtVertex, startGoogle } from './vertex.js';

/** One kind of channel that can chat, with a provider that refuses what the real one refuses. */
export interface Kind {
  readonly name: string;
  readonly type: number;
  /** The provider's name of the model. */
  readonly model: string;
  readonly key?: string;
  readonly other?: string;
  /** Takes images. */
  readonly sees: boolean;
  /** Shown to a client that sends an image to a kind that takes none. */
  readonly blind?: RegExp;
  /** Knows no functions: agents talk there, and their tools are left out. */
  readonly onlyTalks?: true;
  /** Takes no texts at which the response ends, so the gateway refuses them. */
  readonly neverStops?: true;
  /** Takes one question without the conversation before it. */
  readonly forgets?: true;
  /** A refusal that only the provider itself knows: met once for each channel and model, and remembered. */
  readonly learned?: RegExp;
  /** Never streams, so nothing arrives before the whole response. */
  readonly onlyWhole?: true;
  /** A WebSocket of its own, or Google's hosts, which need the certificate of `vertex.ts`. */
  readonly at?: 'socket' | 'google';
  /** Behind the upstream's address. */
  readonly base?: string;
  /** The dialect and the checks of a request, by its path. */
  dialectOf(request: ReceivedRequest): {
    readonly spoken: Spoken;
    readonly refuse: strict.Refuse;
    readonly wire?: Wire;
  };
}

const chat = (
  name: string,
  type: number,
  model: string,
  rules: Parameters<typeof strict.strictChat>[0],
  more: Partial<Kind> = {},
): Kind => {
  const spoken = chatSpoken(rules.wantsThoughts);
  const refuse = strict.strictChat(rules);
  return { name, type, model, sees: rules.sees !== false, ...more, dialectOf: () => ({ spoken, refuse }) };
};

/** Providers of OpenAI's family that speak Responses too. */
const withResponses = (kind: Kind): Kind => ({
  ...kind,
  dialectOf: (request) =>
    request.path.includes('/responses')
      ? { spoken: responsesSpoken, refuse: strict.strictResponses }
      : kind.dialectOf(request),
});

/** Gateways and servers of open models, which speak the dialects of most clients. */
const withAllDialects = (kind: Kind, { generate = false } = {}): Kind => ({
  ...kind,
  dialectOf(request) {
    if (request.path.includes('/responses')) return { spoken: responsesSpoken, refuse: strict.strictResponses };
    if (generate && request.path.includes('/models/')) return { spoken: geminiSpoken, refuse: strict.strictGemini() };
    if (!request.path.includes('/messages')) return kind.dialectOf(request);
    return { spoken: messagesSpoken, refuse: strict.strictMessages(strict.headerBetas) };
  },
});

const one = (kind: Omit<Kind, 'dialectOf'>, spoken: Spoken, refuse: strict.Refuse): Kind => ({
  ...kind,
  dialectOf: () => ({ spoken, refuse }),
});

/** A provider with its own protocol. Those without tools take text only. */
const own = (kind: Omit<Kind, 'dialectOf' | 'sees'>, provider: OwnProvider): Kind => ({
  blind: /only accepts text/,
  ...kind,
  sees: false,
  dialectOf: () => provider,
});

const vertexClaude = claudeAtVertex(
  messagesSpoken,
  strict.strictMessages(strict.headerBetas, ['anthropic_version', 'anthropic_beta'], ['model', 'service_tier']),
);
const vertexGemini = geminiAtVertex(geminiSpoken, strict.strictGemini());
const vertexLlama = llamaAtVertex(chatSpoken(), strict.strictChat(strict.familyRules));

const { familyRules, looseRules, openAIRules, mistralRules } = strict;
const thinking = { ...familyRules, wantsThoughts: true };

const { brokenArguments, missingResults, emptyTools, flatTools, functionsAtResponses, overflow, overflowWords } =
  refused;
const anyOpenAI = [
  missingResults,
  refused.unrecognized([...openAIRules.fields, 'functions', 'presence_penalty', 'frequency_penalty', 'logit_bias']),
  emptyTools,
  flatTools,
  tools.toolNames,
  tools.unknownChoices,
  tools.choicesWithoutTools,
  overflow(2_000_000, overflowWords.OpenAI),
];
const reasons = refused.unsupported('stop', 'max_tokens', 'temperature', 'top_p', 'presence_penalty', 'logit_bias');
const openModels = { ...looseRules, refuses: [brokenArguments, overflow(2_000_000, overflowWords.vLLM)] };
const qwenTemplate = { ...openModels, refuses: [...openModels.refuses, refused.laterInstructions] };
const laterInstructions = /^System message must be at the beginning/;
const ofClaude = {
  refuses: [refused.maxOutputOfClaude(64_000), overflow(2_000_000, overflowWords.Anthropic)],
};
const ofGemini = strict.strictGemini([refused.maxOutputOfGemini(65_536), overflow(5_000_000, overflowWords.Gemini)]);

export const kinds: readonly Kind[] = [
  withResponses(chat('OpenAI', 1, 'gpt-5', { ...openAIRules, refuses: [...anyOpenAI, reasons] })),
  withResponses(chat('Azure', 3, 'gpt-5', { ...openAIRules, refuses: [...anyOpenAI, reasons] })),
  withResponses(
    chat('OpenAI, functions at Responses', 1, 'gpt-5.6', {
      ...openAIRules,
      refuses: [functionsAtResponses, ...anyOpenAI, reasons],
    }),
  ),
  withResponses(
    chat('Azure, functions at Responses', 3, 'gpt-5.6', {
      ...openAIRules,
      refuses: [functionsAtResponses, ...anyOpenAI, reasons],
    }),
  ),
  withResponses(
    chat('OpenAI, Responses alone', 1, 'gpt-5.3-codex', { ...openAIRules, refuses: [refused.responsesAlone] }),
  ),
  withResponses(
    chat(
      'OpenAI without reasoning',
      1,
      'gpt-4o',
      { ...openAIRules, thinks: false, refuses: [...anyOpenAI, refused.maxOutputOfOpenAI(16_384)] },
      { learned: /^max_tokens is too large/ },
    ),
  ),
  withResponses(
    chat(
      'Azure, a deployment of gpt-4o',
      3,
      'my-deploy',
      { ...openAIRules, thinks: false, refuses: [...anyOpenAI, refused.maxOutputOfOpenAI(16_384)] },
      // The name of a deployment does not show that its model has no efforts.
      { learned: /^max_tokens is too large|^Unrecognized request argument supplied: reasoning_effort/ },
    ),
  ),
  chat('360', 19, 'gpt-4o', { ...familyRules, thinks: false }),
  chat('Ollama', 4, 'llama3', openModels),
  chat('Ollama, Qwen', 4, 'qwen3.5', qwenTemplate, { learned: laterInstructions }),
  chat('Custom', 8, 'some-model', openModels, { base: '/v1/chat/completions' }),
  chat(
    'Custom, Groq',
    8,
    'openai/gpt-oss-120b',
    { ...looseRules, refuses: [refused.maxOutputOfGroq(8192)] },
    { base: '/v1/chat/completions', learned: /must be less than or equal to/ },
  ),
  one(
    {
      name: 'Anthropic',
      type: 14,
      model: 'claude-sonnet-4-5',
      sees: true,
    },
    messagesSpoken,
    strict.strictMessages(strict.headerBetas, [], [], ofClaude),
  ),
  one(
    {
      name: 'A host of Messages',
      type: 14,
      model: 'claude-sonnet-4-5',
      sees: true,
      learned: /^Unexpected value\(s\) /,
    },
    messagesSpoken,
    strict.strictMessages(strict.headerBetas, [], [], {
      ...ofClaude,
      betas: ['claude-code-20250219', 'context-management-2025-06-27', 'interleaved-thinking-2025-05-14'],
    }),
  ),
  chat(
    'Qwen',
    17,
    'qwen-max',
    { ...familyRules, refuses: [refused.maxOutputOfQwen(8192), tools.toolNamesOfQwen] },
    { learned: /Range of max_tokens should be/ },
  ),
  chat(
    'Qwen 3.5',
    17,
    'qwen3.5-plus',
    { ...familyRules, refuses: [refused.laterInstructions] },
    { learned: laterInstructions },
  ),
  chat('OpenRouter', 20, 'some/model', { fields: [...looseRules.fields, 'reasoning'] }),
  one({ name: 'Gemini', type: 24, model: 'gemini-2.5-flash', sees: true }, geminiSpoken, ofGemini),
  one({ name: 'Gemini 3', type: 24, model: 'gemini-3-pro', sees: true }, geminiSpoken, ofGemini),
  chat('Moonshot', 25, 'kimi-k2-thinking', {
    ...thinking,
    refuses: [missingResults, overflow(2_000_000, overflowWords.Kimi)],
    fields: [...thinking.fields, 'safety_identifier', 'prompt_cache_key'],
  }),
  chat(
    'Zhipu',
    26,
    'glm-4.7',
    { ...thinking, fields: thinking.fields.filter((name) => name !== 'user') },
    { key: 'id.secret' },
  ),
  chat('Yi', 31, 'yi-large', familyRules),
  one(
    { name: 'Bedrock', type: 33, model: 'claude-sonnet-4-5-20250929', key: 'AK|SK|us-east-1', sees: true },
    messagesSpoken,
    strict.strictMessages(strict.bodyBetas, ['anthropic_version', 'anthropic_beta'], ['model', 'stream']),
  ),
  one({ name: 'Cohere', type: 34, model: 'command-a-03-2025', sees: true }, cohereSpoken, strict.strictCohere),
  chat('MiniMax', 35, 'minimax-m2', { ...thinking, refuses: [refused.missingResultsOfMiniMax, brokenArguments] }),
  chat('Cloudflare', 39, '@cf/meta/llama-3.1-8b-instruct', familyRules, { other: 'account' }),
  chat('SiliconFlow', 40, 'Qwen/Qwen3-32B', familyRules),
  chat('Mistral', 42, 'mistral-large-latest', mistralRules),
  chat(
    'DeepSeek',
    43,
    'deepseek-chat',
    {
      ...thinking,
      sees: false,
      refuses: [missingResults, brokenArguments, tools.toolNames, refused.maxOutputOfDeepSeek(8192)],
    },
    { blind: /unknown variant `image_url`/, learned: /^Invalid max_tokens value/ },
  ),
  chat(
    'DeepSeek V4',
    43,
    'deepseek-v4-pro',
    { ...thinking, sees: false, refuses: [missingResults, brokenArguments, refused.everyThought] },
    { blind: /unknown variant `image_url`/ },
  ),
  chat('SiliconFlow, DeepSeek V4', 40, 'deepseek-ai/DeepSeek-V4-Pro', {
    ...familyRules,
    refuses: [refused.everyThought],
  }),
  withResponses(
    chat('Volcano Ark', 45, 'doubao-seed-1-6', {
      ...thinking,
      fields: thinking.fields.filter((name) => name !== 'user'),
    }),
  ),
  chat('Qianfan', 46, 'ernie-4.5', familyRules),
  chat('Xinference', 47, 'some-model', looseRules),
  withResponses(chat('xAI', 48, 'grok-4', familyRules)),
  chat('FastGPT', 22, 'some-app', familyRules),
  chat(
    'Perplexity',
    27,
    'sonar-pro',
    {
      fields: familyRules.fields.filter(
        (name) => !['user', 'tools', 'tool_choice', 'parallel_tool_calls'].includes(name),
      ),
    },
    { onlyTalks: true },
  ),
  chat('SubModel', 53, 'some-model', familyRules),
  chat('Chosen endpoints', 58, 'some-model', looseRules, {
    other: '{"endpoints":{"chat":"/api/chat"},"auth":{"header":"x-key"}}',
  }),
  withAllDialects(
    chat('New API', 60, 'some-model', { ...looseRules, fields: [...looseRules.fields, 'thinking'], developer: true }),
    { generate: true },
  ),
  withAllDialects(chat('vLLM', 62, 'some-model', openModels)),
  withAllDialects(chat('SGLang', 63, 'some-model', openModels)),
  withAllDialects(chat('vLLM, Qwen', 62, 'Qwen/Qwen3.5-35B', qwenTemplate, { learned: laterInstructions })),
  own({ name: 'PaLM', type: 11, model: 'PaLM-2', onlyTalks: true, neverStops: true, onlyWhole: true }, owns.palm),
  own({ name: 'Baidu ERNIE', type: 15, model: 'ERNIE-4.0-8K', key: 'id|secret', onlyTalks: true }, owns.baidu),
  own(
    { name: 'ChatGLM', type: 16, model: 'chatglm_turbo', key: 'id.secret', onlyTalks: true, neverStops: true },
    owns.chatglm,
  ),
  {
    name: 'Spark',
    type: 18,
    model: 'SparkDesk-v3.5',
    key: sparkKey,
    onlyTalks: true,
    neverStops: true,
    at: 'socket',
    sees: false,
    blind: /only accepts text/,
    dialectOf: () => {
      throw new Error('Spark is asked over its WebSocket');
    },
  },
  own(
    {
      name: 'AI Proxy library',
      type: 21,
      model: 'some-model',
      other: '123456',
      onlyTalks: true,
      neverStops: true,
      forgets: true,
    },
    owns.library,
  ),
  own(
    {
      name: 'Hunyuan',
      type: 23,
      model: 'hunyuan-pro',
      key: '1300000000|id|secret',
      blind: /results of tools are text|supported by vision models only/,
    },
    owns.tencent,
  ),
  own(
    {
      name: 'Dify',
      type: 37,
      model: 'some-app',
      key: 'app-key',
      onlyTalks: true,
      neverStops: true,
      blind: /must be web URLs/,
    },
    owns.dify,
  ),
  {
    name: 'Vertex Claude',
    type: 41,
    model: 'claude-sonnet-4-5-20250929',
    sees: true,
    at: 'google',
    dialectOf: () => vertexClaude,
  },
  {
    name: 'Vertex Gemini',
    type: 41,
    model: 'gemini-2.5-flash',
    sees: true,
    at: 'google',
    dialectOf: () => vertexGemini,
  },
  {
    name: 'Vertex Llama',
    type: 41,
    model: 'meta/llama3-405b-instruct-maas',
    sees: true,
    at: 'google',
    dialectOf: () => vertexLlama,
  },
];

/** The refusals of one channel and its model. */
export class Refusals {
  /** Refusals that the provider should not have had to make. */
  unexpected: string[] = [];
  count = 0;
  private readonly met = new Set<string>();
  private readonly learned: readonly RegExp[];

  /** @param learned those that the gateway meets once, and remembers */
  constructor(...learned: ReadonlyArray<RegExp | undefined>) {
    this.learned = learned.filter((each) => each !== undefined);
  }

  /** @param place for the message of a failed check */
  add(place: string, text: string): void {
    this.count++;
    const [words] = this.learned.flatMap((each) => each.exec(text)?.[0] ?? []);
    if (words === undefined) this.unexpected.push(`${place}: ${text}`);
    else if (this.met.has(words)) this.unexpected.push(`${place}, refused again: ${text}`);
    else this.met.add(words);
  }
}

/** The upstream of one kind, and the fields of its channel. */
export interface OpenedKind {
  readonly channel: {
    readonly type: number;
    readonly baseUrl: string;
    readonly key?: string;
    readonly other?: string;
    readonly setting?: string;
  };
  /** Ends the streams that have no end of their own. */
  endStreams(): void;
  stop(): Promise<void>;
}

/**
 * @param folder where the agent works
 * @param refuse checks requests in place of those of the kind
 */
export async function openKind(
  kind: Kind,
  upstream: Upstream,
  folder: string,
  refusals: Refusals,
  refuse?: strict.Refuse,
): Promise<OpenedKind> {
  const { type, key, other, base = '' } = kind;
  const fields = { type, ...(key === undefined ? {} : { key }), ...(other === undefined ? {} : { other }) };
  if (kind.at !== 'socket') {
    const streams = new EventEmitter();
    const endStreams = (): void => void streams.emit('end');
    upstream.script({}, replyOf(kind, folder, refusals, streams, refuse));
    if (kind.at === undefined)
      return { channel: { ...fields, baseUrl: upstream.url + base }, endStreams, stop: () => Promise.resolve() };
    const google = await startGoogle(upstream.url);
    return { channel: { ...fields, ...google.channel, baseUrl: '' }, endStreams, stop: google.stop };
  }
  const { url, endStreams, stop } = await startSpark(
    upstream.requests,
    (text) => refusals.add(kind.name, text),
    (conversation) => respond(conversation, [], folder, kind.onlyTalks),
    refuse,
  );
  return { channel: { ...fields, baseUrl: url }, endStreams, stop };
}

/** The provider of one kind. */
const replyOf =
  (kind: Kind, folder: string, refusals: Refusals, streams: EventEmitter, check?: strict.Refuse): Reply =>
  async (response, request) => {
    const { spoken, refuse, wire = usualWire } = kind.dialectOf(request);
    const aside = wire.aside?.(request) ?? counted(request);
    if (aside !== null) return send(response, 200, aside);
    const refusal = (check ?? refuse)(request);
    if (refusal !== null || !request.body) {
      const text = refusal ?? 'no body';
      refusals.add(`${kind.name} ${request.path}`, text);
      const { status, body } = wire.refused(text);
      return send(response, status, body);
    }
    const { body } = request;
    const model = request.model ?? kind.model;
    const turn = respond(spoken.conversation(body), spoken.tools(body), folder, kind.onlyTalks);
    const framed = request.path.includes('invoke-with-response-stream');
    if (!wire.streams?.(request)) {
      // A provider without streams works on a long response until its caller leaves.
      if (turn.kind === 'endless' && wire.streams === null) {
        await Promise.race([request.ended, once(streams, 'end')]);
        return void response.destroy();
      }
      return send(response, 200, spoken.whole(turn.kind === 'endless' ? { kind: 'text', text: 'on' } : turn, model));
    }
    const write = framed ? awsFrameOf : wire.frame;
    response.writeHead(200, { 'content-type': framed ? 'application/vnd.amazon.eventstream' : 'text/event-stream' });
    const events = spoken.events(turn, model);
    for (const event of events) response.write(write(event));
    const last = events.at(-1);
    if (turn.kind === 'endless' && last) {
      let isOver = false;
      streams.once('end', () => (isOver = true));
      while (!isOver && !request.aborted && !response.destroyed) {
        response.write(write(last));
        await delay(100);
      }
    }
    response.end(framed ? undefined : spoken.done);
  };

/** The count of a prompt, in each provider's own form. */
const counted = ({ path }: ReceivedRequest): Record<string, number> | null =>
  /count[-_]?tokens/i.test(path) ? { input_tokens: 100, inputTokens: 100, totalTokens: 100 } : null;

const usualWire: Wire = {
  streams: ({ stream, path }) => stream || /invoke-with-response-stream|streamGenerateContent/.test(path),
  frame: sseOf,
  refused: (message) => ({
    status: refused.statusOf(message),
    body: { error: { message, type: 'invalid_request_error' } },
  }),
};

function send(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}
