export { CustomRoleService } from './custom-role.service.js';
