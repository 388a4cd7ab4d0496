/**
 * Ids of the advisory locks of Postgres, or their classes where a second key follows. The numbers are arbitrary and never
 * change: nodes of two versions run beside each other during an upgrade. The ledger has its own in its migration.
 */
export const advisoryLocks = {
  /** 'toll' in ASCII. */
  migrations: 0x746f6c6c,
  newTokens: 730_511,
  optionChanges: 730_512,
  newRoles: 730_536,
  usernames: 730_542,
  newDashboards: 730_548,
  newOrganisations: 730_561,
  newMembers: 730_562,
  newWebhookEndpoints: 730_563,
  /** Checks at start whether the database has advisory locks. */
  probe: 7_305_999,
} as const;
