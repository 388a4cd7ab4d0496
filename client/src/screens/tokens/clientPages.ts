/** Programs with a set-up page in `docs/clients`, in the order of its list. */
export const clientPages = [
  { id: 'claude-code', name: 'Claude Code' },
  { id: 'codex', name: 'Codex CLI' },
  { id: 'gemini-cli', name: 'Gemini CLI' },
  { id: 'opencode', name: 'OpenCode' },
  { id: 'cline', name: 'Cline' },
  { id: 'cursor', name: 'Cursor' },
  { id: 'cherry-studio', name: 'Cherry Studio' },
  { id: 'lobechat', name: 'LobeChat' },
  { id: 'open-webui', name: 'Open WebUI' },
  { id: 'dify', name: 'Dify' },
  { id: 'n8n', name: 'n8n' },
  { id: 'langchain', name: 'LangChain' },
  { id: 'llamaindex', name: 'LlamaIndex' },
  { id: 'vercel-ai-sdk', name: 'Vercel AI SDK' },
  { id: 'fim', name: 'FIM' },
  { id: 'curl', name: 'curl' },
  { id: 'python', name: 'Python' },
  { id: 'typescript', name: 'TypeScript' },
] as const;

export type ClientPageId = (typeof clientPages)[number]['id'];

/** The page with the site's address and a key in place of the examples, without its title. */
export const fillPage = (page: string, address: string, key: string): string =>
  page
    .replace(/^# .*\n+/, '')
    .replaceAll('https://tollgate.example.com', address)
    .replaceAll('sk-your-key', key);
