import { reconcile } from '../../server/src/billing/ledger/reconcile.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { Site, type GraphQLAnswer, type Person } from './site.js';

export interface MemberKey {
  readonly id: number;
  /** With `sk-`. */
  readonly key: string;
}

/** A site with a scripted provider, on which people have organisations. */
export class OrganisationSite {
  private constructor(
    readonly site: Site,
    readonly upstream: Upstream,
    readonly root: Person,
  ) {}

  static async open(environment: Record<string, string> = {}): Promise<OrganisationSite> {
    const [site, upstream] = await Promise.all([Site.open(environment), startUpstream()]);
    const root = await site.setUp();
    const channel = { name: 'calls', type: 1, key: 'sk', base_url: upstream.url, models: 'gpt-4o', group: 'default' };
    await site.expectSuccess(root, 'POST', '/api/channel/', channel);
    return new OrganisationSite(site, upstream, root);
  }

  async stop(): Promise<void> {
    await Promise.all([this.site.stop(), this.upstream.stop()]);
  }

  /** Sends a document as a person, or as a member who acts for an organisation. */
  ask(person: Person | null, document: string, organisation?: number): Promise<GraphQLAnswer> {
    return this.site.graphql(person, document, {}, acting(organisation));
  }

  /** Like `ask`, for documents that must succeed. Returns the value of their only field. */
  async value<Value>(person: Person, document: string, organisation?: number): Promise<Value> {
    const { data, codes, text } = await this.ask(person, document, organisation);
    if (codes.length > 0) throw new Error(`${document}: ${text}`);
    return Object.values(data ?? {})[0] as Value;
  }

  async organisation(owner: Person, name: string, quota = 0): Promise<number> {
    const create = `mutation { createOrganisation(input: { name: "${name}" }) { organisation { id } } }`;
    const { organisation } = await this.value<{ organisation: { id: number } }>(owner, create);
    if (quota > 0) await this.site.expectSuccess(this.root, 'POST', '/api/topup', { user_id: organisation.id, quota });
    return organisation.id;
  }

  /** Makes a person a member. Returns the id of the membership. */
  async join(person: Person, organisation: number, role = 'MEMBER'): Promise<number> {
    const input = `{ organisationId: ${organisation}, userId: ${person.id}, role: ${role} }`;
    const add = `mutation { addMember(input: ${input}) { member { id } } }`;
    return (await this.value<{ member: { id: number } }>(this.root, add)).member.id;
  }

  async key(person: Person, organisation: number, rest = ''): Promise<MemberKey> {
    const create = `mutation { createToken(input: { name: "key" ${rest} }) { key token { id } } }`;
    const { key, token } = await this.value<{ key: string; token: { id: number } }>(person, create, organisation);
    return { id: token.id, key };
  }

  /** @returns the status of a call */
  async call(key: string, url = this.site.server.url): Promise<number> {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    return response.status;
  }

  async balance(id: number): Promise<{ quota: number; used: number }> {
    const [row] = await this.site.query<{ quota: string; used: string }>(
      'SELECT quota, used_quota AS used FROM users WHERE id = $1',
      [id],
    );
    return { quota: Number(row?.quota), used: Number(row?.used) };
  }

  /** @returns the differences between balances and their records */
  reconcile(): Promise<unknown[]> {
    return reconcile({ query: async (text, values) => ({ rows: await this.site.dataSource.query(text, values) }) });
  }
}

/** The header of a request of a member who acts for an organisation. */
export const acting = (organisation: number | undefined): Record<string, string> =>
  organisation === undefined ? {} : { 'tollgate-organization': String(organisation) };
