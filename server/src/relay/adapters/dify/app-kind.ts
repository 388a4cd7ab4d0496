/** The kind of app that a key belongs to, from the channel's field `other`. */
export const appKinds = ['chat', 'agent', 'workflow', 'completion'] as const;
export type AppKind = (typeof appKinds)[number];

/** The kind of app of a channel; `chat` by default. */
export const appKindOf = ({ other }: { readonly other: string }): AppKind =>
  appKinds.find((kind) => kind === other.trim().toLowerCase()) ?? 'chat';

/** API path by kind of app. */
export const pathOf: Readonly<Record<AppKind, string>> = {
  chat: '/v1/chat-messages',
  agent: '/v1/chat-messages',
  workflow: '/v1/workflows/run',
  completion: '/v1/completion-messages',
};
