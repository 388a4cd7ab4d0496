import { createOpenAICompatible, type OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  Output,
  embedMany,
  generateImage,
  generateText,
  jsonSchema,
  stepCountIs,
  streamText,
  tool,
} from 'ai';
import {
  picture,
  question,
  schema,
  texts,
  toolResult,
  weather,
  type Absent,
  type Place,
  type ToolCall,
} from './clients/sdk-client.js';
import { testClient } from './clients/sdk-grid.js';

const at = ({ url, key }: Place): OpenAICompatibleProvider =>
  createOpenAICompatible({
    name: 'tollgate',
    apiKey: key,
    baseURL: `${url}/v1`,
    supportsStructuredOutputs: true,
    includeUsage: true,
  });
const ask = (place: Place) => ({ model: at(place)(place.model), prompt: question, maxRetries: 0 });

/** The package runs tools by itself and continues. */
function withTools(place: Place) {
  const calls: ToolCall[] = [];
  const tools = {
    weather: tool({
      description: weather.description,
      inputSchema: jsonSchema<{ city: string }>(schema),
      execute: async (input) => {
        calls.push({ name: weather.name, input });
        return toolResult;
      },
    }),
  };
  return { calls, asked: { ...ask(place), tools, stopWhen: stepCountIs(3) } };
}

const absent = (method: string, what: string): Absent => ({
  absent: `a provider of @ai-sdk/openai-compatible has no ${what}`,
  proof: () => !(method in at({ url: 'http://none.example', key: 'none', model: 'none' })),
});

testClient({
  name: 'ai with @ai-sdk/openai-compatible',
  features: {
    async chat(place) {
      const { text, usage } = await generateText(ask(place));
      return { text, prompt: usage.inputTokens, completion: usage.outputTokens };
    },
    async stream(place) {
      const result = streamText(ask(place));
      let pieces = 0;
      for await (const _piece of result.textStream) pieces++;
      const usage = await result.usage;
      return { text: await result.text, prompt: usage.inputTokens, completion: usage.outputTokens, pieces };
    },
    async tools(place) {
      const { calls, asked } = withTools(place);
      const { text } = await generateText(asked);
      return { calls, answer: text };
    },
    async streamedTools(place) {
      const { calls, asked } = withTools(place);
      return { answer: await streamText(asked).text, calls };
    },
    async vision(place) {
      const data = Buffer.from(picture, 'base64');
      const content = [
        { type: 'text' as const, text: 'What is it?' },
        { type: 'file' as const, data, mediaType: 'image/png' },
      ];
      const messages = [{ role: 'user' as const, content }];
      return (await generateText({ model: at(place)(place.model), messages, maxRetries: 0 })).text;
    },
    async json(place) {
      const output = Output.object({ schema: jsonSchema<{ city: string }>(schema) });
      return (await generateText({ ...ask(place), output })).output;
    },
    responses: absent('responses', 'Responses'),
    async embeddings(place) {
      const model = at(place).embeddingModel(place.model);
      return (await embedMany({ model, values: texts, maxRetries: 0 })).embeddings;
    },
    async images(place) {
      const model = at(place).imageModel(place.model);
      const { images } = await generateImage({ model, prompt: 'a house', maxRetries: 0 });
      return images.map(({ base64 }) => base64);
    },
    speech: absent('speechModel', 'speech'),
    transcription: absent('transcriptionModel', 'transcription'),
  },
  fail: (place) =>
    generateText(ask(place)).then(
      () => null,
      (error: unknown) => error,
    ),
  isTyped: (error, status) =>
    APICallError.isInstance(error) &&
    error.statusCode === status &&
    error.isRetryable === (status === 429 || status >= 500),
  async leave(place) {
    const controller = new AbortController();
    const { textStream } = streamText({ ...ask(place), abortSignal: controller.signal });
    for await (const _piece of textStream) break;
    controller.abort();
  },
});
