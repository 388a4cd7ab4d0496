/** `gen_ai.operation.name` by the endpoint's route. Names that the conventions do not list are our own. */
const operations: Readonly<Record<string, string>> = {
  chat: 'chat',
  messages: 'chat',
  responses: 'chat',
  responses_compact: 'chat',
  playground: 'chat',
  generate: 'generate_content',
  completions: 'text_completion',
  embeddings: 'embeddings',
};

export const operationOf = (route: string): string => operations[route] ?? route;

/** `gen_ai.provider.name` where the conventions have another name than ours. */
const providers: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  aws: 'aws.bedrock',
  'google gemini': 'gcp.gemini',
  'google palm': 'gcp.gemini',
  'vertex-ai': 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  xai: 'x_ai',
};

export const providerNameOf = (name: string): string => providers[name] ?? name;
