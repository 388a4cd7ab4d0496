export { CaptureService } from './capture.service.js';
