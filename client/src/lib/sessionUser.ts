/** The signed-in user, with numbers for role and status as browser extensions read them. */
export interface SessionUser {
  readonly id: number;
  readonly username: string;
  readonly displayName: string;
  /** 1 common, 10 admin, 100 root. */
  readonly role: number;
  readonly status: number;
  readonly group: string;
  /** Permissions of a custom role, as named by the schema (`permissions.ts`). Absent when there are none. */
  readonly permissions?: readonly string[];
}
