import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { OperationTypeNode } from 'graphql';
import { from, mergeMap, tap, throwError } from 'rxjs';
import { actingHeader } from '../lib/acting.js';
import { sitePath } from '../lib/basePath.js';
import { toFailure } from '../lib/errors.js';
import { session } from '../lib/session.js';
import { askConfirmation, requireEnrolment } from '../lib/confirmation.js';
import { liveLink } from './liveLink.js';
import { offline } from './offline.js';

/** Error codes of a missing or expired session. */
const signedOut = new Set(['NOT_SIGNED_IN', 'INVALID_ACCESS_TOKEN', 'USER_ID_MISMATCH', 'USER_BANNED']);

/**
 * @param onExpired called when the server no longer knows the session; the caller goes to the sign-in page
 * @param organisationId the organisation for which all requests act; absent: the user's own account
 */
export function createApolloClient(onExpired: () => void, organisationId?: number): ApolloClient {
  const sign = new SetContextLink(({ headers }) => {
    const user = session.get();
    // Second defence against forged requests: another site can make the browser send our cookie, but not this header.
    return {
      headers: {
        ...(headers as Record<string, string>),
        ...(user ? { 'Veloera-User': String(user.id) } : {}),
        ...actingHeader(organisationId),
      },
    };
  });

  const watch = new ErrorLink(({ error, operation }) => {
    const { code, status } = toFailure(error);
    offline.set(code === 'NETWORK');
    const expired = (status === 401 || signedOut.has(code)) && !(code === 'USER_ID_MISMATCH' && session.isChanging());
    if (expired && operation.operationName !== 'Login' && session.get()) {
      session.end('expired');
      void client.clearStore();
      onExpired();
    }
  });

  // The user shows the second factor, then the request is sent again.
  const confirm = new ErrorLink(({ error, operation, forward }) => {
    const { code } = toFailure(error);
    if (code === 'SECOND_FACTOR_REQUIRED') requireEnrolment();
    if (code !== 'CONFIRMATION_NEEDED') return undefined;
    return from(askConfirmation()).pipe(
      mergeMap((isConfirmed) => (isConfirmed ? forward(operation) : throwError(() => error))),
    );
  });

  const answered = new ApolloLink((operation, forward) => forward(operation).pipe(tap(() => offline.set(false))));

  // A subscription's failures are handled by `useLive`, which falls back to polling.
  const requests = ApolloLink.from([
    watch,
    confirm,
    sign,
    answered,
    new HttpLink({ uri: sitePath('/graphql'), credentials: 'same-origin' }),
  ]);
  const isLive = ({ operationType }: ApolloLink.Operation) => operationType === OperationTypeNode.SUBSCRIPTION;
  const client = new ApolloClient({
    link: ApolloLink.split(isLive, ApolloLink.from([sign, liveLink]), requests),
    cache: new InMemoryCache({
      // Rows of all users and own rows have different ids, so they are different types; fragments are on what they share.
      possibleTypes: { LogEntry: ['Log', 'OwnLog'] },
      typePolicies: { Status: { keyFields: [] }, SetupStatus: { keyFields: [] } },
    }),
    defaultOptions: { watchQuery: { fetchPolicy: 'cache-and-network', notifyOnNetworkStatusChange: true } },
    devtools: { enabled: false },
  });
  // Screens that stay read everything again for the next user.
  session.onLeft((next) => void (next ? client.resetStore() : client.clearStore()).catch(() => undefined));
  return client;
}
