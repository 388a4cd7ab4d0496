import { randomInt, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Person } from '../support/api.js';
import { startServer, type LocalServer } from '../support/server.js';

export { rootPassword, type Person } from '../support/api.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // A response may be anything; each test states what it expects.
  readonly body: Record<string, unknown> & { data?: unknown };
}

export interface GraphQLAnswer {
  readonly data: Record<string, unknown> | null;
  /** `extensions.code` of every error. */
  readonly codes: string[];
  readonly text: string;
}

/** A test server on real stores, with its users. Each sign-in uses a new address. */
export class Site {
  private constructor(readonly server: LocalServer) {}

  static async open(environment: Record<string, string> = {}): Promise<Site> {
    const { TEST_REDIS_URL: redis } = process.env;
    const usual = {
      // The server trusts this proxy, so that every sign-in of a test can use another address.
      TRUSTED_PROXIES: '127.0.0.1',
      SHUTDOWN_TIMEOUT: '1',
      // If there is a Redis, all tests share it. Each test has a prefix of its own for its keys.
      ...(redis ? { REDIS_URL: redis, REDIS_KEY_PREFIX: `test-${randomUUID()}:` } : {}),
    };
    return new Site(await startServer({ environment: { ...usual, ...environment } }));
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  async rest(
    person: Person | null,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await this.server.api.rest(person, method, path, body, headers);
    return { ...answer, body: isRecord(answer.body) ? answer.body : { text: answer.body } };
  }

  async graphql(
    person: Person | null,
    query: string,
    variables: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<GraphQLAnswer> {
    const { body } = await this.rest(person, 'POST', '/graphql', { query, variables }, headers);
    const { data, errors } = body as {
      data?: Record<string, unknown> | null;
      errors?: Array<{ extensions?: { code?: string } }>;
    };
    return {
      data: data ?? null,
      codes: (errors ?? []).map((error) => error.extensions?.code ?? ''),
      text: JSON.stringify(body),
    };
  }

  get dataSource(): DataSource {
    return this.server.dataSource;
  }

  query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.dataSource.query<Row[]>(sql, parameters);
  }

  setUp(): Promise<Person> {
    return this.server.api.setUp();
  }

  signIn(username: string, password: string): Promise<Person> {
    return this.server.api.signIn(username, password, anywhere());
  }

  /** Creates a user as root. */
  async invite(root: Person, role: 'common' | 'admin' = 'common'): Promise<Person> {
    const username = `u${randomUUID().slice(0, 8)}`;
    const password = `password of ${username}`;
    await this.expectSuccess(root, 'POST', '/api/user/', { username, password });
    const person = await this.signIn(username, password);
    if (role === 'admin')
      await this.expectSuccess(root, 'POST', '/api/user/manage', { id: person.id, action: 'promote' });
    return person;
  }

  /** Returns a new access token of the person, which replaces an earlier one. */
  async accessToken(person: Person): Promise<string> {
    return (await this.expectSuccess(person, 'GET', '/api/user/token')).body.data as string;
  }

  async expectSuccess(person: Person | null, method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.rest(person, method, path, body);
    expect(answer.body).toMatchObject({ success: true });
    return answer;
  }
}

/** Returns headers with an address that has no rate-limited calls so far. */
export const anywhere = (): Record<string, string> => ({
  'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
