/** Columns with an external account. Each value is unique unless it is empty. */
export const identityColumns = ['github_id', 'oidc_id', 'wechat_id', 'telegram_id', 'linux_do_id'] as const;
/** Columns whose values two users cannot share. */
export const uniqueColumns = ['email', ...identityColumns] as const;

/** Returns a name for a value that one user holds. Addresses are compared without case. */
export const heldAs = (column: (typeof uniqueColumns)[number], value: string): string =>
  `${column}:${column === 'email' ? value.toLowerCase() : value}`;
