import type { GraphQLContext } from '../../platform/graphql/context.js';
import { loadOne, type BatchSource } from '../../platform/graphql/loaders.js';
import { hasScope, type AccessScope, type MaybeActor } from '../../shared/actor.js';
import type { Channel } from '../channels/index.js';
import { toChannelObject, type ChannelObject } from '../channels/channel.object.js';
import type { MemberView, OrganisationView, ProjectView } from '../organisations/index.js';
import type { Plan } from '../../billing/plans/index.js';
import type { WebhookEndpoint } from '../webhooks/index.js';
import type { KeyedRedemption } from '../redemptions/index.js';
import type { Token, User } from '../../billing/accounts/index.js';
import { toTokenObject, type TokenObject } from '../tokens/token.object.js';

/** Services that read the rows of relations in batches. They leave out rows that the caller may not see. */
export interface RelationSources {
  readonly users: BatchSource<User>;
  readonly tokens: BatchSource<Token>;
  readonly channels: BatchSource<Channel>;
  readonly redemptions: BatchSource<KeyedRedemption & { readonly id: number }>;
  readonly organisations: BatchSource<OrganisationView>;
  readonly members: BatchSource<MemberView>;
  readonly projects: BatchSource<ProjectView>;
  readonly plans: BatchSource<Plan>;
  readonly endpoints: BatchSource<WebhookEndpoint>;
}

/** A class of resolvers of relations. */
export type Relations = new (sources: RelationSources) => object;

/**
 * Returns the scope that a named access token needs to read rows of this user. For the caller's own rows, one of two
 * scopes suffices.
 */
export const scopeOf = (actor: MaybeActor, userId: number): AccessScope =>
  actor?.id === userId && !hasScope(actor, 'ADMIN_READ') ? 'ACCOUNT_READ' : 'ADMIN_READ';

/** Returns the scope for rows that admins read of everyone, and users of what they take part in. */
export const scopeOfEither = (actor: MaybeActor): AccessScope =>
  actor !== null && hasScope(actor, 'ADMIN_READ') ? 'ADMIN_READ' : 'ACCOUNT_READ';

/** @returns null when the user is deleted, or when the caller may not read them */
export const userOf = (context: GraphQLContext, { users }: RelationSources, id: number | null): Promise<User | null> =>
  loadOne(context, users, id, scopeOf(context.actor, id ?? 0));

/** @param ownerId the user who owns the key */
export async function tokenOf(
  context: GraphQLContext,
  { tokens }: RelationSources,
  id: number | null,
  ownerId: number,
): Promise<TokenObject | null> {
  const token = await loadOne(context, tokens, id, scopeOf(context.actor, ownerId));
  return token && toTokenObject(token);
}

/** @returns null like `userOf` */
export async function channelOf(
  context: GraphQLContext,
  { channels }: RelationSources,
  id: number | null,
): Promise<ChannelObject | null> {
  const channel = await loadOne(context, channels, id, 'ADMIN_READ');
  return channel && toChannelObject(channel);
}
