export { CustomRole } from './custom-role.entity.js';
export { Invitation } from './invitation.entity.js';
export { Membership } from './membership.entity.js';
export { Project } from './project.entity.js';
export { Token, type TokenRateLimit, tokenStatuses, type TokenStatus } from './token.entity.js';
export { displayCurrencies, type StoredSetting, type UserSetting, UserSettings } from './user-setting.js';
export { User } from './user.entity.js';
