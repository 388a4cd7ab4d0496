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
