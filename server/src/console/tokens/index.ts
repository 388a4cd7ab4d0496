export { type HeldKey, KeyHolderService } from './key-holder.service.js';
export { TokenBulkService } from './token-bulk.service.js';
export { TokenKeyService } from './token-keys.service.js';
export { TokenRotation } from './token-rotation.js';
export { UserKeyService } from './user-keys.service.js';
export { TokenService } from './token.service.js';
