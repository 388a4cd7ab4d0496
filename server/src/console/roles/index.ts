export { CustomRole } from './custom-role.entity.js';
export { CustomRoleService } from './custom-role.service.js';
