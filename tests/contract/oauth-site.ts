import { poolOf } from '../../server/src/platform/db/data-source.js';
import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { mailAccount, startMailServer, type MailServer } from '../support/mail-server.js';
import { startScriptedServer, type ScriptedServer } from '../support/scripted-server.js';
import { anywhere, Site, type Answer, type Person } from './site.js';

/** Profiles that the sign-in providers return for a code. */
export const github = { id: 4711, login: 'octocat', name: 'Octo Cat', email: 'octo@example.com' };
export const linuxDo = { id: 99, username: 'lin', name: 'Lin', active: true, trust_level: 2, silenced: false };

/**
 * A site where all sign-in methods are enabled, and one scripted server that plays GitHub, Linux DO and the WeChat
 * companion.
 */
export class OAuthSite {
  people: { github: unknown; linuxdo: unknown } = { github, linuxdo: linuxDo };

  private constructor(
    readonly site: Site,
    readonly root: Person,
    readonly world: ScriptedServer,
    readonly mail: MailServer,
  ) {}

  static async open(): Promise<OAuthSite> {
    const world = await startScriptedServer(() => ({ status: 404 }));
    const [mail, site] = await Promise.all([
      startMailServer(),
      Site.open({
        GITHUB_URL: `${world.url}/github`,
        GITHUB_API_URL: `${world.url}/github-api`,
        LINUXDO_URL: `${world.url}/linuxdo`,
        OUTBOUND_ALLOW: '127.0.0.1',
      }),
    ]);
    const opened = new OAuthSite(site, await site.setUp(), world, mail);
    await opened.options({
      ServerAddress: 'https://gate.example',
      QuotaForNewUser: '100',
      QuotaForInvitee: '20',
      QuotaForInviter: '7',
      GitHubClientId: 'gh-id',
      GitHubClientSecret: 'gh-secret',
      GitHubOAuthEnabled: 'true',
      LinuxDOClientId: 'ld-id',
      LinuxDOClientSecret: 'ld-secret',
      LinuxDOOAuthEnabled: 'true',
      WeChatServerAddress: `${world.url}/wechat`,
      WeChatServerToken: 'we-token',
      WeChatAuthEnabled: 'true',
      TelegramBotToken: '123:bot',
      TelegramBotName: 'bot',
      TelegramOAuthEnabled: 'true',
      SMTPServer: '127.0.0.1',
      SMTPPort: String(mail.port),
      SMTPAccount: mailAccount.user,
      SMTPToken: mailAccount.password,
    });
    return opened;
  }

  /** Restores the profiles of the providers and removes all bindings of accounts. */
  async reset(): Promise<void> {
    this.people = { github, linuxdo: linuxDo };
    this.world.calls.length = 0;
    this.world.answer = ({ url, headers }) => {
      switch (url.pathname) {
        case '/github/login/oauth/access_token':
        case '/linuxdo/oauth2/token':
          return { body: { access_token: 'token of a test' } };
        case '/github-api/user':
          return { status: headers.authorization === 'Bearer token of a test' ? 200 : 401, body: this.people.github };
        case '/linuxdo/api/user':
          return { body: this.people.linuxdo };
        case '/wechat/api/wechat/user':
          return { body: { success: true, message: '', data: `wx-${url.searchParams.get('code') ?? ''}` } };
        default:
          return { status: 404 };
      }
    };
    await this.site.query(`UPDATE users SET github_id = '', oidc_id = '', wechat_id = '', telegram_id = '',
      linux_do_id = '', email = ''`);
  }

  /** Stops the site. The ledger must be consistent by then. */
  async stop(): Promise<void> {
    expect(await reconcile(poolOf(this.site.dataSource))).toEqual([]);
    await Promise.all([this.site.stop(), this.world.stop(), this.mail.stop()]);
  }

  async options(values: Readonly<Record<string, string>>): Promise<void> {
    for (const [key, value] of Object.entries(values)) {
      await this.site.expectSuccess(this.root, 'PUT', '/api/option/', { key, value });
    }
  }

  invite(): Promise<Person> {
    return this.site.invite(this.root);
  }

  /** @param person owner of the browser; a visitor unless given */
  browser(person?: Person): Browser {
    return new Browser(this.site, person);
  }

  async rowOf(id: number): Promise<Record<string, unknown>> {
    return (await this.site.query<Record<string, unknown>>('SELECT * FROM users WHERE id = $1', [id]))[0] ?? {};
  }
}

/** A browser: keeps cookies and sends the user-id header of the console's pages. */
export class Browser {
  private readonly cookies = new Map<string, string>();
  userId = -1;

  constructor(
    private readonly site: Site,
    person?: Person,
  ) {
    if (!person) return;
    this.cookies.set('session', person.cookie.slice('session='.length));
    this.userId = person.id;
  }

  async get(path: string, headers: Record<string, string> = { 'veloera-user': String(this.userId) }): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }

  async graphql(query: string): Promise<Record<string, unknown>> {
    const headers: Record<string, string> = this.userId > 0 ? { 'veloera-user': String(this.userId) } : {};
    const answer = await this.send('POST', '/graphql', { query }, headers);
    return answer.body.data as Record<string, unknown>;
  }

  async state(query = ''): Promise<string> {
    return (await this.get(`/api/oauth/state${query}`)).body.data as string;
  }

  private async send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.site.rest(null, method, path, body, { ...anywhere(), cookie, ...headers });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      this.cookies.set(name, value);
    }
    return answer;
  }
}

/** Id of the signed-in user. */
export const idIn = (answer: Answer): number => (answer.body.data as { id: number }).id;
