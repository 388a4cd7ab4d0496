/** The four dialects of a chat call. Clients use them with us, and we use them with providers. */
export const dialects = ['openai-chat', 'anthropic-messages', 'gemini-generate', 'openai-responses'] as const;

export type Dialect = (typeof dialects)[number];
