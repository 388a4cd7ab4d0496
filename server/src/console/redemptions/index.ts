export { RedeemService } from './redeem.service.js';
export { Redemption, type RedemptionStatus } from './redemption.entity.js';
export { type KeyedRedemption, RedemptionService } from './redemption.service.js';
