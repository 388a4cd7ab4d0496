import type { ApolloClient } from '@apollo/client';
import { getApolloContext } from '@apollo/client/react';
import { useCallback, useContext } from 'react';
import { createStore, useStore } from './store.js';

type Create = () => Promise<ApolloClient>;

const store = createStore<ApolloClient | null>(null);
let create: Create | null = null;
let loading: Promise<ApolloClient> | null = null;

/**
 * The client of GraphQL. Its code is a sixth of the console's start, and the pages before sign-in show themselves without it:
 * screens that ask at once load it beside their own code, other pages with the first click or key.
 */
export const graphqlClient = {
  /** @param made loads the code and creates the client, once */
  use(made: Create): void {
    create = made;
  },
  /** Resolves once components can use the client. Rejects if its code cannot be loaded; the next call tries again. */
  async load(): Promise<ApolloClient> {
    if (!create) throw new Error('No client of GraphQL was configured');
    loading ??= create();
    try {
      const client = await loading;
      store.set(client);
      return client;
    } catch (error) {
      loading = null;
      throw error;
    }
  },
};

/** The client, null until its code is loaded. */
export const useLoadedClient = (): ApolloClient | null => useStore(store);

/** Loads a component together with the client that it uses. */
export const withClient =
  <T>(load: () => Promise<T>): (() => Promise<T>) =>
  async () => {
    const [component] = await Promise.all([load(), create ? graphqlClient.load() : undefined]);
    return component;
  };

/** Returns a function that resolves to the client, for pages that are shown before its code is loaded. */
export function useClient(): () => Promise<ApolloClient> {
  const { client } = useContext(getApolloContext());
  return useCallback(async () => client ?? (await graphqlClient.load()), [client]);
}
