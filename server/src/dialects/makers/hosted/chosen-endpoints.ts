import { z } from 'zod';
import { InvalidInputError } from '../../../shared/errors.js';
import type { Adapter } from '../../contract.js';
import type { Target } from '../../target.js';
import { bearerIfGiven } from '../openai-compatible/address.js';
import { deploymentRules } from '../openai-compatible/chat-body.js';
import type { OpenAiVariant } from '../openai-compatible/variant.js';
import { openAICompatible } from '../openai-compatible/openai-compatible.js';
import { baseOf } from '../openai-compatible/own-dialect.js';
import { hostedMessages } from './hosted-messages.js';

const path = z
  .string()
  .regex(/^\/[\x21-\x7e]*$/, 'must begin with a slash')
  .max(1000);
const oneShots = [
  ...['completions', 'embeddings', 'moderations', 'rerank', 'images', 'imageEdits', 'speech'],
  ...['transcription', 'translation'],
] as const;

/** `other` of a channel of type 58 (docs/reference/providers/openai-family.md#chosen-endpoints). */
const chosen = z.strictObject({
  endpoints: z.partialRecord(z.enum(['chat', 'responses', 'messages', ...oneShots]), path),
  auth: z
    .strictObject({
      header: z
        .string()
        .regex(/^[a-z][a-z0-9-]{0,63}$/i, 'must be a header name')
        .transform((name) => name.toLowerCase()),
      scheme: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/)
        .optional(),
    })
    .optional(),
});
type Chosen = z.infer<typeof chosen>;

/** @throws InvalidInputError naming the first error */
export function checkChosenEndpoints(other: string): void {
  if (other.trim() === '') return;
  const parsed = chosen.safeParse(parsedJson(other));
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  throw new InvalidInputError(
    `other: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is invalid'}`.trim(),
    'variant',
  );
}

/** @param other JSON; chat, completions and embeddings at the client's own paths when it is empty or invalid */
export function chosenEndpoints(other: string): Adapter {
  const { endpoints, auth } = chosen.safeParse(parsedJson(other)).data ?? defaults;
  const { chat, responses, messages, ...rest } = endpoints;
  const credentials: OpenAiVariant['credentials'] = auth ? (target) => credentialsOf(target, auth) : bearerIfGiven;
  return {
    ...openAICompatible({
      chat: chat ?? false,
      ...(responses === undefined ? {} : { responses }),
      capabilities: rest,
      credentials,
      rules: deploymentRules,
    }),
    ...(messages === undefined ? {} : { messages: withCredentials(messages, credentials) }),
  };
}

const defaults: Chosen = {
  endpoints: { chat: '/v1/chat/completions', completions: '/v1/completions', embeddings: '/v1/embeddings' },
};

const credentialsOf = ({ key }: Target, { header, scheme }: NonNullable<Chosen['auth']>): Record<string, string> =>
  key.trim() === '' ? {} : { [header]: scheme === undefined ? key : `${scheme} ${key}` };

function withCredentials(place: string, credentials: NonNullable<OpenAiVariant['credentials']>): Adapter['messages'] {
  const capability = hostedMessages((target) => baseOf(target) + place);
  return {
    ...capability,
    toUpstreamRequest(request, target) {
      const sent = capability.toUpstreamRequest(request, target);
      const { authorization: _authorization, ...headers } = sent.headers;
      return { ...sent, headers: { ...headers, ...credentials(target) } };
    },
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
