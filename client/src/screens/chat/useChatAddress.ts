import { useApolloClient } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { useSession } from '../../lib/session.js';
import { useBaseAddress } from '../../lib/status.js';
import { chatAddress, needsKey } from './chatAddress.js';
import { ChatKeyDocument, FirstTokenDocument } from './chat.generated.js';

export type ChatOpening =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly address: string }
  | { readonly state: 'failed'; readonly error: unknown }
  /** The link is invalid; the user is not signed in; the user has no enabled token. */
  | { readonly state: 'wrongLink' | 'stranger' | 'noToken' };

/** The address of a chat link, with the user's first enabled token if the link needs a key. */
export function useChatAddress(link: string | undefined): ChatOpening {
  const client = useApolloClient();
  const userId = useSession()?.id;
  const address = useBaseAddress();
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
      const tokens = await client.query({ query: FirstTokenDocument, fetchPolicy: 'network-only' });
      const token = tokens.data?.myTokens.items[0];
      if (!token) return { state: 'noToken' };
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
  }, [address, client, link, userId]);
  return opened && opened.link === link ? opened.opening : { state: 'loading' };
}
