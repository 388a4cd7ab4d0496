export { ReleaseService } from './release.service.js';
export { StatusService } from './status.service.js';
