import type { ApiOperation, ApiParameter, ApiSection } from '../platform/http/openapi/operation.js';
import { anything, flag, list, number, object, oneOf, text, whole } from './openapi-shapes.js';

const model = { ...text, description: 'Name of the model' };
const message = object({ role: text, content: oneOf(text, list(anything), { type: 'null' }) }, ['role']);
const tools = list(anything);
const stream = { ...flag, description: 'Answer with server-sent events' };
const usage = object({
  prompt_tokens: whole,
  completion_tokens: whole,
  total_tokens: whole,
  prompt_tokens_details: anything,
  completion_tokens_details: anything,
});

const chatBody = object(
  {
    model,
    messages: list(message),
    stream,
    max_tokens: whole,
    max_completion_tokens: whole,
    temperature: number,
    top_p: number,
    tools,
    tool_choice: oneOf(text, anything),
    response_format: anything,
    reasoning_effort: text,
    stop: oneOf(text, list(text)),
  },
  ['model', 'messages'],
);
const chatResponse = object(
  {
    id: text,
    object: { const: 'chat.completion' },
    created: whole,
    model: text,
    choices: list(object({ index: whole, message, finish_reason: oneOf(text, { type: 'null' }) })),
    usage,
  },
  ['id', 'object', 'choices'],
);
const chatExample = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] };

const responsesBody = object(
  {
    model,
    input: oneOf(text, list(anything)),
    instructions: text,
    previous_response_id: text,
    store: flag,
    stream,
    max_output_tokens: whole,
    tools,
    reasoning: anything,
  },
  ['model', 'input'],
);
const responsesResponse = object({ id: text, object: text, status: text, output: list(anything), usage: anything }, [
  'id',
  'output',
]);
const messagesBody = object(
  {
    model,
    max_tokens: whole,
    messages: list(message),
    system: oneOf(text, list(anything)),
    stream,
    tools,
    tool_choice: anything,
    thinking: anything,
  },
  ['model', 'messages', 'max_tokens'],
);
const messagesResponse = object(
  { id: text, type: { const: 'message' }, role: text, content: list(anything), stop_reason: text, usage: anything },
  ['id', 'type', 'content'],
);
const geminiBody = object({
  contents: list(anything),
  systemInstruction: anything,
  tools,
  generationConfig: anything,
});
const imageResponse = object({ created: whole, data: list(object({ url: text, b64_json: text })), usage: anything });
const audioForm = object({ file: { type: 'string', format: 'binary' }, model, language: text, response_format: text }, [
  'file',
]);
const input = oneOf(text, list(anything));

const id: ApiParameter = { type: 'string', description: 'Id of the response' };
const key = 'key' as const;
const post = (summary: string, operation: Omit<ApiOperation, 'summary' | 'role'>): ApiOperation => ({
  summary,
  role: key,
  ...operation,
});
const unbuilt = (summary: string): ApiOperation => ({
  summary,
  description: 'Not implemented: 501 after the key was checked.',
  role: key,
  response: anything,
  example: { path: { id: 'none', model: 'none' } },
});
const lookUp = (summary: string): ApiOperation => ({ summary, role: key, response: anything, example: {} });

/** Calls of models, in the dialects of OpenAI, Anthropic and Google. */
export const relaySection: ApiSection = {
  name: 'Models',
  description:
    'Called with an API key. Every path under `/v1` also exists under `/hf/v1`, `/v1beta/openai`, `/openai/v1` and `/anthropic/v1`, and clients of Azure OpenAI call `/openai/deployments/{deployment}`, those of Vertex AI `/v1/projects/…`, those of Bedrock `/model/{model}/invoke` and `/model/{model}/converse`. Errors have the form of the dialect: OpenAI, Anthropic (`/v1/messages`), Google (`/v1beta/models`) or Bedrock (`/model`).',
  operations: {
    'GET /v1/models': lookUp('Models that the key may call'),
    'GET /v1/models/:model': {
      ...lookUp('One model'),
      path: { model: { type: 'string', description: 'Name' } },
      example: { path: { model: 'gpt-4o' } },
    },
    'GET /v1beta/models': lookUp('Models that the key may call, in the form of Google'),
    'GET /v1beta/models/:model': {
      ...lookUp('One model, in the form of Google'),
      path: { model: { type: 'string', description: 'Name' } },
      example: { path: { model: 'gpt-4o' } },
    },
    'POST /v1/chat/completions': post('Chat', {
      body: chatBody,
      response: chatResponse,
      streams: true,
      example: { body: chatExample },
    }),
    'POST /v1/responses': post('Response', {
      body: responsesBody,
      response: responsesResponse,
      streams: true,
      example: { body: { model: 'gpt-4o', input: 'Say hello' } },
    }),
    'GET /v1/responses': post('Responses over a WebSocket', { upgrades: true, example: {} }),
    'POST /v1/responses/compact': post('Shorten a conversation', {
      body: responsesBody,
      response: object({ id: text, object: { const: 'response.compaction' }, output: list(anything) }),
      example: { body: { model: 'gpt-4o', input: 'A long conversation' } },
    }),
    'POST /v1/responses/input_tokens': post('Count the input tokens of a response. Free', {
      body: responsesBody,
      response: object({ object: text, input_tokens: whole }, ['input_tokens']),
      example: { body: { model: 'gpt-4o', input: 'Say hello' } },
    }),
    'GET /v1/responses/:id': post('A stored response', {
      path: { id },
      response: responsesResponse,
      example: { path: { id: 'resp_none' } },
    }),
    'DELETE /v1/responses/:id': post('Delete a stored response', {
      path: { id },
      response: object({ id: text, deleted: flag }),
      example: { path: { id: 'resp_none' } },
    }),
    'GET /v1/responses/:id/input_items': post('Input of a stored response', {
      path: { id },
      response: object({ object: { const: 'list' }, data: list(anything) }),
      example: { path: { id: 'resp_none' } },
    }),
    'POST /v1/responses/:id/cancel': post('Cancel a response of a provider that runs it in the background', {
      path: { id },
      response: responsesResponse,
      example: { path: { id: 'resp_none' } },
    }),
    'POST /v1/messages': post('Message, in the dialect of Anthropic', {
      body: messagesBody,
      response: messagesResponse,
      streams: true,
      example: { body: { model: 'gpt-4o', max_tokens: 100, messages: [{ role: 'user', content: 'Say hello' }] } },
    }),
    'POST /v1/messages/count_tokens': post('Count the input tokens of a message. Free', {
      body: object({ model, messages: list(message) }, ['model', 'messages']),
      response: object({ input_tokens: whole }, ['input_tokens']),
      example: { body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] } },
    }),
    'POST /v1beta/models/*': post('Call of a model, in the dialect of Google', {
      description:
        'The path ends with `{model}:generateContent`, `:streamGenerateContent`, `:countTokens`, `:embedContent` or `:batchEmbedContents`.',
      path: { '*': { type: 'string', description: 'Model and method' } },
      body: geminiBody,
      response: object({ candidates: list(anything), usageMetadata: anything }),
      streams: true,
      example: {
        path: { '*': 'gpt-4o:generateContent' },
        body: { contents: [{ role: 'user', parts: [{ text: 'Say hello' }] }] },
      },
    }),
    'POST /v1/completions': post('Legacy completion', {
      body: object({ model, prompt: input, stream, max_tokens: whole }, ['model', 'prompt']),
      response: object({ id: text, choices: list(anything), usage }),
      streams: true,
      example: { body: { model: 'gpt-4o', prompt: 'Say hello' } },
    }),
    'POST /v1/fim/completions': post('Completion between a prompt and a suffix, in the dialect of Mistral', {
      body: object({ model, prompt: text, suffix: text, stream, max_tokens: whole }, ['model', 'prompt']),
      response: chatResponse,
      streams: true,
      example: { body: { model: 'gpt-4o', prompt: 'def add(a, b):', suffix: 'print(add(1, 2))' } },
    }),
    'POST /v1/embeddings': post('Embeddings', {
      body: object({ model, input, dimensions: whole, encoding_format: text }, ['model', 'input']),
      response: object({ object: { const: 'list' }, data: list(anything), usage }, ['data']),
      example: { body: { model: 'text-embedding-3-small', input: 'hello' } },
    }),
    'POST /v1/engines/:model/embeddings': post('Embeddings of a model that the path names', {
      path: { model: { type: 'string', description: 'Name' } },
      body: object({ input }, ['input']),
      response: object({ object: { const: 'list' }, data: list(anything), usage }, ['data']),
      example: { path: { model: 'text-embedding-3-small' }, body: { input: 'hello' } },
    }),
    'POST /v1/moderations': post('Moderation', {
      body: object({ model, input }, ['input']),
      response: object({ id: text, results: list(anything) }, ['results']),
      example: { body: { model: 'omni-moderation-latest', input: 'hello' } },
    }),
    'POST /v1/rerank': post('Order documents by relevance', {
      body: object(
        { model, query: text, documents: list(oneOf(text, anything)), top_n: whole, return_documents: flag },
        ['model', 'query', 'documents'],
      ),
      response: object({ results: list(anything) }, ['results']),
      example: { body: { model: 'rerank-english-v3.0', query: 'tea', documents: ['coffee', 'tea'] } },
    }),
    'POST /v1/images/generations': post('Image', {
      body: object({ model, prompt: text, n: whole, size: text, quality: text, response_format: text }, ['prompt']),
      response: imageResponse,
      streams: true,
      example: { body: { model: 'dall-e-3', prompt: 'a lighthouse' } },
    }),
    'POST /v1/images/edits': post('Change an image', {
      description: 'A form, or JSON with `images` and `mask`: each an object with an `image_url` or a `file_id`.',
      form: object({ model, prompt: text, image: { type: 'string', format: 'binary' } }, ['prompt', 'image']),
      response: imageResponse,
      example: {},
    }),
    'POST /v1/audio/speech': post('Speech', {
      body: object({ model, input: text, voice: text, response_format: text, speed: number }, ['input', 'voice']),
      media: 'audio/mpeg',
      example: { body: { model: 'tts-1', input: 'hello', voice: 'alloy' } },
    }),
    'POST /v1/audio/transcriptions': post('Text of a recording', {
      form: audioForm,
      response: object({ text }),
      example: {},
    }),
    'POST /v1/audio/translations': post('English text of a recording', {
      form: audioForm,
      response: object({ text }),
      example: {},
    }),
    'GET /v1/realtime': post('Realtime session over a WebSocket', {
      query: { model: { type: 'string', description: 'Name of the model', required: true } },
      upgrades: true,
      example: { query: { model: 'gpt-realtime' } },
    }),
    'POST /pg/chat/completions': {
      summary: "The console's playground",
      description: 'A session and the user-id header, no access token. `group` chooses one of the groups of the user.',
      role: 'common',
      body: object({ model, group: text, messages: list(message), stream }, ['model', 'messages']),
      response: chatResponse,
      streams: true,
      example: { body: chatExample },
    },
    'POST /v1/edits': unbuilt('Edits'),
    'POST /v1/images/variations': unbuilt('Variations of an image'),
    'GET /v1/files': unbuilt('Files'),
    'POST /v1/files': unbuilt('Upload a file'),
    'DELETE /v1/files/:id': unbuilt('Delete a file'),
    'GET /v1/files/:id': unbuilt('A file'),
    'GET /v1/files/:id/content': unbuilt('Content of a file'),
    'POST /v1/fine-tunes': unbuilt('Start fine-tuning'),
    'GET /v1/fine-tunes': unbuilt('Fine-tunings'),
    'GET /v1/fine-tunes/:id': unbuilt('A fine-tuning'),
    'POST /v1/fine-tunes/:id/cancel': unbuilt('Cancel a fine-tuning'),
    'GET /v1/fine-tunes/:id/events': unbuilt('Events of a fine-tuning'),
    'DELETE /v1/models/:model': unbuilt('Delete a model'),
  },
};
