import { ApolloProvider } from '@apollo/client/react';
import { useMemo, type ReactNode } from 'react';
import { useNavigate } from 'react-router-dom';
import { ActingContext, type Acting } from '../lib/acting.js';
import type { createApolloClient } from './apollo.js';

/**
 * Returns a part of the page whose requests act for an organisation. Its cache is its own: the same fields have other values there.
 * @param create passed in, so that the client of GraphQL has one chunk, which the server preloads
 */
export const actingWith = (create: typeof createApolloClient) =>
  function ActingAs({ acting, children }: { readonly acting: Acting; readonly children: ReactNode }) {
    const navigate = useNavigate();
    const { organisationId } = acting;
    const client = useMemo(
      () => create(() => void navigate('/login?expired=true'), organisationId),
      [navigate, organisationId],
    );
    return (
      <ActingContext value={acting}>
        <ApolloProvider client={client}>{children}</ApolloProvider>
      </ActingContext>
    );
  };
