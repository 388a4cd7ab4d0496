import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notes, picture, pictureBytes, secret } from './model.js';

export const packages = [
  '@anthropic-ai/claude-code@2.1.197',
  '@openai/codex@0.169.0',
  '@google/gemini-cli@0.61.0',
  // The last one for Node 20.
  '@qwen-code/qwen-code@0.5.0',
];

/** Installs the programs. `AGENTS_FOLDER` names a folder that keeps them from run to run. */
export function installAgents(): { folder: string; remove(): void } {
  const kept = process.env['AGENTS_FOLDER'];
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'tollgate-agents-'));
  mkdirSync(folder, { recursive: true });
  if (['claude', 'codex', 'gemini', 'qwen'].some((name) => !existsSync(join(folder, 'node_modules/.bin', name)))) {
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder, stdio: 'pipe' });
  }
  return { folder, remove: () => (kept ? undefined : rmSync(folder, { recursive: true, force: true })) };
}

/** A home and a project of its own for one session. */
export interface Workplace {
  readonly home: string;
  readonly project: string;
  remove(): void;
}

export function openWorkplace(): Workplace {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-agent-'));
  const project = join(home, 'project');
  mkdirSync(project);
  writeFileSync(join(project, notes), `The word is ${secret}\n`);
  writeFileSync(join(project, picture), Buffer.from(pictureBytes, 'base64'));
  return { home, project, remove: () => rmSync(home, { recursive: true, force: true }) };
}

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** One step of a session. */
export interface Step {
  readonly prompt: string;
  /** The session goes on from the last step. */
  readonly resume?: boolean;
  readonly image?: boolean;
  /** Interrupts the program as soon as this resolves. */
  readonly interrupt?: Promise<unknown>;
}

export interface Program {
  readonly name: string;
  /** The model that the program is set to use. */
  readonly model: string;
  /** Speaks over a WebSocket. */
  readonly overSocket?: true;
  run(agents: string, place: Workplace, gateway: { url: string; key: string }, step: Step): Promise<Ran>;
}

/** Settings of the user's shell that would change where programs connect. */
const cleanEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(?:PATH|LANG|TERM|TMPDIR)$/.test(name)));

function execute(
  command: string,
  args: readonly string[],
  place: Workplace,
  env: Record<string, string>,
  interrupt?: Promise<unknown>,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: place.project,
      env: { ...cleanEnv(), HOME: place.home, CI: '1', NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()));
    const kill = setTimeout(() => child.kill('SIGKILL'), 120_000);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(kill);
      resolve({ code, output });
    });
    void interrupt?.then(() => {
      child.kill('SIGINT');
      setTimeout(() => child.kill('SIGKILL'), 5000).unref();
    });
  });
}

export const claudeCode: Program = {
  name: 'Claude Code',
  model: 'claude-sonnet-4-5',
  run: (agents, place, { url, key }, { prompt, resume, interrupt }) =>
    execute(
      join(agents, 'node_modules/.bin/claude'),
      [
        ...['-p', prompt, '--output-format', 'json', '--model', 'claude-sonnet-4-5', '--allowedTools', 'Read'],
        ...(resume ? ['--continue'] : []),
      ],
      place,
      {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_AUTH_TOKEN: key,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
      interrupt,
    ),
};

const codex = (more: Pick<Program, 'name' | 'overSocket'>): Program => ({
  ...more,
  model: 'gpt-5',
  run(agents, place, { url, key }, { prompt, resume, image, interrupt }) {
    const config = join(place.home, '.codex');
    mkdirSync(config, { recursive: true });
    writeFileSync(
      join(config, 'config.toml'),
      [
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
    );
    const flags = ['--json', '--skip-git-repo-check', ...(image ? ['-i', 'picture.png'] : [])];
    return execute(
      join(agents, 'node_modules/.bin/codex'),
      resume ? ['exec', 'resume', '--last', ...flags, '--', prompt] : ['exec', ...flags, '--', prompt],
      place,
      { CODEX_HOME: config, TOLLGATE_KEY: key },
      interrupt,
    );
  },
});

export const codexCli = codex({ name: 'Codex CLI' });
export const codexOverSocket = codex({ name: 'Codex CLI over a WebSocket', overSocket: true });

export const geminiCli: Program = {
  name: 'Gemini CLI',
  model: 'gemini-2.5-flash',
  run(agents, place, { url, key }, { prompt, resume, image, interrupt }) {
    const config = join(place.home, '.gemini');
    mkdirSync(config, { recursive: true });
    writeFileSync(
      join(config, 'settings.json'),
      JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
      }),
    );
    return execute(
      join(agents, 'node_modules/.bin/gemini'),
      [
        ...['-p', image ? `${prompt} @picture.png` : prompt, '-m', 'gemini-2.5-flash', '-y', '--output-format', 'json'],
        ...(resume ? ['--resume', 'latest'] : []),
      ],
      place,
      {
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_API_KEY: key,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        GEMINI_TELEMETRY_ENABLED: 'false',
      },
      interrupt,
    );
  },
};

/** Speaks chat completions. */
export const qwenCode: Program = {
  name: 'Qwen Code',
  model: 'gpt-4o',
  run: (agents, place, { url, key }, { prompt, resume, image, interrupt }) =>
    execute(
      join(agents, 'node_modules/.bin/qwen'),
      [
        ...['-p', image ? `${prompt} @picture.png` : prompt, '-m', 'gpt-4o', '-y', '--output-format', 'json'],
        ...['--auth-type', 'openai', '--vlm-switch-mode', 'session', ...(resume ? ['--continue'] : [])],
      ],
      place,
      { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'gpt-4o', QWEN_TELEMETRY_ENABLED: 'false' },
      interrupt,
    ),
};

export const programs: readonly Program[] = [claudeCode, codexCli, codexOverSocket, geminiCli, qwenCode];
