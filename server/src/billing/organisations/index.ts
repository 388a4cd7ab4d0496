export {
  assertOtherOwner,
  deleteOrganisation,
  endMembership,
  endMembershipsOf,
  lockMembership,
  memberKeysOf,
  revokeInvitationsOf,
} from './end-membership.js';
export { isOpenToMember, memberOfKey, type RowReader } from './key-member.js';
export { hasLivingMember } from './living-member.js';
export { ownTokenIds } from './own-token-ids.js';
