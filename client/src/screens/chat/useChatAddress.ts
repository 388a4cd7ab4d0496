import { useApolloClient } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { useSession } from '../../lib/session.js';
import { useBaseAddress } from '../../lib/status.js';
import { readJson, writeJson } from '../../lib/storage.js';
import { chatAddress, needsKey } from './chatAddress.js';
import { ChatKeyDocument, FirstTokenDocument } from './chat.generated.js';

export type ChatOpening =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly address: string }
  | { readonly state: 'failed'; readonly error: unknown }
  /** The user has to agree first: the link sends a key to this host. */
  | { readonly state: 'asks'; readonly host: string; readonly agree: () => void }
  /** The link is invalid; the user is not signed in; the user has no enabled token. */
  | { readonly state: 'wrongLink' | 'stranger' | 'noToken' };

const agreedKey = 'chat-links-agreed';

function agreedLinks(): readonly string[] {
  const links = readJson(agreedKey);
  return Array.isArray(links) ? links.map(String) : [];
}

/**
 * Returns the name of a consent. The same link to another site needs another consent, and so does another user of the
 * browser.
 */
const consentOf = (link: string, userId: number): string => `${userId} ${link}`;

/**
 * The address of a chat link, with the key of a token if the link needs one. No key is read before the user has agreed to
 * send it.
 * @param tokenId default: the user's first enabled token
 */
export function useChatAddress(link: string | undefined, tokenId: number | null = null): ChatOpening {
  const client = useApolloClient();
  const userId = useSession()?.id;
  const address = useBaseAddress();
  const [consents, setConsents] = useState(agreedLinks);
  const [opened, setOpened] = useState<{ readonly link: string; readonly opening: ChatOpening } | null>(null);
  useEffect(() => {
    let current = true;
    const open = async (chosen: string): Promise<ChatOpening> => {
      const filled = (key: string): ChatOpening => {
        const result = chatAddress(chosen, { address, key });
        return result === null ? { state: 'wrongLink' } : { state: 'ready', address: result };
      };
      if (!needsKey(chosen)) return filled('');
      if (userId === undefined) return { state: 'stranger' };
      const tokens = await client.query({
        query: FirstTokenDocument,
        variables: { ids: tokenId === null ? null : [tokenId] },
        fetchPolicy: 'network-only',
      });
      const token = tokens.data?.myTokens.items[0];
      if (!token) return { state: 'noToken' };
      const consent = consentOf(chosen, userId);
      if (!consents.includes(consent)) {
        const target = chatAddress(chosen, { address, key: '' });
        if (target === null) return { state: 'wrongLink' };
        const agree = () => {
          const next = [...agreedLinks(), consent];
          writeJson(agreedKey, next);
          setConsents(next);
        };
        return { state: 'asks', host: new URL(target).host, agree };
      }
      // Keys are never cached.
      const key = await client.query({ query: ChatKeyDocument, variables: { id: token.id }, fetchPolicy: 'no-cache' });
      return filled(key.data?.tokenKey ?? '');
    };
    if (link === undefined) return;
    const show = (opening: ChatOpening) => {
      if (current) setOpened({ link, opening });
    };
    open(link).then(show, (error: unknown) => show({ state: 'failed', error }));
    return () => {
      current = false;
    };
  }, [address, client, consents, link, tokenId, userId]);
  return opened && opened.link === link ? opened.opening : { state: 'loading' };
}
