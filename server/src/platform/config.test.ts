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

describe('BASE_PATH', () => {
  it.each(['', '/gw', '/gw/', '/a/b', '/models', '/.well', '/v1x'])('takes %j', (text) => {
    expect(problemsOf({ BASE_PATH: text })).toEqual([]);
  });

  it.each(['/v1', '/model', '/model/x', '/openai', '/anthropic', '/hf', '/upload/', '/ws', '/metrics', '/dashboard'])(
    'refuses %j, which is a path of the server',
    (text) => {
      expect(problemsOf({ BASE_PATH: text })).toEqual(['BASE_PATH: is a path of the server']);
    },
  );

  it.each(['gw', '/..', '/gw/..', '/../gw', '/.', '/gw/./x', '/a//b'])('refuses %j', (text) => {
    expect(problemsOf({ BASE_PATH: text })).toEqual(['BASE_PATH: must be a path such as /gw']);
  });
});

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

describe('addresses of databases', () => {
  const shared = { SESSION_SECRET: 'x'.repeat(16), ENCRYPTION_KEY: 'x'.repeat(16) };

  it.each([
    ...['postgres://u:p%40s%2Fs@db:5432/site?sslmode=require', 'postgresql:///site?host=/run/postgresql'],
    ...['postgres://u:p@/site?host=/run/postgresql', 'postgres://u:p s@[fd00::1]/site', 'postgres://'],
  ])('takes %j', (text) => {
    expect(problemsOf({ ...shared, DATABASE_URL: text })).toEqual([]);
  });

  it.each([
    'u:p@s:w/rd@db:5432/site',
    'u:p/s@db/site',
    'u:p#s@db/site',
    'u:p?s@db/site',
    'u:p%s@db/site',
    'db:99999/x',
  ])('names the variable of an address that cannot be read: %j', (text) => {
    const problem = expect.stringMatching(/^\w+: cannot be read: write characters such as @ .+$/);
    for (const name of ['DATABASE_URL', 'SQL_DSN', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URL']) {
      expect(problemsOf({ ...shared, [name]: `postgres://${text}` })).toEqual([problem]);
    }
    expect(problemsOf({ REDIS_URL: `redis://${text}` })).toEqual([problem]);
  });

  it('names a file for the encryption of the connection that cannot be read', () => {
    const given = { ...shared, DATABASE_URL: 'postgres://db/site' };
    for (const name of ['DATABASE_URL', 'SQL_DSN', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URL']) {
      for (const file of ['sslrootcert', 'sslcert', 'sslkey']) {
        const problemsWith = (path: string): string[] =>
          problemsOf({ ...given, [name]: `postgres://u:p@db/site?sslmode=verify-full&${file}=${path}` });
        expect(problemsWith('package.json')).toEqual([]);
        expect(problemsWith('')).toEqual([]);
        const problem = `${name}: ${file} names the file /no/such/ca.pem, which cannot be read (ENOENT)`;
        expect(problemsWith('/no/such/ca.pem')).toEqual([problem]);
        expect(problemsWith('/tmp')).toEqual([`${name}: ${file} names the file /tmp, which cannot be read (EISDIR)`]);
      }
    }
  });

  it('takes a number for the database of Redis, and no name', () => {
    for (const right of ['redis://db', 'redis://db/', 'rediss://:p@db:6379/15']) {
      expect(problemsOf({ REDIS_URL: right })).toEqual([]);
    }
    expect(problemsOf({ REDIS_URL: 'redis://db/tollgate' })).toEqual([
      'REDIS_URL: may name a database only by its number, such as redis://host:6379/2',
    ]);
  });

  it('refuses a database of Redis beside a cluster, which has only one', () => {
    const cluster = { REDIS_CLUSTER_NODES: 'redis-1:6379' };
    for (const right of ['redis://:p@db', 'redis://db/', 'redis://db/0']) {
      expect(problemsOf({ ...cluster, REDIS_URL: right })).toEqual([]);
    }
    const problem = 'may not name a database with REDIS_CLUSTER_NODES: a cluster has only database 0';
    for (const name of ['REDIS_URL', 'REDIS_CONN_STRING']) {
      expect(problemsOf({ ...cluster, [name]: 'redis://db/2' })).toEqual([`${name}: ${problem}`]);
    }
    expect(problemsOf({ REDIS_SENTINELS: 'redis-1:26379', REDIS_URL: 'redis://db/2' })).toEqual([]);
  });

  it('says which scheme an address needs, and nothing else', () => {
    expect(problemsOf({ DATABASE_URL: 'mysql://u:p#s@db/x', REDIS_URL: 'redis' })).toEqual([
      'DATABASE_URL: must be a postgres:// URL',
      'REDIS_URL: must be a redis:// or rediss:// URL',
    ]);
  });
});

describe('lists of hosts', () => {
  it.each(['ollama', 'api.example.com, 10.1.2.3', '10.0.0.0/8', 'fd00::1, fd00::/8', ''])('opens %j', (text) => {
    expect(problemsOf({ OUTBOUND_ALLOW: text })).toEqual([]);
  });

  it.each(['10.0.0.0/33', 'http://ollama', 'ollama:11434', '*.example.com', 'fd00::/129'])('opens not %j', (text) => {
    expect(problemsOf({ OUTBOUND_ALLOW: text })).toEqual([
      'OUTBOUND_ALLOW: must list host names without a port, addresses or ranges such as 10.0.0.0/8',
    ]);
  });

  it.each(['REDIS_CLUSTER_NODES', 'REDIS_SENTINELS'])('%s has hosts and ports', (name) => {
    expect(problemsOf({ [name]: 'redis-1:6379, redis-2, [fd00::1]:6380' })).toEqual([]);
    for (const wrong of ['redis-1:x', 'redis-1:99999', 'redis://redis-1', 'redis 1']) {
      expect(problemsOf({ [name]: wrong })).toEqual([`${name}: must list hosts and ports such as redis-1:6379`]);
    }
  });
});

describe('addresses of the database', () => {
  const external = {
    DATABASE_URL: 'postgres://pooler/site',
    SESSION_SECRET: 'a secret of a test',
    ENCRYPTION_KEY: 'a secret of a test',
  };

  it('are one unless others are given', () => {
    const config = parseConfig(external);
    expect(config.databaseDirectUrl).toBeUndefined();
    expect(config.databaseReplica).toBeUndefined();
    expect(config.databasePreparedStatements).toBe(true);
  });

  it('has one for sessions and one for reports', () => {
    const urls = { DATABASE_DIRECT_URL: 'postgres://primary/site', DATABASE_READ_URL: 'postgres://replica/site' };
    const config = parseConfig({ ...external, ...urls, DATABASE_PREPARED_STATEMENTS: 'false' });
    expect(config.databaseDirectUrl).toBe('postgres://primary/site');
    expect(config.databaseReplica).toEqual({ url: 'postgres://replica/site', maxLag: 30 });
    expect(config.databasePreparedStatements).toBe(false);
  });

  it.each(['DATABASE_DIRECT_URL', 'DATABASE_READ_URL'])('%s needs DATABASE_URL', (name) => {
    expect(problemsOf({ [name]: 'postgres://primary/site' })).toEqual([`${name}: needs DATABASE_URL`]);
  });

  it('measures the lag of a replica by heartbeats', () => {
    expect(problemsOf({ NODE_HEARTBEAT_INTERVAL: '5', DATABASE_READ_MAX_LAG: '9' })).toEqual([
      'DATABASE_READ_MAX_LAG: must be at least twice NODE_HEARTBEAT_INTERVAL',
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

it('reads responses on as long as DISCONNECTED_CALL_TIMEOUT says', () => {
  expect(parseConfig({}).relay.disconnectedTimeout).toBe(120_000);
  expect(parseConfig({ DISCONNECTED_CALL_TIMEOUT: '7' }).relay.disconnectedTimeout).toBe(7000);
});
