import { z } from 'zod';

/** How to list the models of an account. */
export interface Discovery {
  /** @param base the channel's base URL or the provider's default, without a trailing slash */
  request(base: string, key: string): { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** @param body parsed JSON of a 200 @returns model names as channels use them; null when it is not a list of models */
  read(body: unknown): readonly string[] | null;
}

const openAIList = z.object({ data: z.array(z.object({ id: z.string() })) });
const ollamaList = z.object({ models: z.array(z.object({ name: z.string() })) });

const readList = (body: unknown): string[] | null => openAIList.safeParse(body).data?.data.map(({ id }) => id) ?? null;

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const withoutVersion = (base: string): string => base.replace(/\/v1$/, '');

const chatPath = '/chat/completions';

/** `GET /v1/models`, or the sibling path of a URL that ends with `/chat/completions`. */
export const openAIDiscovery: Discovery = {
  request: (base, key) => ({
    url: base.endsWith(chatPath) ? `${base.slice(0, -chatPath.length)}/models` : `${withoutVersion(base)}/v1/models`,
    headers: bearer(key),
  }),
  read: readList,
};

export const anthropicDiscovery: Discovery = {
  request: (base, key) => ({
    url: `${withoutVersion(base)}/v1/models`,
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
  }),
  read: readList,
};

/** The discovery of Gemini's OpenAI-compatible list, whose names begin with `models/`. */
export const geminiDiscovery: Discovery = {
  request: (base, key) => ({ url: `${base}/v1beta/openai/models`, headers: bearer(key) }),
  read: (body) => readList(body)?.map((name) => name.replace(/^models\//, '')) ?? null,
};

export const ollamaDiscovery: Discovery = {
  request: (base, key) => ({ url: `${withoutVersion(base)}/api/tags`, headers: bearer(key) }),
  read: (body) => ollamaList.safeParse(body).data?.models.map(({ name }) => name) ?? null,
};
