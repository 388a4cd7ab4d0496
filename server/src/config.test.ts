import { ConfigError, parseConfig } from './config.js';

const problemsOf = (environment: Record<string, string>): string[] => {
  try {
    parseConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe('TRUSTED_PROXIES', () => {
  it.each(['127.0.0.1', '10.0.0.0/8, 192.168.1.1', 'fd00::/8', 'loopback', ''])('takes %j', (text) => {
    expect(problemsOf({ TRUSTED_PROXIES: text })).toEqual([]);
  });

  it.each(['proxy.example', '10.0.0.0/33', '10.0.0.0/8/8', 'fd00::/129', '10.0.0', 'true'])('refuses %j', (text) => {
    expect(problemsOf({ TRUSTED_PROXIES: text })).toEqual([
      'TRUSTED_PROXIES: must list addresses or ranges such as 10.0.0.0/8',
    ]);
  });
});

describe('NODE_DEAD_AFTER', () => {
  it('is at least two heartbeats, so that one late heartbeat releases nothing', () => {
    expect(problemsOf({ NODE_HEARTBEAT_INTERVAL: '10', NODE_DEAD_AFTER: '19' })).toEqual([
      'NODE_DEAD_AFTER: must be at least twice NODE_HEARTBEAT_INTERVAL',
    ]);
    expect(parseConfig({ NODE_HEARTBEAT_INTERVAL: '10', NODE_DEAD_AFTER: '20' }).nodeLife).toEqual({
      heartbeat: 10,
      deadAfter: 20,
    });
  });

  it('is 20 s at a heartbeat of 5 s by default', () => {
    expect(parseConfig({}).nodeLife).toEqual({ heartbeat: 5, deadAfter: 20 });
  });
});

it('names every wrong variable on a line of its own, without its value', () => {
  const problems = problemsOf({ PORT: 'eighty', GITHUB_URL: 'github', ENCRYPTION_KEY: 'short word' });
  expect(problems).toEqual([
    expect.stringMatching(/^PORT: /),
    expect.stringMatching(/^ENCRYPTION_KEY: /),
    'GITHUB_URL: must be an http:// or https:// address',
  ]);
  expect(problems.join()).not.toContain('short word');
});

it('knows where the providers of sign-in live', () => {
  expect(parseConfig({ GITHUB_URL: 'https://github.internal/' }).signIn).toEqual({
    github: 'https://github.internal',
    githubApi: 'https://api.github.com',
    linuxDo: 'https://connect.linux.do',
    turnstile: 'https://challenges.cloudflare.com',
  });
});
