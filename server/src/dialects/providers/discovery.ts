import { z } from 'zod';

/** How to list the models of an account. */
export interface Discovery {
  /** @param base the channel's base URL or the provider's default, without a trailing slash */
  request(base: string, key: string): { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** @param body parsed JSON of a 200 @returns model names as channels use them; null when it is not a list of models */
  read(body: unknown): readonly string[] | null;
}

const openAIList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Reads the ids of a list in OpenAI's form. @returns null for another form */
export const readList = (body: unknown): string[] | null =>
  openAIList.safeParse(body).data?.data.map(({ id }) => id) ?? null;

export const bearerOf = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
export const withoutVersion = (base: string): string => base.replace(/\/v1$/, '');

const chatPath = '/chat/completions';

/** `GET /v1/models`, or the sibling path of a URL that ends with `/chat/completions`. */
export const openAIDiscovery: Discovery = {
  request: (base, key) => ({
    url: base.endsWith(chatPath) ? `${base.slice(0, -chatPath.length)}/models` : `${withoutVersion(base)}/v1/models`,
    headers: bearerOf(key),
  }),
  read: readList,
};
