import { join } from 'node:path';
import { bodies, claudeCode, claudeTurn, codex, codexTurn, grown } from './agent-bodies.js';
import { built } from './built.js';
import { freshDatabase } from './fresh-database.js';
import { setUp, startFloor, startGateway } from './gateway.js';
import type { Asked } from './load.js';
import { findPostmaster } from './process-usage.js';
import { oneRound, say, sayHead, sayRatios, sayRounds, type Contender, type Round } from './rounds.js';
import { withServices } from './services.js';

/**
 * `npm run bench -- agents [commit …] [--rounds 3] [--warm 2] [--calls 200] [--events 53] [--clients 64] [--kilobytes 400] [--only NAME] [--profile]`:
 * the bodies of coding agents, which send their whole history with each turn. Recorded requests of Claude Code and Codex,
 * grown to 100, 400 and 800 KB, are passed through and translated, beside the bare proxy and the builds of other commits.
 * The first `warm` rounds do not count: conversations are new in them, and V8 has not compiled the code of their calls.
 */
const words = process.argv.slice(2);
const flag = (name: string, fallback: number): number => {
  const at = words.indexOf(`--${name}`);
  return at === -1 ? fallback : Number(words[at + 1]);
};
const events = flag('events', 53);
const warmUps = flag('warm', 2);
const size = { width: flag('clients', 64), calls: flag('calls', 200), rounds: flag('rounds', 3) };
const firstFlag = words.findIndex((word) => word.startsWith('--'));
const commits = firstFlag === -1 ? words : words.slice(0, firstFlag);
const kilobytes = words.includes('--kilobytes') ? [flag('kilobytes', 400)] : [100, 400, 800];
const profileFolder = words.includes('--profile') ? join(import.meta.dirname, '../.output/profile') : undefined;
const only = words.includes('--only') ? String(words[words.indexOf('--only') + 1]) : '';

interface Lane {
  readonly name: string;
  readonly model: string;
  readonly client: 'claude' | 'codex';
  readonly translated: boolean;
}

/** Each model is at a channel of its own. */
const lanes: readonly Lane[] = [
  { name: 'Claude Code, Claude', model: 'claude-sonnet-4-20250514', client: 'claude', translated: false },
  { name: 'Codex, OpenAI', model: 'gpt-5.2-codex', client: 'codex', translated: false },
  { name: 'Claude Code, chat', model: 'deepseek-chat', client: 'claude', translated: true },
  { name: 'Codex, chat', model: 'deepseek-chat', client: 'codex', translated: true },
  { name: 'Claude Code, Gemini', model: 'gemini-2.5-pro', client: 'claude', translated: true },
];
const channels = [
  { type: 1, name: 'responses', models: 'gpt-5.2-codex' },
  { type: 8, name: 'custom', models: 'deepseek-chat' },
  { type: 24, name: 'gemini', models: 'gemini-2.5-pro' },
];

function callOf({ client, model }: Lane, bytes: number): Asked {
  if (client === 'claude') {
    const body = { ...grown(claudeCode, 'messages', bytes, claudeTurn), model, stream: true };
    return { path: '/v1/messages?beta=true', ...bodies(body, size.width), ends: 'message_stop' };
  }
  const body = { ...grown(codex, 'input', bytes, codexTurn), model, stream: true };
  return { path: '/v1/responses', ...bodies(body, size.width), ends: 'response.completed' };
}

async function compare(
  lane: Lane,
  kilobytesEach: number,
  floor: Contender,
  gateways: ReadonlyArray<[Contender, number | null]>,
): Promise<void> {
  const agent = callOf(lane, kilobytesEach * 1000);
  const contenders = [
    // The proxy returns the provider's events as they are.
    { contender: { ...floor, calls: { agent: { ...agent, ends: null } } }, postmaster: null, rounds: [] as Round[] },
    ...gateways.map(([gateway, postmaster]) => ({
      contender: { ...gateway, calls: { agent } },
      postmaster,
      rounds: [] as Round[],
    })),
  ];
  for (let round = -warmUps; round < size.rounds; round++)
    for (const { contender, postmaster, rounds } of contenders) {
      const measured = await oneRound(contender, 'agent', size, postmaster);
      if (round >= 0) rounds.push(measured);
    }
  const kind = `${events} events${lane.translated ? ', translated' : ''}`;
  sayHead(`${lane.name}, ${kilobytesEach} KB, ${kind}`, size);
  for (const { contender, rounds } of contenders) sayRounds(contender.name, rounds);
  const base = contenders[0]?.rounds ?? [];
  for (const { contender, rounds } of contenders.slice(1))
    sayRatios(`CPU of ${contender.name} to the floor`, rounds, base);
}

async function main(): Promise<void> {
  await withServices(events, async ({ postgres, redis, upstream, stops }) => {
    const floor = await startFloor(upstream.url);
    stops.push(() => floor.stop());
    const gateways: Array<[Contender, number | null]> = [];
    const folders = await Promise.all(commits.map(async (commit) => [commit, await built(commit)] as const));
    for (const [name, folder] of [['tollgate', undefined] as const, ...folders]) {
      const databaseUrl = await freshDatabase(postgres.url);
      const redisUrl = redis ? `${redis.url}/${gateways.length}` : null;
      const gateway = await startGateway({
        databaseUrl,
        redisUrl,
        ...(folder ? { folder } : {}),
        ...(profileFolder ? { profileFolder: join(profileFolder, name) } : {}),
      });
      stops.push(() => gateway.stop());
      const key = await setUp(gateway.url, upstream.url, 1000, channels);
      gateways.push([{ ...gateway, name, key }, await findPostmaster(databaseUrl)]);
    }
    for (const lane of lanes.filter(({ name }) => name.includes(only)))
      for (const each of kilobytes) await compare(lane, each, { ...floor, name: 'floor', key: 'none' }, gateways);
  });
}

say(`Node ${process.version}`);
await main();
