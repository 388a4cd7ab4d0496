/** The four dialects of a chat call. Clients speak them to this server, and this server speaks them to providers. */
export const dialects = ['openai-chat', 'anthropic-messages', 'gemini-generate', 'openai-responses'] as const;

export type Dialect = (typeof dialects)[number];
