/** The account whose rows are read, and its member who reads them. 0: a person, or a shared key of an organisation. */
export interface RowReader {
  readonly userId: number;
  readonly memberId: number;
}

/**
 * SQL for the member whose key made a row. 0: the key is of a person or of an organisation itself. Rows of keys are never
 * removed before their account, and a key has one member for life.
 * @param tokenId SQL for the id of the key
 */
export const memberOfKey = (tokenId: string): string =>
  `coalesce((SELECT maker.member_id FROM tokens maker WHERE maker.id = ${tokenId}), 0)`;

/**
 * SQL for whether a row that a key made is open to a member of the same account: own rows are, and those of shared keys.
 * @param tokenId SQL for the id of the key
 * @param memberId SQL for the id of the member
 */
export const isOpenToMember = (tokenId: string, memberId: string): string =>
  `${memberOfKey(tokenId)} IN (0, ${memberId})`;
