import { AIMessage, HumanMessage, ToolMessage, type AIMessageChunk } from '@langchain/core/messages';
import * as langchain from '@langchain/openai';
import { ChatOpenAI, DallEAPIWrapper, OpenAIEmbeddings } from '@langchain/openai';
import OpenAI from 'openai';
import {
  picture,
  question,
  schema,
  texts,
  toolResult,
  weather,
  type Absent,
  type Place,
  type Results,
  type ToolCall,
} from './clients/sdk-client.js';
import { testClient } from './clients/sdk-grid.js';

const pointed = ({ url, key, model }: Place) => ({
  model,
  apiKey: key,
  maxRetries: 0,
  configuration: { baseURL: `${url}/v1` },
});
const at = (place: Place): ChatOpenAI => new ChatOpenAI(pointed(place));
const throughResponses = (place: Place): ChatOpenAI => new ChatOpenAI({ ...pointed(place), useResponsesApi: true });
const tools = [{ type: 'function' as const, function: { ...weather, parameters: schema } }];

const callsOf = (message: AIMessageChunk | AIMessage): ToolCall[] =>
  (message.tool_calls ?? []).map(({ name, args }) => ({ name, input: args }));

async function afterTool(model: ChatOpenAI, message: AIMessageChunk): Promise<Results['tools']> {
  const calls = message.tool_calls ?? [];
  const results = calls.map(({ id = '' }) => new ToolMessage({ tool_call_id: id, content: toolResult }));
  const history = [new HumanMessage(question), new AIMessage({ content: '', tool_calls: calls }), ...results];
  const last = await model.bindTools(tools).invoke(history);
  return { calls: callsOf(message), answer: last.text };
}

/** Pieces of a stream put together. */
async function gathered(stream: AsyncIterable<AIMessageChunk>): Promise<{ whole: AIMessageChunk; pieces: number }> {
  let whole: AIMessageChunk | null = null;
  let pieces = 0;
  for await (const chunk of stream) {
    if (chunk.text !== '') pieces++;
    whole = whole ? whole.concat(chunk) : chunk;
  }
  if (!whole) throw new Error('nothing came');
  return { whole, pieces };
}

const told = (message: AIMessageChunk): Results['chat'] => ({
  text: message.text,
  prompt: message.usage_metadata?.input_tokens,
  completion: message.usage_metadata?.output_tokens,
});

const absent = (names: RegExp, what: string): Absent => ({
  absent: `it has no ${what}; programs use the client it stands on`,
  proof: () => !Object.keys(langchain).some((name) => names.test(name)),
});

const classes: Readonly<Record<number, abstract new (...given: never[]) => Error>> = {
  400: OpenAI.BadRequestError,
  401: OpenAI.AuthenticationError,
  403: OpenAI.PermissionDeniedError,
  404: OpenAI.NotFoundError,
  429: OpenAI.RateLimitError,
  500: OpenAI.InternalServerError,
};
/** Error codes that the package adds, by status. */
const codes: Readonly<Record<number, string>> = {
  401: 'MODEL_AUTHENTICATION',
  404: 'MODEL_NOT_FOUND',
  429: 'MODEL_RATE_LIMIT',
};

testClient({
  name: '@langchain/openai',
  features: {
    chat: async (place) => told(await at(place).invoke(question)),
    async stream(place) {
      const { whole, pieces } = await gathered(await at(place).stream(question));
      return { ...told(whole), pieces };
    },
    tools: async (place) => afterTool(at(place), await at(place).bindTools(tools).invoke(question)),
    async streamedTools(place) {
      const { whole } = await gathered(await at(place).bindTools(tools).stream(question));
      return afterTool(at(place), whole);
    },
    async vision(place) {
      const url = `data:image/png;base64,${picture}`;
      const content = [
        { type: 'text' as const, text: 'What is it?' },
        { type: 'image_url' as const, image_url: { url } },
      ];
      return (await at(place).invoke([new HumanMessage({ content })])).text;
    },
    json: (place) =>
      at(place).withStructuredOutput(schema, { name: 'place', method: 'jsonSchema', strict: true }).invoke(question),
    async responses(place) {
      const whole = await throughResponses(place).invoke(question);
      const { whole: streamed } = await gathered(await throughResponses(place).stream(question));
      const called = await throughResponses(place).bindTools(tools).invoke(question);
      return { ...told(whole), streamed: streamed.text, ...(await afterTool(throughResponses(place), called)) };
    },
    embeddings: (place) => new OpenAIEmbeddings(pointed(place)).embedDocuments([...texts]),
    async images({ url, key, model }) {
      const wrapper = new DallEAPIWrapper({
        model,
        apiKey: key,
        baseUrl: `${url}/v1`,
        dallEResponseFormat: 'b64_json',
      });
      return [String(await wrapper.invoke('a house'))];
    },
    speech: absent(/speech|tts|audio/i, 'speech'),
    transcription: absent(/whisper|transcri|audio/i, 'transcription'),
  },
  fail: (place) =>
    at(place)
      .invoke(question)
      .then(
        () => null,
        (error: unknown) => error,
      ),
  isTyped: (error, status) => {
    const type = classes[status];
    const code = (error as { lc_error_code?: string } | null)?.lc_error_code;
    return type !== undefined && error instanceof type && code === codes[status];
  },
  async leave(place) {
    const controller = new AbortController();
    const stream = await at(place).stream(question, { signal: controller.signal });
    for await (const chunk of stream) if (chunk.text !== '') break;
    controller.abort();
  },
});
