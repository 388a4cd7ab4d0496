export { RedeemService } from './redeem.service.js';
export { Redemption, type RedemptionStatus } from './redemption.entity.js';
export { isOpen, isUnlimited, remainingUses } from './redemption-sql.js';
export type { KeyedRedemption } from './redemption-csv.js';
export { RedemptionService } from './redemption.service.js';
