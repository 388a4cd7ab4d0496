export {
  assertOtherOwner,
  type CurrentMembership,
  endMembership,
  endMembershipsOf,
  lockMembership,
  memberKeysOf,
} from './end-membership.js';
export { hasLivingMember } from './living-member.js';
export { ownTokenIds } from './own-token-ids.js';
