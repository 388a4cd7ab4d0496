export { CheckInService } from './check-in.service.js';
