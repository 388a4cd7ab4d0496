import { z } from 'zod';

/** The shape of an object. Fields that are not listed reach providers that know them. */
export const open = <Required extends z.ZodRawShape, Optional extends z.ZodRawShape>(
  required: Required,
  optional: Optional,
) => z.looseObject(required).extend(z.object(optional).partial().shape);

export const text = z.string();
export const whole = z.int();
export const flag = z.boolean();
export const file = z.file();
export const anything = z.looseObject({});
export const list = z.array(anything);
export const input = z.union([text, list]);

export const model = text.describe('Name of the model');
export const stream = flag.describe('Answer with server-sent events');
export const message = open({ role: text }, { content: z.union([text, list, z.null()]) });
export const usage = open(
  {},
  {
    prompt_tokens: whole,
    completion_tokens: whole,
    total_tokens: whole,
    prompt_tokens_details: anything,
    completion_tokens_details: anything,
  },
);

export const chatBody = open(
  { model, messages: z.array(message) },
  {
    stream,
    max_tokens: whole,
    max_completion_tokens: whole,
    temperature: z.number(),
    top_p: z.number(),
    tools: list,
    tool_choice: z.union([text, anything]),
    response_format: anything,
    reasoning_effort: text,
    stop: z.union([text, z.array(text)]),
  },
);
export const chatResponse = open(
  {
    id: text,
    object: z.literal('chat.completion'),
    choices: z.array(open({}, { index: whole, message, finish_reason: text.nullable() })),
  },
  { created: whole, model: text, usage },
);
export const chatExample = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] };
