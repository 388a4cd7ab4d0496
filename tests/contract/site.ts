import 'reflect-metadata';
import { randomInt, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../server/src/config.js';
import { createContainer, type StartedServer } from '../../server/src/container.js';
import { createLogger } from '../../server/src/observability/logger.js';
import { createTestDatabase } from '../support/database.js';

export interface Person {
  readonly id: number;
  readonly username: string;
  readonly password: string;
  readonly cookie: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // A wire answer may be anything; each test says what it expects of it.
  readonly body: Record<string, unknown> & { data?: unknown };
}

export interface GraphQLAnswer {
  readonly data: Record<string, unknown> | null;
  /** `extensions.code` of every error. */
  readonly codes: string[];
  readonly text: string;
}

export const rootPassword = 'correct horse 1';

/** A running server with a database of its own and the people who use it. Limits by address are off unless asked for. */
export class Site {
  private constructor(
    readonly server: StartedServer,
    private readonly close: () => Promise<void>,
  ) {}

  static async open(environment: Record<string, string> = {}): Promise<Site> {
    const database = await createTestDatabase();
    const folder = join(tmpdir(), `tollgate-site-${randomUUID()}`);
    const config = parseConfig({
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      DATABASE_POOL_SIZE: '5',
      SESSION_SECRET: 'session secret of a test',
      ENCRYPTION_KEY: 'encryption key of a test',
      GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
      GLOBAL_WEB_RATE_LIMIT_ENABLE: 'false',
      SHUTDOWN_TIMEOUT: '1',
      // so that every sign-in of a test can come from another address
      TRUSTED_PROXIES: '127.0.0.1',
      ...environment,
    });
    const container = createContainer(config, { logger: createLogger('silent') });
    const server = await container.start();
    return new Site(server, async () => {
      await container.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    });
  }

  stop(): Promise<void> {
    return this.close();
  }

  async rest(
    person: Person | null,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.server.url}${path}`, {
      method,
      headers: { ...(person ? { cookie: person.cookie, 'veloera-user': String(person.id) } : {}), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : { text },
    };
  }

  async graphql(
    person: Person | null,
    query: string,
    variables: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<GraphQLAnswer> {
    const answer = await this.rest(
      person,
      'POST',
      '/graphql',
      { query, variables },
      {
        'content-type': 'application/json',
        ...headers,
      },
    );
    const { data, errors } = answer.body as {
      data?: Record<string, unknown> | null;
      errors?: Array<{ extensions?: { code?: string } }>;
    };
    return {
      data: data ?? null,
      codes: (errors ?? []).map((error) => error.extensions?.code ?? ''),
      text: JSON.stringify(answer.body),
    };
  }

  async query<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return this.server.database.dataSource.query<Row[]>(sql, parameters);
  }

  async setUp(): Promise<Person> {
    const body = { username: 'root', password: rootPassword, confirmPassword: rootPassword };
    const answer = await this.rest(null, 'POST', '/api/setup', body);
    if (answer.body['success'] !== true) throw new Error(`set-up failed: ${JSON.stringify(answer.body)}`);
    return this.signIn('root', rootPassword);
  }

  async signIn(username: string, password: string): Promise<Person> {
    const from = { 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` };
    const answer = await this.rest(null, 'POST', '/api/user/login', { username, password }, from);
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
    if (!cookie) throw new Error(`sign-in failed: ${JSON.stringify(answer.body)}`);
    return { id: (answer.body.data as { id: number }).id, username, password, cookie };
  }

  /** Somebody new, made by root. */
  async invite(root: Person, role: 'common' | 'admin' = 'common'): Promise<Person> {
    const username = `u${randomUUID().slice(0, 8)}`;
    const password = `password of ${username}`;
    await this.expectSuccess(root, 'POST', '/api/user/', { username, password });
    const person = await this.signIn(username, password);
    if (role === 'admin')
      await this.expectSuccess(root, 'POST', '/api/user/manage', { id: person.id, action: 'promote' });
    return person;
  }

  async expectSuccess(person: Person | null, method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.rest(person, method, path, body);
    expect(answer.body).toMatchObject({ success: true });
    return answer;
  }
}
