export { Setup } from './setup.entity.js';
export { SetupService } from './setup.service.js';
