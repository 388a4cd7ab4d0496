import { createContext, use } from 'react';

/** The organisation for which the user acts in a part of the page, and the user's role in it. */
export interface Acting {
  readonly organisationId: number;
  readonly role: 'OWNER' | 'BILLING' | 'MEMBER';
  /** Members whose names the user may see. */
  readonly members: ReadonlyArray<{ readonly id: number; readonly username: string }>;
  readonly projects: ReadonlyArray<{
    readonly id: number;
    readonly name: string;
    readonly archivedAt?: string | null;
  }>;
}

/** Null: the user acts for their own account. */
export const ActingContext = createContext<Acting | null>(null);

export const useActing = (): Acting | null => use(ActingContext);

/** The header of requests for an organisation. */
export const actingHeader = (organisationId: number | undefined): Record<string, string> =>
  organisationId === undefined ? {} : { 'Tollgate-Organization': String(organisationId) };
