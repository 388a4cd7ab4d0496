import type { Caller } from '../../admit/authentication.js';
import type { Continuation } from '../../request.js';
import type { NamedId, NamedText } from '../../../dialects/languages/provider-ids.js';
import { notFound } from './call-origin.js';
import type { IdOwner, IdOwners } from './id-owners.js';

/** Maximum number of ids that one call looks up. */
const maxIds = 1000;

/**
 * Finds the account that stores the objects that a body names, if this server returned all of them to the caller.
 * @param ids at least one
 * @throws RelayError unknown_id, previous_response_not_found for ids of different accounts; UnavailableError
 */
export async function namedOrigin(
  ids: readonly NamedId[],
  caller: Pick<Caller, 'user' | 'token'>,
  owners: Pick<IdOwners, 'find'>,
): Promise<Continuation> {
  const found = await accountsOf(ids, caller, owners);
  if ('unknown' in found) return { kind: 'foreign', userId: caller.user.id, named: found.unknown };
  const [named, account] = [ids[0], found.accounts[0]];
  if (!named || !account) throw new Error('the call names nothing');
  return { kind: 'named', channelId: account.channelId, keyMark: account.keyMark, named };
}

/**
 * Finds the accounts that store all of these objects, if this server returned all of them to the caller.
 * @returns the accounts, or the first id that is not the caller's
 * @throws RelayError unknown_id, previous_response_not_found for ids of different accounts; UnavailableError
 */
export async function accountsOf<Named extends NamedText & { readonly isConversation: boolean }>(
  ids: readonly Named[],
  { user, token }: Pick<Caller, 'user' | 'token'>,
  owners: Pick<IdOwners, 'find'>,
): Promise<{ readonly accounts: readonly IdOwner[] } | { readonly unknown: Named }> {
  const [surplus] = ids.slice(maxIds);
  if (surplus) throw notFound(surplus, `is one of more than ${maxIds}`);
  const known = await owners.find(ids.map(({ id }) => id));
  let accounts: readonly IdOwner[] | undefined;
  for (const named of ids) {
    const own = (known.get(named.id) ?? []).filter(
      ({ userId, memberId, tokenId }) =>
        userId === user.id &&
        (memberId === 0 || memberId === token.memberId) &&
        (!named.isConversation || tokenId === token.id),
    );
    if (own.length === 0) return { unknown: named };
    accounts = accounts ? sharedBy(accounts, own) : own;
    if (accounts.length === 0) throw notFound(named, 'belongs to another account than the ids before it');
  }
  return { accounts: accounts ?? [] };
}

const sharedBy = (some: readonly IdOwner[], others: readonly IdOwner[]): readonly IdOwner[] =>
  some.filter(({ channelId, keyMark }) =>
    others.some((other) => other.channelId === channelId && other.keyMark === keyMark),
  );
