import Anthropic from '@anthropic-ai/sdk';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import {
  picture,
  question,
  schema,
  toolResult,
  weather,
  type Absent,
  type Place,
  type Results,
} from './clients/sdk-client.js';
import { testClient } from './clients/sdk-grid.js';

const at = ({ url, key }: Place): Anthropic => new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];
const ask = ({ model }: Place) => ({ model, max_tokens: 100, messages });
const tools: Anthropic.Tool[] = [{ ...weather, input_schema: schema }];

const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

async function afterTool(place: Place, message: Anthropic.Message): Promise<Results['tools']> {
  const uses = message.content.filter((block) => block.type === 'tool_use');
  expect(message.stop_reason).toBe('tool_use');
  const results = uses.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: toolResult }));
  const last = await at(place).messages.create({
    ...ask(place),
    tools,
    messages: [...messages, { role: 'assistant', content: message.content }, { role: 'user', content: results }],
  });
  return { calls: uses.map(({ name, input }) => ({ name, input })), answer: textOf(last) };
}

const absent = (resource: string, what: string): Absent => ({
  absent: `it has no ${what}`,
  proof: () => !(resource in new Anthropic({ apiKey: 'none' })),
});

const classes: Readonly<Record<number, abstract new (...given: never[]) => Error>> = {
  400: Anthropic.BadRequestError,
  401: Anthropic.AuthenticationError,
  403: Anthropic.PermissionDeniedError,
  404: Anthropic.NotFoundError,
  429: Anthropic.RateLimitError,
  500: Anthropic.InternalServerError,
};

testClient({
  name: '@anthropic-ai/sdk',
  features: {
    async chat(place) {
      const answer = await at(place).messages.create(ask(place));
      expect(answer.stop_reason).toBe('end_turn');
      return { text: textOf(answer), prompt: answer.usage.input_tokens, completion: answer.usage.output_tokens };
    },
    async stream(place) {
      const stream = at(place).messages.stream(ask(place));
      let pieces = 0;
      stream.on('text', () => pieces++);
      const answer = await stream.finalMessage();
      const { input_tokens: prompt, output_tokens: completion } = answer.usage;
      return { text: textOf(answer), prompt, completion, pieces };
    },
    tools: async (place) => afterTool(place, await at(place).messages.create({ ...ask(place), tools })),
    streamedTools: async (place) =>
      afterTool(
        place,
        await at(place)
          .messages.stream({ ...ask(place), tools })
          .finalMessage(),
      ),
    async vision(place) {
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: picture };
      const content: Anthropic.ContentBlockParam[] = [
        { type: 'text', text: 'What is it?' },
        { type: 'image', source },
      ];
      return textOf(await at(place).messages.create({ ...ask(place), messages: [{ role: 'user', content }] }));
    },
    async json(place) {
      const format = jsonSchemaOutputFormat(schema);
      return (await at(place).messages.parse({ ...ask(place), output_config: { format } })).parsed_output;
    },
    responses: absent('responses', 'Responses'),
    embeddings: absent('embeddings', 'embeddings'),
    images: absent('images', 'images'),
    speech: absent('audio', 'speech'),
    transcription: absent('audio', 'transcription'),
  },
  fail: (place) =>
    at(place)
      .messages.create(ask(place))
      .then(
        () => null,
        (error: unknown) => error,
      ),
  isTyped: (error, status) => {
    const type = classes[status];
    return (
      type !== undefined && error instanceof type && error instanceof Anthropic.APIError && error.status === status
    );
  },
  async leave(place) {
    const stream = at(place).messages.stream(ask(place));
    for await (const event of stream) if (event.type === 'content_block_delta') break;
    stream.abort();
  },
});
