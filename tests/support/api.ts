/** A signed-in user, as whom calls are made. */
export interface Person {
  readonly id: number;
  readonly username: string;
  readonly password: string;
  /** `session=...` */
  readonly cookie: string;
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or the text of a response that is not JSON. */
  readonly body: unknown;
}

export interface GraphQLAnswer {
  readonly data: Record<string, unknown> | null;
  readonly errors: ReadonlyArray<{ readonly message: string; readonly extensions?: Readonly<Record<string, unknown>> }>;
}

export interface ChannelOptions {
  readonly name?: string;
  readonly type?: number;
  readonly baseUrl: string;
  readonly key?: string;
  readonly models?: readonly string[];
  readonly group?: string;
  /** Any other field of the request. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export interface CreatedToken {
  readonly id: number;
  /** The key as a client sends it: `sk-...` */
  readonly key: string;
}

export const rootPassword = 'correct horse 1';

/** Tollgate as its clients see it, at one URL: the calls of the console and of programs. */
export class Api {
  constructor(readonly url: string) {}

  async rest(
    person: Person | null,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RestAnswer> {
    const all = new Headers({
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(person ? { cookie: person.cookie, 'veloera-user': String(person.id) } : {}),
    });
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: all,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text) };
  }

  /**
   * A REST call that must succeed.
   * @returns its `data`
   */
  async data<T>(person: Person | null, method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.rest(person, method, path, body);
    const envelope = answer.body as { success?: boolean; data?: T };
    if (!envelope.success) throw new Error(`${method} ${path} answered ${answer.status} ${JSON.stringify(envelope)}`);
    return envelope.data as T;
  }

  async graphql(
    person: Person | null,
    query: string,
    variables: Readonly<Record<string, unknown>> = {},
  ): Promise<GraphQLAnswer> {
    const { body } = await this.rest(person, 'POST', '/graphql', { query, variables });
    const { data, errors } = body as { data?: GraphQLAnswer['data']; errors?: GraphQLAnswer['errors'] };
    return { data: data ?? null, errors: errors ?? [] };
  }

  /**
   * Completes the setup of the first start.
   * @returns root, signed in
   */
  async setUp(options: { selfUse?: boolean } = {}): Promise<Person> {
    await this.data(null, 'POST', '/api/setup', {
      username: 'root',
      password: rootPassword,
      confirmPassword: rootPassword,
      SelfUseModeEnabled: options.selfUse ?? false,
    });
    return this.signIn('root', rootPassword);
  }

  async signIn(username: string, password: string, headers: Readonly<Record<string, string>> = {}): Promise<Person> {
    const answer = await this.rest(null, 'POST', '/api/user/login', { username, password }, headers);
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
    if (!cookie) throw new Error(`sign-in failed: ${JSON.stringify(answer.body)}`);
    const { id } = (answer.body as { data: { id: number } }).data;
    return { id, username, password, cookie };
  }

  /**
   * Creates an OpenAI channel by default.
   * @returns its id
   */
  async createChannel(admin: Person, options: ChannelOptions): Promise<number> {
    const name = options.name ?? `channel ${Math.random().toString(36).slice(2, 10)}`;
    await this.data(admin, 'POST', '/api/channel/', {
      name,
      type: options.type ?? 1,
      base_url: options.baseUrl,
      key: options.key ?? 'sk-upstream',
      models: (options.models ?? ['gpt-4o']).join(','),
      group: options.group ?? 'default',
      ...options.more,
    });
    const found = await this.data<Array<{ id: number; name: string }>>(admin, 'GET', '/api/channel/?page_size=100');
    const channel = found.find((row) => row.name === name);
    if (!channel) throw new Error(`the channel "${name}" is not in the list`);
    return channel.id;
  }

  /** Creates an unlimited key without expiry by default. */
  async createToken(person: Person, fields: Readonly<Record<string, unknown>> = {}): Promise<CreatedToken> {
    const token = await this.data<{ id: number; key: string }>(person, 'POST', '/api/token/', {
      name: 'test',
      unlimited_quota: true,
      remain_quota: 0,
      expired_time: -1,
      ...fields,
    });
    return { id: token.id, key: `sk-${token.key.replace(/^sk-/, '')}` };
  }

  /** A relay call as a program makes it. The caller reads the response. */
  relay(
    key: string,
    path: string,
    body: unknown,
    options: { signal?: AbortSignal; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...options.headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(options.signal ? { signal: options.signal } : {}),
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
