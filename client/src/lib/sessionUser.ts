/** The signed-in user, with numbers for role and status as browser extensions read them. */
export interface SessionUser {
  readonly id: number;
  readonly username: string;
  readonly displayName: string;
  /** 1 common, 10 admin, 100 root. */
  readonly role: number;
  readonly status: number;
  readonly group: string;
  /** Of a custom role, as the schema names them (`permissions.ts`). Absent: none. */
  readonly permissions?: readonly string[];
}
