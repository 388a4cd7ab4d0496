/** The four ways to talk about one chat call. Clients speak them to us, and we speak them to providers. */
export const dialects = ['openai-chat', 'anthropic-messages', 'gemini-generate', 'openai-responses'] as const;

export type Dialect = (typeof dialects)[number];
