/**
 * The most that models take and produce, in tokens: input, output, names. 0: not published. From the public price tables of
 * the providers, as of 2026-11. A dated name is listed only where it differs from the name without its date. An operator's
 * own figures are in the option `ModelMaxOutput`.
 */
export const publishedLimits: ReadonlyArray<readonly [input: number, output: number, names: string]> = [
  [512, 512, 'llama-prompt-guard-2-22m llama-prompt-guard-2-86m'],
  [
    4096,
    4096,
    'command-nightly llama-2-70b-chat mistral-7b-instruct mixtral-8x7b-instruct pplx-70b-chat pplx-70b-online ' +
      'pplx-7b-online',
  ],
  [8192, 1024, 'computer-use-preview'],
  [8192, 4096, 'gpt-3.5-turbo-instruct gpt-4'],
  [8192, 4097, 'gpt-3.5-turbo-instruct-0914'],
  [
    8192,
    8192,
    'gemini-gemma-2-27b-it gemini-gemma-2-9b-it llama-guard-3-8b moonshot-v1-8k moonshot-v1-8k-vision-preview ' +
      'pplx-7b-chat',
  ],
  [8192, 16_384, 'gemini-2.5-pro-preview-tts'],
  [12_000, 12_000, 'sonar-medium-online sonar-small-online'],
  [16_384, 4096, 'babbage-002 davinci-002'],
  [16_384, 16_384, 'codellama-34b-instruct codellama-70b-instruct sonar-medium-chat sonar-small-chat'],
  [16_385, 4096, 'gpt-3.5-turbo gpt-3.5-turbo-16k'],
  [30_720, 8192, 'qwen-max'],
  [32_000, 4096, 'gpt-realtime gpt-realtime-1.5 gpt-realtime-mini'],
  [32_000, 8191, 'codestral-2405 mistral-small mistral-tiny'],
  [32_767, 8192, 'learnlm-1.5-pro-experimental'],
  [32_768, 32_768, 'moonshot-v1-32k moonshot-v1-32k-vision-preview voxtral-small-2507 voxtral-small-latest'],
  [65_536, 8192, 'deepseek-r1 deepseek-v3'],
  [98_304, 8192, 'qwq-plus'],
  [98_304, 32_768, 'deepseek-v3-2-251201'],
  [128_000, 4000, 'c4ai-aya-expanse-32b'],
  [
    128_000,
    4096,
    'command-r-08-2024 command-r-plus-08-2024 command-r7b-12-2024 deepseek-coder gpt-4-1106-preview gpt-4-turbo ' +
      'gpt-4o-2024-05-13 gpt-4o-mini-realtime-preview gpt-4o-realtime-preview',
  ],
  [
    128_000,
    16_384,
    'gpt-4o gpt-4o-audio-preview-2024-12-17 gpt-4o-audio-preview-2025-06-03 gpt-4o-mini ' +
      'gpt-4o-mini-audio-preview-2024-12-17 gpt-4o-mini-search-preview gpt-4o-search-preview gpt-5-chat ' +
      'gpt-5.1-chat-latest gpt-5.2-chat-latest gpt-5.3-chat-latest gpt-audio gpt-audio-1.5 gpt-audio-mini',
  ],
  [
    128_000,
    32_000,
    'glm-4-32b-0414-128k glm-4.5 glm-4.5-air glm-4.5-airx glm-4.5-flash glm-4.5-x glm-4.5v gpt-realtime-2 gpt-realtime-2.1 gpt-realtime-2.1-mini',
  ],
  [128_000, 64_000, 'command-a-plus-05-2026 gemini-2.5-computer-use-preview-10-2025'],
  [
    128_000,
    128_000,
    'codestral-2508 codestral-latest mistral-code-fim-latest mistral-code-latest open-mistral-nemo ' +
      'pixtral-large-latest sonar sonar-deep-research sonar-reasoning sonar-reasoning-pro',
  ],
  [129_024, 8192, 'qwen-plus-2025-01-25'],
  [129_024, 16_384, 'qwen-plus qwen-turbo qwen3-30b-a3b'],
  [
    131_072,
    8192,
    'deepseek-chat gemma-3-27b-it lyria-3-clip-preview lyria-3-pro-preview lyria-3.5-clip-preview ' +
      'lyria-3.5-pro-preview',
  ],
  [131_072, 16_384, 'qwen3.8-27b'],
  [
    131_072,
    32_768,
    'qwen3-vl-235b-a22b-instruct qwen3-vl-235b-a22b-thinking qwen3-vl-32b-instruct qwen3-vl-32b-thinking',
  ],
  [
    131_072,
    65_536,
    'deepseek-reasoner gemini-omni-flash-preview gemini-robotics-er-2-preview ' +
      'gemini-robotics-er-2-streaming-preview gpt-oss-120b gpt-oss-20b gpt-oss-safeguard-20b lyria-3.5',
  ],
  [
    131_072,
    131_072,
    'llama-3.1-70b-instruct llama-3.1-8b-instruct ministral-3-3b-2512 ministral-3b-2512 ministral-3b-latest ' +
      'moonshot-v1-128k moonshot-v1-128k-vision-preview moonshot-v1-auto',
  ],
  [163_840, 163_840, 'deepseek-v3.2'],
  [200_000, 8000, 'sonar-pro'],
  [200_000, 8192, 'MiniMax-M2'],
  [200_000, 64_000, 'claude-haiku-4-5 claude-opus-4-5 claude-sonnet-4-5'],
  [200_000, 100_000, 'o1 o1-pro o3 o3-deep-research o3-mini o3-pro o4-mini o4-mini-deep-research'],
  [200_000, 128_000, 'glm-4.6 glm-4.7 glm-4.7-flash glm-5 glm-5-code glm-5v-turbo'],
  [202_745, 131_072, 'glm-5.1'],
  [204_800, 131_072, 'glm-4-7-251222'],
  [229_376, 16_384, 'kimi-k2.7-code'],
  [229_376, 32_768, 'kimi-k2-thinking-251104'],
  [256_000, 8000, 'command-a-03-2025'],
  [
    256_000,
    128_000,
    'doubao-seed-2-0-code-preview-260215 doubao-seed-2-0-lite-260215 doubao-seed-2-0-mini-260215 ' +
      'doubao-seed-2-0-pro-260215',
  ],
  [
    256_000,
    256_000,
    'codestral-mamba-latest devstral-latest devstral-medium-latest devstral-small-latest ' +
      'doubao-seed-2-1-pro-260628 doubao-seed-2-1-turbo-260628 grok-build-0.1 grok-code-fast grok-code-fast-1 ' +
      'mistral-code-agent-latest',
  ],
  [258_048, 65_536, 'qwen3-max qwen3-max-preview'],
  [260_096, 32_768, 'qwen3-vl-plus'],
  [262_144, 32_768, 'gemma-4-26b-a4b-it gemma-4-31b-it'],
  [262_144, 65_536, 'qwen3-next-80b-a3b-instruct qwen3-next-80b-a3b-thinking'],
  [262_144, 131_072, 'labs-leanstral-1-5 labs-leanstral-1-5-1'],
  [
    262_144,
    262_144,
    'kimi-k2.5 kimi-k2.6 magistral-medium-latest magistral-small-latest ministral-14b-2512 ministral-14b-latest ' +
      'ministral-3-14b-2512 ministral-3-8b-2512 ministral-8b-2512 ministral-8b-latest mistral-large-2512 ' +
      'mistral-large-3 mistral-large-latest mistral-medium mistral-medium-3 mistral-medium-3-5 mistral-medium-3.5 ' +
      'mistral-small-2603 mistral-small-latest mistral-vibe-cli-fast mistral-vibe-cli-latest ' +
      'mistral-vibe-cli-with-tools',
  ],
  [
    272_000,
    128_000,
    'gpt-5 gpt-5-codex gpt-5-mini gpt-5-nano gpt-5-search-api gpt-5.1 gpt-5.2 gpt-5.2-codex gpt-5.2-pro ' +
      'gpt-5.3-codex gpt-5.4-mini gpt-5.4-nano',
  ],
  [
    400_000,
    128_000,
    'chat-latest daybreak-red-latest gpt-5.1-codex gpt-5.1-codex-max gpt-5.1-codex-mini gpt-5.6-cyber ' +
      'gpt-daybreak-red-latest',
  ],
  [400_000, 272_000, 'gpt-5-pro'],
  [500_000, 500_000, 'grok-4.5 grok-4.6 grok-4.7 grok-build-latest'],
  [
    922_000,
    128_000,
    'daybreak-blue-latest gpt-5.6 gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6-astra gpt-6-astra-law gpt-6-luna ' +
      'gpt-6-rosalind gpt-6-sol gpt-6.1-sol gpt-6.1-terra gpt-daybreak-blue-latest',
  ],
  [991_808, 65_536, 'qwen3.5-plus qwen3.7-max qwen3.7-plus'],
  [991_808, 131_072, 'qwen3.8-flash qwen3.8-max qwen3.8-omni-flash'],
  [997_952, 32_768, 'qwen-flash qwen-plus-2025-07-28 qwen-plus-2025-09-11 qwen-plus-latest'],
  [997_952, 65_536, 'qwen3-coder-flash qwen3-coder-plus'],
  [1_000_000, 8192, 'MiniMax-M2.1 MiniMax-M2.1-lightning MiniMax-M2.5 MiniMax-M2.5-lightning qwen-turbo-2024-11-01'],
  [1_000_000, 16_384, 'qwen-coder qwen-turbo-2025-04-28 qwen-turbo-latest'],
  [
    1_000_000,
    128_000,
    'MiniMax-M3 claude-fable-5 claude-fable-5-1 claude-haiku-5-5 claude-mythos-5 claude-mythos-5-1 ' +
      'claude-mythos-preview claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-opus-5-5 ' +
      'claude-sonnet-4-6 claude-sonnet-5 claude-sonnet-5-5 glm-5.3',
  ],
  [1_000_000, 393_216, 'deepseek-flash deepseek-v4-flash deepseek-v4-flash-vision-exp deepseek-v4-pro'],
  [
    1_000_000,
    1_000_000,
    'grok-4.20 grok-4.20-0309-non-reasoning grok-4.20-0309-reasoning grok-4.20-beta ' +
      'grok-4.20-beta-0309-non-reasoning grok-4.20-beta-0309-reasoning grok-4.20-beta-latest-non-reasoning ' +
      'grok-4.20-beta-latest-reasoning grok-4.20-beta-non-reasoning grok-4.20-beta-reasoning ' +
      'grok-4.20-experimental-beta-0304 grok-4.20-experimental-beta-0304-non-reasoning ' +
      'grok-4.20-experimental-beta-0304-reasoning grok-4.20-experimental-beta-latest ' +
      'grok-4.20-experimental-beta-non-reasoning-latest grok-4.20-experimental-beta-reasoning-latest ' +
      'grok-4.20-multi-agent grok-4.20-multi-agent-beta-0309 grok-4.20-multi-agent-beta-latest ' +
      'grok-4.20-multi-agent-experimental-beta-0304 grok-4.20-multi-agent-experimental-beta-latest ' +
      'grok-4.20-non-reasoning grok-4.20-non-reasoning-gv2 grok-4.20-reasoning grok-4.20-reasoning-gv2 grok-4.3',
  ],
  [1_024_000, 256_000, 'doubao-seed-2-1-lite-260915 doubao-seed-2-1-pro-260915'],
  [1_047_576, 32_768, 'gpt-4.1 gpt-4.1-mini gpt-4.1-nano'],
  [1_048_576, 8192, 'gemini-exp-1114'],
  [1_048_576, 65_535, 'gemini-exp-1206'],
  [
    1_048_576,
    65_536,
    'deep-research-max-preview-04-2026 deep-research-preview-04-2026 deep-research-pro-preview-12-2025 ' +
      'gemini-2.5-flash gemini-2.5-flash-lite gemini-2.5-pro gemini-3-flash-preview gemini-3.1-flash-lite ' +
      'gemini-3.1-flash-lite-preview gemini-3.1-pro-preview gemini-3.1-pro-preview-customtools gemini-3.5-flash ' +
      'gemini-3.5-flash-lite gemini-3.6-flash gemini-3.7-flash gemini-3.8-flash gemini-flash-latest ' +
      'gemini-flash-lite-latest gemini-omni-1.1-flash gemini-pro-latest lyria-realtime-exp',
  ],
  [1_048_576, 128_000, 'glm-5.3-flash'],
  [
    1_048_576,
    131_072,
    'deepseek-v4-1-flash-1017 glm-5-2 glm-5.2 zai-glm-5 zai-glm-5-2 zai-glm-5-3 zai-glm-5-3-flash zai-glm-latest',
  ],
  [1_048_576, 1_048_576, 'gemini-4-argon kimi-k3 kimi-k3.1-pro mistral-large-4 mistral-large-4-0'],
  [1_050_000, 128_000, 'gpt-5.4 gpt-5.4-pro gpt-5.5 gpt-5.5-pro'],
  // Retired or sold by resellers only.
  [32_768, 4096, 'gpt-4-32k'],
  [128_000, 16_384, 'chatgpt-4o-latest gpt-4.5-preview'],
  [128_000, 32_768, 'o1-preview'],
  [128_000, 65_536, 'o1-mini'],
  [100_000, 4096, 'claude-2.0 claude-instant-1'],
  [200_000, 4096, 'claude-2.1 claude-3-haiku claude-3-opus claude-3-sonnet'],
  [200_000, 8192, 'claude-3-5-haiku claude-3-5-sonnet'],
  [200_000, 32_000, 'claude-opus-4 claude-opus-4-1'],
  [1_000_000, 64_000, 'claude-sonnet-4'],
  // 128,000 with the beta header output-128k-2025-02-19.
  [200_000, 128_000, 'claude-3-7-sonnet'],
  [2_097_152, 8192, 'gemini-1.5-pro'],
  [1_048_576, 8192, 'gemini-1.5-flash gemini-1.5-flash-8b gemini-2.0-flash gemini-2.0-flash-lite'],
  [1_048_576, 65_536, 'gemini-2.5-flash-preview gemini-2.5-pro-exp gemini-2.5-pro-preview'],
];
