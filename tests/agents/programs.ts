import { type Dialect, type Gateway, type Program } from './program.js';

/**
 * The day on which every version below was the newest that could be installed. Thirty days later `npm run test:agents` fails
 * for each that no longer is: run the newer version, and write its number and the day here.
 */
export const checked = '2026-11-27';

/** Programs that need it run with this Node. */
export const node = '24.21.0';

const platform = `${process.platform}-${process.arch}`;
const json = (value: unknown): string => JSON.stringify(value);

const claudeCode = (
  name: string,
  model: string,
  of: { readonly asked?: string; readonly env: Program['env'] },
): Program => ({
  name,
  packages: ['@anthropic-ai/claude-code@2.1.332'],
  binary: `@anthropic-ai/claude-code-${platform}/claude`,
  speaks: 'Messages',
  model,
  // An image is the result of a tool.
  looksBy: 'tool',
  args: ({ prompt, resume }) => [
    ...['-p', prompt, '--output-format', 'json', '--model', of.asked ?? model, '--allowedTools', 'Read'],
    ...(resume ? ['--continue'] : []),
  ],
  env: (gateway) => ({ ...of.env(gateway), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' }),
});

/** Claude Code as it is set up for Anthropic's own API, and for each host of Claude. */
const claudeCodes: readonly Program[] = [
  claudeCode('Claude Code', 'claude-sonnet-4-5', {
    env: ({ url, key }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key }),
  }),
  claudeCode('Claude Code (Bedrock)', 'claude-sonnet-4-5-20250929', {
    asked: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    env: ({ url, key }) => ({
      CLAUDE_CODE_USE_BEDROCK: '1',
      ANTHROPIC_BEDROCK_BASE_URL: url,
      AWS_BEARER_TOKEN_BEDROCK: key,
      AWS_REGION: 'us-east-1',
    }),
  }),
  claudeCode('Claude Code (Vertex AI)', 'claude-sonnet-4-5-20250929', {
    asked: 'claude-sonnet-4-5@20250929',
    env: ({ url, key }) => ({
      CLAUDE_CODE_USE_VERTEX: '1',
      ANTHROPIC_VERTEX_BASE_URL: `${url}/v1`,
      ANTHROPIC_VERTEX_PROJECT_ID: 'project',
      CLOUD_ML_REGION: 'us-east5',
      CLAUDE_CODE_SKIP_VERTEX_AUTH: '1',
      ANTHROPIC_CUSTOM_HEADERS: `Authorization: Bearer ${key}`,
    }),
  }),
  claudeCode('Claude Code (Foundry)', 'claude-sonnet-4-5', {
    env: ({ url, key }) => ({
      CLAUDE_CODE_USE_FOUNDRY: '1',
      ANTHROPIC_FOUNDRY_BASE_URL: `${url}/anthropic`,
      ANTHROPIC_FOUNDRY_API_KEY: key,
    }),
  }),
];

const codex = (more: Pick<Program, 'name' | 'speaks' | 'overSocket'>): Program => ({
  ...more,
  packages: ['@openai/codex@0.171.0'],
  binary: '.bin/codex',
  model: 'gpt-5',
  files: ({ url }) => ({
    '.codex/config.toml': [
      'model = "gpt-5"',
      'model_provider = "tollgate"',
      'approval_policy = "never"',
      'sandbox_mode = "danger-full-access"',
      '[model_providers.tollgate]',
      'name = "Tollgate"',
      `base_url = "${url}/v1"`,
      'env_key = "TOLLGATE_KEY"',
      'wire_api = "responses"',
      'request_max_retries = 0',
      'stream_max_retries = 0',
      `supports_websockets = ${more.overSocket ?? false}`,
      '[analytics]',
      'enabled = false',
    ].join('\n'),
  }),
  args({ prompt, resume, image }) {
    const flags = ['--json', '--skip-git-repo-check', ...(image ? ['-i', 'picture.png'] : [])];
    return resume ? ['exec', 'resume', '--last', ...flags, '--', prompt] : ['exec', ...flags, '--', prompt];
  },
  env: ({ key }) => ({ TOLLGATE_KEY: key }),
});

const geminiCli: Program = {
  name: 'Gemini CLI',
  packages: ['@google/gemini-cli@0.61.0'],
  binary: '.bin/gemini',
  speaks: 'Gemini',
  model: 'gemini-2.5-flash',
  files: () => ({
    '.gemini/settings.json': json({
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
    }),
  }),
  args: ({ prompt, resume, image }) => [
    ...['-p', image ? `${prompt} @picture.png` : prompt, '-m', 'gemini-2.5-flash', '-y', '--output-format', 'json'],
    ...(resume ? ['--resume', 'latest'] : []),
  ],
  env: ({ url, key }) => ({
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
  }),
};

const qwenCode: Program = {
  name: 'Qwen Code',
  packages: ['@qwen-code/qwen-code@0.24.4'],
  binary: '.bin/qwen',
  speaks: 'Chat completions',
  model: 'gpt-4o',
  dropsRefusedImages: true,
  args: ({ prompt, resume, image }) => [
    ...['-p', image ? `${prompt} @picture.png` : prompt, '-m', 'gpt-4o', '-y', '--output-format', 'json'],
    ...['--auth-type', 'openai', ...(resume ? ['--continue'] : [])],
  ],
  env: ({ url, key }) => ({
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: 'gpt-4o',
    QWEN_TELEMETRY_ENABLED: 'false',
  }),
};

/** OpenCode's provider for each dialect, and the model that it asks. */
const openCodeProviders: Readonly<Record<Dialect, readonly [npm: string, model: string, version: string]>> = {
  'Chat completions': ['@ai-sdk/openai-compatible', 'gpt-4o', '/v1'],
  Responses: ['@ai-sdk/openai', 'gpt-5', '/v1'],
  Messages: ['@ai-sdk/anthropic', 'claude-sonnet-4-5', '/v1'],
  Gemini: ['@ai-sdk/google', 'gemini-2.5-flash', '/v1beta'],
};

function openCodeSettings(speaks: Dialect, { url, key }: Gateway): string {
  const [npm, model, version] = openCodeProviders[speaks];
  return json({
    model: `tollgate/${model}`,
    small_model: `tollgate/${model}`,
    provider: {
      tollgate: {
        npm,
        options: { baseURL: url + version, apiKey: key },
        models: { [model]: { attachment: true, modalities: { input: ['text', 'image'], output: ['text'] } } },
      },
    },
  });
}

const openCode = (speaks: Dialect): Program => {
  const [, model] = openCodeProviders[speaks];
  return {
    name: `OpenCode (${speaks})`,
    packages: ['opencode-ai@1.18.33'],
    binary: `opencode-${platform}/bin/opencode`,
    speaks,
    model,
    files: (gateway) => ({ '.config/opencode/opencode.json': openCodeSettings(speaks, gateway) }),
    args: ({ prompt, resume, image }) => [
      ...['run', prompt, ...(resume ? ['-c'] : []), ...(image ? ['-f', 'picture.png'] : [])],
    ],
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
  };
};

export const openCodeChat = openCode('Chat completions');

/** A fork of OpenCode. Newer versions have no package for Linux, which is the one that has the program. */
const kilo: Program = {
  ...openCodeChat,
  name: 'Kilo',
  packages: [`@kilocode/cli-${platform}@7.7.9`],
  binary: `@kilocode/cli-${platform}/bin/kilo`,
  files: (gateway) => ({ '.config/kilo/kilo.json': openCodeSettings('Chat completions', gateway) }),
};

const copilot = (speaks: Exclude<Dialect, 'Gemini'>, model: string, more: Record<string, string> = {}): Program => ({
  name: `Copilot CLI (${speaks})`,
  packages: ['@github/copilot@1.0.102'],
  binary: `@github/copilot-${platform}/copilot`,
  speaks,
  model,
  // Every model is asked for an effort, and one with a name of Gemini's for tools in a mode that only Gemini has.
  learned: /^Unrecognized request argument supplied: reasoning_effort|^Invalid value: 'validated'/,
  args: ({ prompt, resume, image }) => [
    ...['-p', prompt, '--allow-all', '--no-auto-update', '--disable-builtin-mcps', '--no-custom-instructions'],
    ...[...(resume ? ['--continue'] : []), ...(image ? ['--attachment', 'picture.png'] : [])],
  ],
  env: ({ url, key }) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_MODEL: model,
    COPILOT_PROVIDER_BASE_URL: speaks === 'Messages' ? url : `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: key,
    ...more,
  }),
});

/** Pi's name of the wire form, its base URL, and the model that it asks. */
const piForms: Readonly<Record<Dialect, readonly [api: string, path: string, model: string]>> = {
  'Chat completions': ['openai-completions', '/v1', 'gpt-4o'],
  Responses: ['openai-responses', '/v1', 'gpt-5'],
  Messages: ['anthropic-messages', '', 'claude-sonnet-4-5'],
  Gemini: ['google-generative-ai', '/v1beta', 'gemini-2.5-flash'],
};

const pi = (speaks: Dialect): Program => {
  const [api, path, model] = piForms[speaks];
  return {
    name: `Pi (${speaks})`,
    packages: ['@earendil-works/pi-coding-agent@1.6.0'],
    binary: '.bin/pi',
    speaks,
    model,
    files: ({ url, key }) => ({
      '.pi/agent/models.json': json({
        providers: {
          tollgate: {
            baseUrl: url + path,
            api,
            apiKey: key,
            models: [{ id: model, input: ['text', 'image'], contextWindow: 200_000, maxTokens: 8000 }],
          },
        },
      }),
    }),
    args: ({ prompt, resume, image }) => [
      ...['--provider', 'tollgate', '--model', model, ...(resume ? ['-c'] : []), '-p'],
      ...[...(image ? ['@picture.png'] : []), prompt],
    ],
    env: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0' }),
  };
};

const cline: Program = {
  name: 'Cline',
  packages: ['cline@3.0.65'],
  binary: `@cline/cli-${platform}/bin/cline`,
  speaks: 'Chat completions',
  model: 'gpt-4o',
  before: ({ url, key }) => ['auth', '-p', 'openai', '-k', key, '-m', 'gpt-4o', '-b', `${url}/v1`],
  args: ({ prompt }) => ['-P', 'openai', '-m', 'gpt-4o', prompt],
  env: () => ({}),
  leavesOut: { again: 'has no way to go on without the id of the session', image: 'has no option for images' },
};

/** Needs Python 3.12. Version 3.0.3 needs a package that PyPI does not have any more. */
export const vibe = ['mistral-vibe==3.0.2'];

const mistralVibe: Program = {
  name: 'Mistral Vibe',
  packages: vibe,
  binary: 'vibe',
  speaks: 'Chat completions',
  model: 'gpt-4o',
  files: ({ url }) => ({
    '.vibe/config.toml': [
      'active_model = "tollgate"',
      'enable_telemetry = false',
      'enable_update_checks = false',
      '[[providers]]',
      'name = "tollgate"',
      `api_base = "${url}/v1"`,
      'api_key_env_var = "TOLLGATE_KEY"',
      'api_style = "openai"',
      'backend = "generic"',
      '[[models]]',
      'name = "gpt-4o"',
      'provider = "tollgate"',
      'alias = "tollgate"',
    ].join('\n'),
  }),
  args: ({ prompt, resume }) => ['-p', prompt, '--auto-approve', '--trust', ...(resume ? ['--continue'] : [])],
  env: ({ key }) => ({ TOLLGATE_KEY: key }),
  leavesOut: { image: 'has no option for images' },
};

export const programs: readonly Program[] = [
  ...claudeCodes,
  codex({ name: 'Codex CLI', speaks: 'Responses' }),
  codex({ name: 'Codex CLI over a WebSocket', speaks: 'Responses', overSocket: true }),
  geminiCli,
  qwenCode,
  openCodeChat,
  openCode('Responses'),
  openCode('Messages'),
  openCode('Gemini'),
  // It asks models of Gemini for tools in a mode that only Gemini has.
  copilot('Chat completions', 'gemini-2.5-flash'),
  copilot('Responses', 'gpt-5', { COPILOT_PROVIDER_WIRE_API: 'responses' }),
  copilot('Messages', 'claude-sonnet-4-5', { COPILOT_PROVIDER_TYPE: 'anthropic' }),
  pi('Chat completions'),
  pi('Responses'),
  pi('Messages'),
  pi('Gemini'),
  cline,
  kilo,
  mistralVibe,
];

/** A package, driven by its function in `python_sdks.py`, or in `node_sdks.cjs`. */
export interface Sdk {
  readonly name: string;
  readonly run: string;
  /** `name==version` on PyPI, or `name@version` on npm. Each list has an environment of its own, because packages need different versions of others. */
  readonly packages: readonly string[];
  readonly speaks: Dialect | 'Converse' | 'InvokeModel';
  /** Modules of Python that its function uses. */
  readonly imports?: readonly string[];
  /** A refusal that the package's own requests meet once for each channel and model. */
  readonly learned?: RegExp;
  /** Features that are not tried, with the reason. */
  readonly leavesOut?: Program['leavesOut'];
  readonly looksBy?: Program['looksBy'];
  /** Sends texts at which the response has to end. */
  readonly sendsStops?: true;
}

export const openai = ['openai==3.57.0'];
const anthropic = ['anthropic==2.14.0'];
const google = ['google-genai==3.6.1'];
const langchain = ['langchain-openai==1.7.4'];
export const litellm = ['litellm==1.110.2'];
const pydanticAI = ['pydantic-ai-slim[openai,anthropic,google]==2.68.0'];
const openaiAgents = ['openai-agents==0.24.0'];
const boto3 = ['boto3==1.44.8'];
const awsSdk = ['@aws-sdk/client-bedrock-runtime@3.1164.0'];
const crewAI = {
  packages: ['crewai[anthropic]==1.15.30'],
  imports: ['crewai.tools'],
  leavesOut: { stop: 'its agents do not stream', image: 'its agents take text' },
};

export const sdks: readonly Sdk[] = [
  {
    name: 'openai (chat)',
    run: 'chat',
    packages: openai,
    imports: ['openai.resources.chat'],
    speaks: 'Chat completions',
  },
  {
    name: 'openai (Responses)',
    run: 'responses',
    packages: openai,
    imports: ['openai.resources.responses'],
    speaks: 'Responses',
  },
  {
    name: 'anthropic',
    run: 'anthropic',
    packages: anthropic,
    imports: ['anthropic.resources.messages'],
    speaks: 'Messages',
  },
  { name: 'google-genai', run: 'google', packages: google, imports: ['google.genai'], speaks: 'Gemini' },
  {
    name: 'langchain-openai',
    run: 'langchain',
    packages: langchain,
    imports: ['langchain_openai'],
    speaks: 'Chat completions',
  },
  {
    name: 'LiteLLM SDK (openai/)',
    run: 'litellm_openai',
    packages: litellm,
    imports: ['litellm'],
    speaks: 'Chat completions',
  },
  {
    name: 'LiteLLM SDK (anthropic/)',
    run: 'litellm_anthropic',
    packages: litellm,
    imports: ['litellm'],
    speaks: 'Messages',
  },
  { name: 'LiteLLM SDK (gemini/)', run: 'litellm_gemini', packages: litellm, imports: ['litellm'], speaks: 'Gemini' },
  {
    name: 'LiteLLM SDK (openrouter/)',
    run: 'litellm_openrouter',
    packages: litellm,
    imports: ['litellm'],
    speaks: 'Chat completions',
    // OpenRouter's own field.
    learned: /^Unrecognized request argument supplied: usage|^usage: Extra inputs are not permitted/,
  },
  {
    name: 'pydantic-ai (OpenAIChatModel)',
    run: 'pydantic_chat',
    packages: pydanticAI,
    imports: ['pydantic_ai.models.openai', 'pydantic_ai.providers.openai'],
    speaks: 'Chat completions',
  },
  {
    name: 'pydantic-ai (OpenAIResponsesModel)',
    run: 'pydantic_responses',
    packages: pydanticAI,
    imports: ['pydantic_ai.models.openai', 'pydantic_ai.providers.openai'],
    speaks: 'Responses',
  },
  {
    name: 'pydantic-ai (AnthropicModel)',
    run: 'pydantic_anthropic',
    packages: pydanticAI,
    imports: ['pydantic_ai.models.anthropic', 'pydantic_ai.providers.anthropic'],
    speaks: 'Messages',
  },
  {
    name: 'pydantic-ai (GoogleModel)',
    run: 'pydantic_google',
    packages: pydanticAI,
    imports: ['pydantic_ai.models.google', 'pydantic_ai.providers.google'],
    speaks: 'Gemini',
  },
  {
    name: 'openai-agents (chat)',
    run: 'agents_chat',
    packages: openaiAgents,
    imports: ['agents'],
    speaks: 'Chat completions',
  },
  {
    name: 'openai-agents (Responses)',
    run: 'agents_responses',
    packages: openaiAgents,
    imports: ['agents'],
    speaks: 'Responses',
  },
  {
    name: 'claude-agent-sdk',
    run: 'claude_agent',
    packages: ['claude-agent-sdk==0.2.189'],
    imports: ['claude_agent_sdk'],
    speaks: 'Messages',
    // It gives instructions in turns to models whose names it does not know.
    learned: /^messages: Unexpected role "system"/,
    looksBy: 'tool',
  },
  { name: 'boto3 (Converse)', run: 'converse', packages: boto3, imports: ['boto3'], speaks: 'Converse' },
  { name: 'boto3 (InvokeModel)', run: 'invoke_model', packages: boto3, imports: ['boto3'], speaks: 'InvokeModel' },
  { name: 'AWS SDK for JavaScript (Converse)', run: 'converse', packages: awsSdk, speaks: 'Converse' },
  { name: 'AWS SDK for JavaScript (InvokeModel)', run: 'invoke_model', packages: awsSdk, speaks: 'InvokeModel' },
  { name: 'CrewAI (openai/)', run: 'crewai_openai', ...crewAI, speaks: 'Chat completions' },
  {
    name: 'CrewAI (anthropic/)',
    run: 'crewai_anthropic',
    ...crewAI,
    speaks: 'Messages',
    sendsStops: true,
    learned: /'stop' is not supported with this model/,
  },
];

/** Packages that run the blocks of docs/clients. */
export const python = [...openai, ...anthropic, ...langchain];
export const llamaIndex = ['llama-index-llms-openai-like==0.8.1'];
export const oneApiCli = ['one-api-cli==1.0.0'];
export const gql = ['gql[requests]==4.4.0'];
