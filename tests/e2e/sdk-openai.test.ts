import OpenAI, { toFile } from 'openai';
import { wav } from '../support/wav.js';
import {
  picture,
  question,
  schema,
  texts,
  toolResult,
  weather,
  type Place,
  type Results,
  type ToolCall,
} from './clients/sdk-client.js';
import { testClient } from './clients/sdk-grid.js';

const at = ({ url, key }: Place): OpenAI => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: question }];
const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { ...weather, parameters: schema } }];
const toolsOfResponses: OpenAI.Responses.Tool[] = [{ type: 'function', ...weather, parameters: schema, strict: true }];

const callsOf = (message: OpenAI.ChatCompletionMessage | undefined): ToolCall[] =>
  (message?.tool_calls ?? []).map((call) =>
    call.type === 'function'
      ? { name: call.function.name, input: JSON.parse(call.function.arguments) as unknown }
      : { name: call.custom.name, input: call.custom.input },
  );

/** @param message in which the model called */
async function afterTool(place: Place, message: OpenAI.ChatCompletionMessage | undefined): Promise<Results['tools']> {
  if (!message) throw new Error('no answer');
  const results = (message.tool_calls ?? []).map(({ id }): OpenAI.ChatCompletionMessageParam => ({
    role: 'tool',
    tool_call_id: id,
    content: toolResult,
  }));
  const last = await at(place).chat.completions.create({
    model: place.model,
    messages: [...messages, message, ...results],
    tools,
  });
  return { calls: callsOf(message), answer: last.choices[0]?.message.content ?? '' };
}

async function responses(place: Place): Promise<Results['responses']> {
  const { model } = place;
  const whole = await at(place).responses.create({ model, input: question });
  const streamed = await at(place).responses.stream({ model, input: question }).finalResponse();
  const called = await at(place).responses.create({ model, input: question, tools: toolsOfResponses });
  const calls = called.output.filter((item) => item.type === 'function_call');
  const answer = await at(place).responses.create({
    model,
    tools: toolsOfResponses,
    input: [
      { role: 'user', content: question },
      ...calls,
      ...calls.map(({ call_id }) => ({ type: 'function_call_output' as const, call_id, output: toolResult })),
    ],
  });
  return {
    text: whole.output_text,
    prompt: whole.usage?.input_tokens,
    completion: whole.usage?.output_tokens,
    streamed: streamed.output_text,
    calls: calls.map(({ name, arguments: input }) => ({ name, input: JSON.parse(input) as unknown })),
    answer: answer.output_text,
  };
}

const classes: Readonly<Record<number, abstract new (...given: never[]) => Error>> = {
  400: OpenAI.BadRequestError,
  401: OpenAI.AuthenticationError,
  403: OpenAI.PermissionDeniedError,
  404: OpenAI.NotFoundError,
  429: OpenAI.RateLimitError,
  500: OpenAI.InternalServerError,
};

testClient({
  name: 'openai',
  features: {
    async chat(place) {
      const { choices, usage } = await at(place).chat.completions.create({ model: place.model, messages });
      return {
        text: choices[0]?.message.content ?? '',
        prompt: usage?.prompt_tokens,
        completion: usage?.completion_tokens,
      };
    },
    async stream(place) {
      const stream = at(place).chat.completions.stream({
        model: place.model,
        messages,
        stream_options: { include_usage: true },
      });
      let pieces = 0;
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) pieces++;
      const { choices, usage } = await stream.finalChatCompletion();
      return {
        text: choices[0]?.message.content ?? '',
        prompt: usage?.prompt_tokens,
        completion: usage?.completion_tokens,
        pieces,
      };
    },
    async tools(place) {
      const answer = await at(place).chat.completions.create({ model: place.model, messages, tools });
      return afterTool(place, answer.choices[0]?.message);
    },
    async streamedTools(place) {
      const stream = at(place).chat.completions.stream({ model: place.model, messages, tools });
      return afterTool(place, (await stream.finalChatCompletion()).choices[0]?.message);
    },
    async vision(place) {
      const url = `data:image/png;base64,${picture}`;
      const answer = await at(place).chat.completions.create({
        model: place.model,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is it?' },
              { type: 'image_url', image_url: { url } },
            ],
          },
        ],
      });
      return answer.choices[0]?.message.content ?? '';
    },
    async json(place) {
      const answer = await at(place).chat.completions.parse({
        model: place.model,
        messages,
        response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
      });
      return JSON.parse(answer.choices[0]?.message.content ?? '') as unknown;
    },
    responses,
    async embeddings(place) {
      const { data } = await at(place).embeddings.create({ model: place.model, input: texts });
      return data.map(({ embedding }) => embedding);
    },
    async images(place) {
      const { data = [] } = await at(place).images.generate({
        model: place.model,
        prompt: 'a house',
      });
      return data.map(({ b64_json: encoded }) => encoded ?? '');
    },
    async speech(place) {
      const answer = await at(place).audio.speech.create({ model: place.model, input: 'Hello', voice: 'alloy' });
      return new Uint8Array(await answer.arrayBuffer());
    },
    async transcription(place) {
      const file = await toFile(wav(2), 'talk.wav', { type: 'audio/wav' });
      return (await at(place).audio.transcriptions.create({ model: place.model, file })).text;
    },
  },
  fail: (place) =>
    at(place)
      .chat.completions.create({ model: place.model, messages })
      .then(
        () => null,
        (error: unknown) => error,
      ),
  isTyped: (error, status) => {
    const type = classes[status];
    return type !== undefined && error instanceof type && error instanceof OpenAI.APIError && error.status === status;
  },
  async leave(place) {
    const stream = await at(place).chat.completions.create({ model: place.model, messages, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    stream.controller.abort();
  },
});
